// Failures whose text cannot be sent, or not even made: each is told all the same, and the work is given back. And
// without being asked, a worker writes its errors to the console.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {GiveUp, NotSent} from '../index.js';
import {UnknownParameterError} from '../lib/errors.js';
import {cut, failedWith, report, stackOf, textOf, TRACE_BYTES_MAX} from '../lib/failures.js';

import {clientFor} from './daemon.js';

const HUGE = 'ä'.repeat(40 * 1024 * 1024);
const thrower = () => {
  throw new TypeError('no text');
};
const silent = (Class) => Object.defineProperty(new Class(), 'message', {get: thrower});
const CANNOT = 'its text cannot be shown: TypeError was thrown';
const failures = {
  surrogate: [() => new Error('a \ud800 b'), 'a \ufffd b'],
  huge: [() => new Error(HUGE), 'ä'.repeat(512)],
  bare: [() => Object.create(null), CANNOT],
  'bare message': [() => ({message: Object.create(null)}), CANNOT],
  silent: [() => silent(Error), CANNOT],
  symbol: [() => Symbol('x'), 'Symbol(x)'],
  'symbol message': [() => ({message: Symbol('x')}), 'Symbol(x)'],
  'throwing toString': [() => ({toString: thrower}), CANNOT],
  'odd toString': [() => ({toString: () => ({})}), CANNOT],
  proxy: [() => new Proxy({}, {get: thrower, getPrototypeOf: thrower}), CANNOT],
  nothing: [() => undefined, 'the handler was rejected without a reason'],
  null: [() => null, 'the handler was rejected without a reason'],
  empty: [() => new Error(''), 'failed'],
  number: [() => 7, '7'],
  'throws an error': [() => ({get message() { throw silent(Error); }}), 'its text cannot be shown: Error was thrown'],
};

test('a row is given back whatever is thrown, and the console is told', async (t) => {
  const {connection} = await clientFor(t, {options: '<back-off-first>1h</back-off-first>'});
  const jobs = connection.journal('jobs');
  const names = Object.keys(failures);
  for (const name of [...names, 'give up', 'huge give up']) await jobs.put({name});
  const told = t.mock.method(console, 'error', () => {});
  const end = new AbortController();
  let left = names.length + 2;
  const counts = await connection.worker('jobs', (row) => {
    if (--left === 0) end.abort();
    if (row.columns.name === 'give up') throw silent(GiveUp);
    if (row.columns.name === 'huge give up') throw new GiveUp(HUGE);
    throw failures[row.columns.name][0]();
  }, {signal: end.signal});
  assert.deepEqual(counts, {done: 0, released: names.length, parked: 2, deleted: 0, lost: 0});
  for (const name of names) {
    const [row] = await jobs.peek({name});
    assert.deepEqual([name, row.error, row.attempts, row.status], [name, failures[name][1], 1, 'waiting']);
    assert.ok(row.errorTrace.length > 0);
  }
  assert.equal((await jobs.peek({name: 'give up'}))[0].error, CANNOT);
  for (const name of ['give up', 'huge give up']) assert.ok((await jobs.peek({name}))[0].errorTrace?.length > 0, name);
  const [{errorTrace}] = await jobs.peek({name: 'surrogate'});
  assert.match(errorTrace, /^Error: a . b\n +at /);
  const lines = told.mock.calls.map((call) => call.arguments.join(' '));
  assert.equal(lines.length, names.length + 2);
  assert.match(lines[0], /^fastjournal: table jobs, row \d+: Error: a . b\n +at /);
  assert.ok(lines.every((line) => line.length < 17 * 1024));
});

test('what onError throws ends no worker', async (t) => {
  const {connection} = await clientFor(t, {options: '<back-off-first>1h</back-off-first>'});
  const jobs = connection.journal('jobs');
  for (const name of ['a', 'b']) await jobs.put({name});
  t.mock.method(console, 'error', () => {});
  const end = new AbortController();
  let left = 2;
  const counts = await connection.worker('jobs', () => {
    if (--left === 0) end.abort();
    throw new Error('no');
  }, {signal: end.signal, onError: thrower});
  assert.equal(counts.released, 2);
});

