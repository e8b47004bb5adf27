// Key/value and blob tables: the calls with the real daemon, which are made of the declarations, and without one what they
// send, what is sent again after a loss, and answers that nobody expects.
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {test} from 'node:test';

import {connect} from '../index.js';
import {Link} from '../lib/link.js';

import {all, clientFor, closedAfter} from './daemon.js';
import {frameOf, pretender} from './pretender.js';

async function tablesOf(t) {
  const client = await clientFor(t, {}, {backOff: [20]});
  return {...client, values: client.connection.keyValue('values'), images: client.connection.blobs('images')};
}

/** A connection to a daemon that is not there: `answer(message, nr)` returns `[name, parameters]`, or undefined: it is lost. */
async function answeredBy(t, answer) {
  const messages = [];
  const server = await pretender(t, (message, socket, nr) => {
    const {request, ...params} = message.params;
    messages.push([message.command, params, nr]);
    const said = answer(message, nr);
    if (said === undefined)
      socket.destroy();
    else
      socket.write(frameOf(...said, request));
  });
  const connection = closedAfter(t, await connect({server, backOff: [20]}));
  return {connection, messages, values: connection.keyValue('v'), images: connection.blobs('b')};
}

test('commands of tables have the rules that their types declare', () => {
  const plugins = new URL('../../../plugins/', import.meta.url);
  const declared = {};
  for (const folder of readdirSync(plugins, {withFileTypes: true}).filter((one) => one.isDirectory())) {
    for (const file of readdirSync(new URL(`${folder.name}/`, plugins)).filter((name) => name.endsWith('.xml'))) {
      const xml = readFileSync(new URL(`${folder.name}/${file}`, plugins), 'utf8');
      for (const [, name, resend] of xml.matchAll(/<command name="(\w+)"[^>]* resend="(\w+)"/g))
        (declared[name] ??= new Set()).add(resend);
    }
  }
  const {rules} = new Link({});
  for (const name in declared) assert.deepEqual([...declared[name]], [rules[name].resend], name);
  for (const name of ['SET', 'DELETE', 'ADD', 'NOT', 'TRUNCATE', 'RENAME', 'ALIAS', 'PUT'])
    assert.deepEqual(rules[name], {resend: 'numbered'});
  for (const name of ['GET', 'OMIT', 'ATTACH']) assert.deepEqual(rules[name], {resend: 'always'});
  assert.deepEqual(rules.NEXT, {resend: 'always', wait: 'wait', leases: ['ROW', 'DOCUMENT'], giveBack: 'RELEASE'});
  assert.equal(rules.LOCK, undefined);
});

test('values of all types come back as they were', async (t) => {
  const {values} = await tablesOf(t);
  const bytes = Buffer.from([0, 255, 128]);
  const given = [
    ['void', null], ['buffer', bytes], ['string', 'Müller\n'], ['string', ''], ['integer', 5], ['integer', -(2 ** 40)],
    ['integer', 2n ** 62n], ['float', 0.5], ['float', 2 ** 60], ['boolean', true], ['boolean', false]
  ];
  for (const [type, value] of given) {
    const stored = await values.set('k', value);
    assert.deepEqual([stored.result, stored.key, stored.table], ['stored', 'k', 'values']);
    const pair = await values.get('k');
    assert.deepEqual([pair.type, pair.value, pair.timestamp], [type, value, stored.timestamp]);
  }
  await values.set('k', 5, {type: 'float'});
  assert.deepEqual([(await values.get('k')).type, (await values.get('k')).value], ['float', 5]);
  await values.set('k', new Uint8Array([104, 105]), {type: 'string'});
  assert.equal((await values.get('k')).value, 'hi');
  const {value, size, ...shown} = await values.get('k', {data: false, facts: true});
  assert.deepEqual([value, size, shown.persist, shown.locked, shown.workedOn], [undefined, 2, true, false, false]);
  assert.ok(Math.abs(shown.creationDate - Date.now()) < 600_000);
  assert.equal(await values.get('none'), undefined);
  assert.equal((await values.stats()).rows, 1);
});

test('keys are texts or bytes', async (t) => {
  const {values} = await tablesOf(t);
  const odd = Buffer.from([255, 0, 1]);
  await values.set(odd, 'odd');
  await values.set('a/1', 1);
  await values.alias('a/1', odd.subarray(0, 2));
  const pairs = await all(values.scan({facts: true, count: 1}));
  assert.deepEqual(
      pairs.map((pair) => [pair.key, pair.value, pair.mainKey]),
      [['a/1', 1, undefined], [odd.subarray(0, 2), 1, 'a/1'], [odd, 'odd', undefined]]);
  assert.deepEqual((await values.get(odd)).key, odd);
  assert.equal((await values.rename(odd, 'even')).result, 'stored');
  assert.deepEqual((await all(values.scan({prefix: 'e', data: false}))).map((one) => one.key), ['even']);
  assert.equal(await values.delete('even'), 'deleted');
  assert.equal(await values.delete('even'), 'absent');
  await assert.rejects(values.get(''), {code: 'bad_parameter'});
});

