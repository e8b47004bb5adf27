// The commands of a journal against the real daemon.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {connect, FastjournalError, StaleEpochError, UnknownTableError} from '../index.js';

import {clientFor, closedAfter, daemonFor} from './daemon.js';

async function jobsOf(t, given) {
  const client = await clientFor(t, given);
  return {...client, jobs: client.connection.journal('jobs')};
}

test('a row is put, leased, renewed and done', async (t) => {
  const {jobs} = await jobsOf(t);
  const columns = {name: 'a', payload: 'ä;"\n', size: 2n ** 64n - 1n, share: 0.25, bytes: Buffer.from([0, 1, 255])};
  const put = await jobs.put(columns, {priority: 20});
  assert.equal(put.result, 'inserted');
  const {rows} = await jobs.next({worker: 'w1', lease: 60_000});
  assert.equal(rows[0].row, put.row);
  assert.equal(rows[0].priority, 20);
  assert.deepEqual({...rows[0].columns}, columns);
  assert.ok((await jobs.touch(rows[0], {lease: 120_000})) > rows[0].leaseEnd);
  await jobs.done(rows[0]);
  assert.deepEqual((await jobs.next()).rows, []);
});

test('a transaction is done or not', async (t) => {
  const {connection, jobs} = await jobsOf(t);
  await jobs.put({name: 'a'});
  const [row] = (await jobs.next()).rows;
  const done = ['DONE', {table: 'jobs', row: row.row, epoch: row.epoch}];
  const answers =
      await connection.transaction([done, ['INSERT', {table: 'jobs', name: 'b', bytes: Buffer.from([0, 255])}]]);
  assert.deepEqual(answers.map(({command}) => command), ['COMPLETED', 'INSERTED']);
  const [shown] = await jobs.peek({name: 'b'});
  assert.deepEqual([...shown.columns.bytes], [0, 255]);
  const again = connection.transaction([['INSERT', {table: 'jobs', name: 'c'}], done]);
  await assert.rejects(again, (error) => error.code === 'unknown_row' && String(error.facts.op) === '2');
  await assert.rejects(jobs.peek({name: 'c'}), {code: 'unknown_row'});
  await assert.rejects(connection.call('BEGIN'), {code: 'not_supported'});
});

test('the same over a unix socket', async (t) => {
  const daemon = await daemonFor(t);
  const connection = closedAfter(t, await connect({server: daemon.unix}));
  assert.equal((await connection.journal('jobs').put({name: 'a'})).result, 'inserted');
});

test('merged, behind, released, parked, in its words', async (t) => {
  const {jobs} = await jobsOf(t);
  await jobs.put({name: 'a'});
  assert.equal((await jobs.put({name: 'a'})).result, 'merged');
  const [row] = (await jobs.next()).rows;
  assert.equal((await jobs.put({name: 'a'})).result, 'behind');
  const released = await jobs.release(row, {error: 'no luck', processDate: '+60000'});
  assert.equal(released.fate, 'released');
  assert.ok(released.processDate > Date.now());
  await jobs.put({name: 'b'});
  const [other] = (await jobs.next()).rows;
  assert.deepEqual(await jobs.fail(other, 'never'), {fate: 'parked'});
  const [shown] = await jobs.peek({name: 'b'});
  assert.equal(shown.status, 'parked');
  assert.equal(shown.error, 'never');
  assert.equal((await jobs.why({row: other.row}))[0].state, 'parked');
  assert.equal((await jobs.stats()).rows_parked, 1);
});

test('done and next is one answer', async (t) => {
  const {jobs} = await jobsOf(t);
  await jobs.put({name: 'a'});
  await jobs.put({name: 'b'});
  const first = await jobs.next();
  const second = await jobs.doneAndNext(first.rows[0]);
  assert.equal(second.rows[0].columns.name, 'b');
  assert.deepEqual((await jobs.doneAndNext(second.rows[0])).rows, []);
});

test('a refusal is an error of its class with its facts', async (t) => {
  const {jobs, connection} = await jobsOf(t);
  await assert.rejects(connection.journal('none').put({name: 'a'}), UnknownTableError);
  await assert.rejects(jobs.put({nam: 'a'}), {code: 'unknown_parameter', facts: {command: 'INSERT', parameter: 'nam'}});
  await assert.rejects(connection.call('NONSENSE'), {code: 'unknown_command'});
  await jobs.put({name: 'a'});
  const [row] = (await jobs.next({worker: 'w1'})).rows;
  await assert.rejects(jobs.done({...row, epoch: row.epoch + 7}), (error) => {
    assert.ok(error instanceof StaleEpochError && error instanceof FastjournalError);
    assert.equal(error.facts.holder, 'w1');
    return true;
  });
});

test('list goes through all pages', async (t) => {
  const {jobs} = await jobsOf(t);
  await jobs.putMany(Array.from({length: 2500}, (_, i) => ({name: `n${i}`})));
  let rows = 0;
  for await (const row of jobs.list({status: 'due', count: 700}))
    if (row.status === 'due') ++rows;
  assert.equal(rows, 2500);
});

test('a listener is woken, and rows are delivered to another', async (t) => {
  const {jobs, connection} = await jobsOf(t);
  const wakes = jobs.listen();
  await wakes.listening;
  const woken = wakes.next();
  await jobs.put({name: 'a'});
  const {value} = await woken;
  assert.equal(value.kind, 'work');
  assert.equal(value.ready, 1);
  await wakes.return();
  assert.deepEqual(await wakes.next(), {value: undefined, done: true});
  const seen = [];
  await jobs.put({name: 'b'});
  for await (const notice of jobs.listen({mode: 'deliver', credit: 1})) {
    assert.equal(notice.kind, 'delivered');
    seen.push(notice.row.columns.name);
    await jobs.done(notice.row);
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, ['a', 'b']);
  await assert.rejects(connection.journal('none').listen().next(), UnknownTableError);
});

test('putMany counts every row, and tells which are refused', async (t) => {
  const {jobs} = await jobsOf(t);
  const refused = [];
  async function* rows() {
    for (let i = 0; i < 3000; ++i) {
      if (i === 1000)
        yield {payload: 'without a name'};
      else if (i === 2000)
        yield {name: {}};
      else
        yield {name: `n${i % 2000}`, priority: 7};
    }
  }
  const counts = await jobs.putMany(rows(), {onRefused: (row, error, nr) => refused.push([nr, error.code])});
  assert.deepEqual(refused.sort((a, b) => a[0] - b[0]), [[1000, 'missing_parameter'], [2000, 'bad_parameter']]);
  assert.deepEqual([counts.rows, counts.refused, counts.inserted, counts.merged], [3000, 2, 1999, 999]);
});

test('putMany stops at the first refusal if nobody wants them', async (t) => {
  const {jobs} = await jobsOf(t);
  let read = 0;
  function* rows() {
    for (; read < 1_000_000; ++read) yield read === 100 ? {nam: 'x'} : {name: `n${read}`};
  }
  await assert.rejects(
      jobs.putMany(rows(), {depth: 64}), (error) => error.code === 'unknown_parameter' && error.facts.nr === 100);
  assert.ok(read < 400, `${read} rows were read`);
});

test('putMany holds no more rows than its depth', async (t) => {
  const {jobs} = await jobsOf(t);
  let ahead = 0;
  let read = 0;
  function* rows() {
    for (; read < 5000; ++read) yield {name: `n${read}`, payload: 'x'.repeat(100)};
  }
  const many = jobs.putMany(rows(), {depth: 128});
  ahead = read;
  await many;
  assert.ok(ahead <= 128, `${ahead} rows were read before the first answer`);
});