test('a message and a document are told of whatever is thrown', async (t) => {
  const {connection} = await clientFor(t);
  const post = connection.queues('post');
  await post.send('orders', 'a');
  t.mock.method(console, 'error', () => {});
  const end = new AbortController();
  const counts = await connection.consumer('post', 'orders', () => {
    end.abort();
    throw silent(GiveUp);
  }, {signal: end.signal});
  assert.deepEqual([counts.parked + counts.dead, counts.lost], [1, 0]);
  for await (const message of post.browse({queue: 'orders'}))
    assert.ok((await post.read(message)).errorTrace?.length > 0);
  const docs = connection.documents('docs');
  const thrown =
      [...Object.values(failures).map(([make]) => make), () => new NotSent('\ud800', {kind: 'ä'.repeat(80)})];
  for (const [number, make] of thrown.entries()) {
    const document = await docs.found('pages', `/${number}`, '1');
    const {state} = await docs.deliver(document, 'index', () => {
      throw make();
    });
    assert.equal(state, 'error');
    assert.ok((await docs.why(document)).errorTrace?.length > 0, String(number));
  }
  const trace = async (failure) => {
    const document = await docs.found('pages', `/${failure.name}/${failure.drop}`, '1');
    await docs.deliver(document, 'index', () => {
      throw failure;
    });
    return (await docs.why(document)).errorTrace;
  };
  assert.match(await trace(new GiveUp('no')) ?? '', /^index:\nGiveUp: no\n +at /);
  assert.match(await trace(new NotSent('no')) ?? '', /^index:\nNotSent: no\n +at /);
  // DROPPED takes no trace.
  assert.equal(await trace(new NotSent('a draft', {drop: true})), undefined);
  assert.equal(
      await docs.failed(await docs.found('pages', '/huge', '1'), 'index', 'ä'.repeat(80), {error: HUGE}), 'error');
});

test('a daemon that knows no traces gets the failure without, and is asked once', async (t) => {
  const {connection} = await clientFor(t, {options: '<back-off-first>0</back-off-first>'});
  const jobs = connection.journal('jobs');
  await jobs.put({name: 'a'});
  const asked = [];
  const old = {
    async call(command, params, limits) {
      asked.push([command, params.error_trace]);
      if (params.error_trace !== undefined)
        throw new UnknownParameterError('no such parameter', {parameter: 'error_trace'});
      return connection.call(command, params, limits);
    },
  };
  const about = async (errorTrace) => {
    const {rows: [{row, epoch}]} = await jobs.next();
    return {table: 'jobs', row, epoch, ...failedWith('no', errorTrace)};
  };
  assert.equal((await report(old, 'RELEASE', await about('at line 7'))).first.command, 'RELEASED');
  assert.equal((await report(old, 'FAIL', await about('at line 8'))).first.command, 'PARKED');
  assert.deepEqual(asked, [['RELEASE', 'at line 7'], ['RELEASE', undefined], ['FAIL', undefined]]);
  const [parked] = await jobs.peek({name: 'a'});
  assert.deepEqual([parked.status, parked.error, parked.errorTrace], ['parked', 'no', undefined]);
});

test('texts that a program gives itself are cut', async (t) => {
  const {connection} = await clientFor(t);
  const jobs = connection.journal('jobs');
  for (const name of ['a', 'b']) await jobs.put({name});
  const {rows: [first, second]} = await jobs.next({count: 2});
  assert.equal((await jobs.release(first, {error: `\ud800${HUGE}`})).fate, 'released');
  assert.equal((await jobs.fail(second, HUGE)).fate, 'parked');
  assert.equal((await jobs.peek({row: second.row}))[0].error, 'ä'.repeat(512));
});

test('texts are cut at characters', () => {
  assert.equal(cut('€'.repeat(1000)), '€'.repeat(341));
  assert.equal(cut('🙂'.repeat(1000)), '🙂'.repeat(256));
  assert.equal(cut(`${'x'.repeat(1023)}🙂`), 'x'.repeat(1023));
  assert.equal(cut('abc'), 'abc');
  assert.equal(textOf('plain'), 'plain');
  assert.equal(stackOf(7), '7');
});

test('a stack has the causes, as far as they go', () => {
  const first = new Error('no disk');
  const trace = stackOf(new Error('not written', {cause: new TypeError('not opened', {cause: first})}));
  const parts = trace.split('\nCaused by: ');
  assert.deepEqual(
      parts.map((part) => part.split('\n')[0]), ['Error: not written', 'TypeError: not opened', 'Error: no disk']);
  assert.ok(parts.every((part) => /\n +at /.test(part)));
  assert.match(stackOf(new Error('a', {cause: 'disk full'})), /\nCaused by: disk full$/);
  assert.doesNotMatch(stackOf(new Error('a', {cause: undefined})), /Caused by/);
  // In a circle: each once.
  const circle = new Error('a', {cause: first});
  first.cause = circle;
  assert.equal(stackOf(circle).split('Caused by: ').length, 2);
  const silent = Object.defineProperty(new Error('a'), 'cause', {get: thrower});
  assert.equal(stackOf(silent), silent.stack);
  let long = new Error('last');
  for (let number = 0; number < 50; ++number) long = new Error(`${number}`, {cause: long});
  assert.equal(stackOf(long).split('Caused by: ').length, 8);
  const huge = stackOf(new Error('ä'.repeat(7000), {cause: new Error('ö'.repeat(7000))}));
  assert.ok(Buffer.byteLength(huge) <= TRACE_BYTES_MAX && huge.includes('Caused by: Error: ö'));
});