test('changes, conditions and locks', async (t) => {
  const {daemon, values} = await tablesOf(t);
  assert.deepEqual([(await values.add('n')).value, (await values.add('n', 4n)).value], [1, 5]);
  assert.deepEqual([(await values.add('f', '2.0')).type, (await values.add('f', 0.5)).value], ['float', 2.5]);
  await values.set('b', false);
  assert.equal((await values.invert('b')).value, true);
  assert.equal((await values.set('b', false, {ifValue: false})).result, 'mismatch');
  assert.equal((await values.set('b', false, {ifValue: true})).result, 'stored');
  assert.equal((await values.set('b', 1, {overwrite: false})).result, 'exists');
  assert.equal((await values.alias('n', 'b')).result, 'exists');
  await values.set('s', 'hällo', {persist: false, ttl: 60_000});
  await values.truncate('s', 2);
  // Within a character.
  assert.deepEqual((await values.get('s')).value, Buffer.from([0x68, 0xc3]));
  assert.equal((await values.set('s', 'x', {ifValue: null})).result, 'mismatch');
  const {timestamp} = await values.set('s', null, {expirationDate: '+3600000'});
  assert.ok((await values.get('s')).expirationDate > Date.now());
  assert.equal((await values.set('s', 'x', {ifValue: null, ifTimestamp: timestamp})).result, 'stored');
  const end = await values.lock('s', 30_000);
  assert.ok(end > Date.now());
  const others = closedAfter(t, await connect({server: daemon.tcp})).keyValue('values');
  await assert.rejects(
      others.set('s', 'y'), (error) => error.code === 'in_use' && Number(error.facts.lock_end) === end);
  await values.unlock('s');
  assert.equal((await others.set('s', 'y', {client: 'till-1', sequence: 1})).result, 'stored');
  assert.equal((await others.set('s', 'z', {client: 'till-1', sequence: 1})).result, 'duplicate');
  assert.equal((await values.get('s', {workedOn: 30_000})).value, 'y');
  assert.equal(await others.get('s', {skipWorkedOn: true}), undefined);
});

test('a counter is exact over kills of the daemon', async (t) => {
  const {daemon, connection, values} = await tablesOf(t);
  const address = daemon.tcp;
  for (let i = 1; i <= 3; ++i) {
    const added = values.add('n');
    await daemon.end('SIGKILL');
    await daemon.start(address);
    assert.ok(['stored', 'duplicate'].includes((await added).result));
    assert.equal((await values.get('n')).value, i);
  }
  assert.equal(connection.connects, 4);
});

test('blobs are stored, read in parts, listed and left out', async (t) => {
  const {images} = await tablesOf(t);
  const bytes = Buffer.from([0, 255, 128, 97, 98]);
  const stored = await images.put('logo', bytes);
  assert.deepEqual([stored.result, stored.end - stored.begin], ['stored', 5]);
  const {result, entryTime, ...shown} = await images.get('logo');
  assert.deepEqual([result, shown.data, shown.length, shown.hash], ['found', bytes, 5, stored.hash]);
  assert.ok(Math.abs(entryTime - Date.now() / 1000) < 600);
  assert.deepEqual((await images.get('logo', {offset: 1, length: 2})).data, bytes.subarray(1, 3));
  assert.deepEqual((await images.get(undefined, {hash: stored.hash})).data, bytes);
  assert.equal((await images.put('logo', 'YWI= as it is')).result, 'replaced');
  assert.equal((await images.get(Buffer.from('logo'))).data.toString(), 'YWI= as it is');
  await images.put(Buffer.from([255]), '');
  assert.equal((await images.get(Buffer.from([255]))).length, 0);
  await images.put('icon', 'x', {client: 'till-1', sequence: 1});
  assert.equal((await images.put('icon', 'x', {client: 'till-1', sequence: 1})).result, 'duplicate');
  const listed = await all(images.list({count: 1}));
  assert.deepEqual(
      [listed.length, listed.some((one) => one.hash === stored.hash), listed[0].data], [3, true, undefined]);
  assert.equal(await images.get('none'), undefined);
  assert.deepEqual([await images.omit('icon'), await images.omit('none')], ['omitted', 'absent']);
  assert.ok(['idle', 'cancelled'].includes((await images.maintain({cancel: true})).result));
  await assert.rejects(images.put('bad', 'x', {contentHash: '0'.repeat(32)}), {code: 'damaged'});
  assert.equal((await images.stats()).rows, 3);
});

test('options that there are not, and arguments that cannot be sent, are refused', async (t) => {
  const {values, images, messages} = await answeredBy(t, () => ['STORED', {result: 'stored'}]);
  const refused = (parameter) => ({code: 'bad_parameter', facts: {parameter}});
  await assert.rejects(values.set('k', 1, {colour: 1}), refused('colour'));
  await assert.rejects(values.set('k'), refused('value'));
  await assert.rejects(values.set('k', {}), refused('value'));
  await assert.rejects(values.get(), refused('key'));
  await assert.rejects(values.get(5), refused('key'));
  await assert.rejects(values.rename('a', null), refused('new_key'));
  await assert.rejects(images.put(null, 'x'), refused('key'));
  assert.throws(() => values.scan({limit: 3}), refused('limit'));
  assert.throws(() => images.list({timelimit: 3}), refused('timelimit'));
  await assert.rejects(values.get('k', {signal: AbortSignal.abort(new Error('enough'))}), {message: 'enough'});
  assert.deepEqual(messages, []);
});

test('options become parameters, and what is unconditional is numbered', async (t) => {
  const {connection, values, images, messages} = await answeredBy(t, () => ['STORED', {result: 'stored', key: 'k'}]);
  await values.set('k', 1.5, {persist: false, ttl: 9, overwrite: true});
  await values.set('k', null, {overwrite: false});
  await values.set('k', 'v', {ifTimestamp: 0, client: 'c', sequence: 7});
  await values.rename('k', Buffer.from([255]), {overwrite: true});
  await values.alias('k', 'l');
  await images.put('k', Buffer.from('x'), {contentHash: 'h'});
  const {client} = messages[0][1];
  assert.equal(typeof client, 'string');
  assert.deepEqual(messages.map(([name, params]) => [name, {...params}]), [
    ['SET', {key: 'k', value: 1.5, persist: 0, ttl: 9, overwrite: 1, table: 'v', client, sequence: 1}],
    ['SET', {key: 'k', overwrite: 0, table: 'v'}],
    ['SET', {key: 'k', value: 'v', if_timestamp: 0, client: 'c', sequence: 7, table: 'v'}],
    ['RENAME', {key: 'k', new_key_binary: Buffer.from([255]), overwrite: 1, table: 'v', client, sequence: 2}],
    ['ALIAS', {key: 'k', new_key: 'l', table: 'v'}],
    ['PUT', {key: 'k', data: Buffer.from('x'), content_hash: 'h', table: 'b', client, sequence: 3}],
  ]);
  assert.equal(connection.connects, 1);
});

test('after a loss numbered changes and reads are sent again, conditional ones are not', async (t) => {
  const {values, images, messages} = await answeredBy(t, ({command, params}, nr) => {
    if (nr === 1) return undefined;
    if (command === 'OMIT') return ['OMITTED', {result: 'omitted'}];
    return command === 'GET' ? ['NOTHING', {}] : ['STORED', {result: 'duplicate', key: params.key}];
  });
  const ends = await Promise.allSettled([
    values.add('n', 5), values.set('k', 1, {ifTimestamp: 9}), values.lock('k', 9), values.get('k'),
    images.put('k', 'x'), images.omit('k'), images.maintain()
  ]);
  assert.deepEqual(
      ends.map((end) => end.reason?.code ?? end.value?.result ?? end.value),
      ['duplicate', 'closed', 'closed', undefined, 'duplicate', 'omitted', 'closed']);
  assert.deepEqual(messages.filter(([, , nr]) => nr === 2).map(([name]) => name), ['ADD', 'GET', 'PUT', 'OMIT']);
});

test('an answer that is another one is refused', async (t) => {
  let said;
  const {values, images} = await answeredBy(t, () => said);
  const invalid = {code: 'invalid'};
  said = ['STORED', {result: 'lost'}];
  await assert.rejects(values.set('k', 1), invalid);
  said = ['PAIR', {key: 'k'}];
  await assert.rejects(values.set('k', 1), invalid);
  await assert.rejects(images.get('k'), invalid);
  await assert.rejects(all(images.list()), invalid);
  // As in a line of text.
  said = ['PAIR', {key: 'k', type: 'void', timestamp: '5', expiration_date: '6', locked: '1', worked_on: '0'}];
  assert.deepEqual(
      await values.get('k'),
      {key: 'k', type: 'void', value: null, timestamp: 5, expirationDate: 6, locked: true, workedOn: false});
  said = ['BLOB', {result: 'absent'}];
  assert.equal(await images.get('k'), undefined);
});
