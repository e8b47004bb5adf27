// Connections that end, daemons that are killed, and daemons that answer what they should not.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {connect} from '../index.js';

import {clientFor, closedAfter, Daemon, daemonFor} from './daemon.js';
import {frameOf, pretender} from './pretender.js';

const soon = [20, 20, 50];

test('kill -9 of the daemon neither loses nor doubles a row of putMany', async (t) => {
  const daemon = await daemonFor(t);
  const address = daemon.tcp;
  const connection = closedAfter(t, await connect({server: address, backOff: soon}));
  const jobs = connection.journal('jobs');
  const kills = [20_000, 45_000];
  let killed = 0;
  async function* rows() {
    for (let i = 0; i < 60_000; ++i) {
      if (i === kills[killed]) {
        ++killed;
        await daemon.end('SIGKILL');
        await daemon.start(address);
      }
      yield {name: `n${i}`};
    }
  }
  const counts = await jobs.putMany(rows());
  assert.equal(killed, 2);
  assert.ok(connection.connects >= 3);
  // A second insert of a name would be merged: each has arrived once.
  assert.deepEqual([counts.rows, counts.merged, counts.refused], [60_000, 0, 0]);
  assert.equal(counts.inserted + counts.duplicate, 60_000);
  assert.equal((await jobs.stats()).rows, 60_000);
});

test('a subscription is there again after a loss', async (t) => {
  const daemon = await daemonFor(t);
  const address = daemon.tcp;
  const told = [];
  const connection =
      closedAfter(t, await connect({server: address, backOff: soon, onConnection: (error) => told.push(error?.code)}));
  const jobs = connection.journal('jobs');
  const notices = jobs.listen({mode: 'row'});
  await notices.listening;
  await daemon.end('SIGKILL');
  await daemon.start(address);
  await jobs.put({name: 'a'}, {client: 'one', sequence: 1});
  assert.equal((await notices.next()).value.row.columns.name, 'a');
  assert.deepEqual(told, ['closed', undefined]);
});

test('where a table has no room for names, puts and sends have none', async (t) => {
  // Of two places one origin has one.
  const most = '<clients-max>2</clients-max>';
  const daemon = new Daemon({options: most});
  t.after(() => daemon.remove());
  daemon.write('tables/post.xml', `<table name="post" model="queue"><queues>orders</queues>${most}</table>`);
  await daemon.start();
  const connections = [];
  for (const names of [['a', 'b'], ['c', 'd']]) {
    const connection = closedAfter(t, await connect({server: daemon.tcp}));
    connections.push(connection);
    for (const name of names) {
      assert.equal((await connection.journal('jobs').put({name})).result, 'inserted');
      assert.equal((await connection.queues('post').send('orders', name)).queues, 1);
    }
  }
  const {clients, client_sequences: numbers, rows} = await connections[0].journal('jobs').stats();
  assert.deepEqual([rows, clients, numbers], [4, 1, 2]);
  await assert.rejects(
      connections[1].journal('jobs').put({name: 'e'}, {client: 'another', sequence: 1}), {code: 'over_limit'});
});

test('only what may be sent twice is sent again', async (t) => {
  const server = await pretender(t, (message, socket, nr) => {
    if (nr === 1 && message.params.last) socket.destroy();
    if (nr === 1) return;
    const {request} = message.params;
    if (message.command === 'DONE')
      socket.write(frameOf('ERROR', {code: 'unknown_row', message: 'gone'}, request));
    else
      socket.write(
          frameOf(message.command === 'INSERT' ? 'INSERTED' : 'STATS', {row: 1, result: 'duplicate'}, request));
  });
  const connection = closedAfter(t, await connect({server, backOff: soon}));
  const ends = await Promise.allSettled([
    connection.call('INSERT', {table: 't', name: 'a'}),
    connection.call('INSERT', {table: 't', name: 'a', client: 'c', sequence: 1}),
    connection.call('DONE', {table: 't', row: 1, epoch: 1}),
    connection.call('KICK', {table: 't', row: 1}),
    connection.call('PUT', {table: 't', key: 'k', data: ''}),
    connection.call('PUT', {table: 't', key: 'k', data: '', client: 'c', sequence: 2}),
    connection.call('OMIT', {table: 't', key: 'k'}),
    connection.call('STATS', {last: 1}),
  ]);
  assert.deepEqual(
      ends.map((end) => end.reason?.code ?? end.value.first.command),
      ['closed', 'INSERTED', 'COMPLETED', 'closed', 'closed', 'STATS', 'STATS', 'STATS']);
  assert.match(ends[0].reason.message, /whether INSERT was carried out is not known/);
  assert.equal(ends[1].value.resent, true);
});

test('without an answer a command times out, and a late row is given back', async (t) => {
  let answer;
  let released;
  const server = await pretender(t, (message, socket) => {
    if (message.command === 'NEXT')
      answer = () => socket.write(frameOf('ROW', {table: 't', row: 5, epoch: 9, left: 0}, message.params.request));
    if (message.command === 'RELEASE') released = message.params;
    if (message.command === 'PEEK') socket.write(frameOf('ROW', {}, message.params.request));
  });
  const connection = closedAfter(t, await connect({server}));
  await assert.rejects(connection.journal('t').next({timeLimit: 500}), {code: 'timed_out'});
  answer();
  // Two turns: what the first one brings is answered before the second.
  for (let turn = 0; turn < 2; ++turn) await connection.call('PEEK');
  assert.deepEqual({...released, request: 0}, {table: 't', row: 5, epoch: 9, request: 0});
});

test('a put and a send whose answer is lost are sent again with their number', async (t) => {
  const seen = [];
  const server = await pretender(t, ({command, params}, socket) => {
    seen.push([command, params.client, params.sequence]);
    if (seen.length % 2 === 1) return socket.destroy();
    const answer = command === 'INSERT' ? ['INSERTED', {row: 7, result: 'duplicate'}] :
                                          ['SENT', {message: 8, queues: 1, result: 'duplicate'}];
    socket.write(frameOf(...answer, params.request));
    return undefined;
  });
  const connection = closedAfter(t, await connect({server, backOff: soon}));
  assert.equal((await connection.journal('t').put({a: 1})).row, 7);
  assert.equal((await connection.queues('q').send('orders', 'x')).message, 8);
  assert.equal((await connection.journal('t').put({a: 1})).row, 7);
  const names = new Set(seen.map(([, client]) => client));
  assert.equal(names.size, 1);
  assert.match([...names][0], /^client-[0-9a-f]{32}$/);
  assert.deepEqual(
      seen.map(([command, , sequence]) => [command, sequence]),
      [['INSERT', 1], ['INSERT', 1], ['SEND', 2], ['SEND', 2], ['INSERT', 3], ['INSERT', 3]]);
});

test('what has arrived of an answer is given back if its caller is gone, or gets an error', async (t) => {
  const leases = {
    NEXT: ['ROW', {row: 5, epoch: 6}],
    DONE: ['ROW', {row: 5, epoch: 6}],
    ACQUIRE: ['MESSAGE', {message: 5, epoch: 6}],
    FOUND: ['DOCUMENT', {document: 5, token: 7}],
    CHILD: ['DOCUMENT', {document: 5, token: 7}],
  };
  let released = [];
  let arrived;
  const server = await pretender(t, (message, socket) => {
    const {command, params: {request, fails}} = message;
    if (command === 'RELEASE') released.push({...message.params, request: 0});
    if (command === 'ALIVE') socket.write(frameOf('ABSOLUTELY', {}, request));
    if (!(command in leases)) return;
    const [name, lease] = leases[command];
    socket.write(frameOf(name, {table: 't', ...lease, left: 1}, request));
    if (fails) socket.write(frameOf('ERROR', {code: 'too_large', message: 'no', left: 0}, request));
    // The answer to this one is behind it.
    arrived();
  });
  const connection = closedAfter(t, await connect({server}));
  for (const command in leases) {
    for (const fails of [0, 1]) {
      released = [];
      const aborted = new AbortController();
      const written = new Promise((resolve) => (arrived = resolve));
      const call = connection.call(command, {table: 't', fails}, {signal: aborted.signal});
      call.catch(() => {});
      await written;
      await connection.call('ALIVE');
      aborted.abort(new Error('enough'));
      await assert.rejects(call, fails ? {code: 'too_large'} : /enough/);
      await connection.call('ALIVE');
      assert.deepEqual(released, [{table: 't', ...leases[command][1], request: 0}], command);
    }
  }
});

test('an aborted command is rejected with the reason', async (t) => {
  const server = await pretender(t, () => {});
  const connection = closedAfter(t, await connect({server}));
  const aborted = new AbortController();
  const reason = new Error('enough');
  const call = connection.call('STATS', {}, {signal: aborted.signal});
  aborted.abort(reason);
  await assert.rejects(call, reason);
});

test('a daemon that is away is unavailable within the time limit', async (t) => {
  await assert.rejects(connect({server: '127.0.0.1:1'}), {code: 'unavailable'});
  await assert.rejects(connect({server: 'nowhere'}), {code: 'bad_parameter'});
  const {daemon, connection} = await clientFor(t, undefined, {backOff: soon});
  await daemon.end('SIGKILL');
  await assert.rejects(connection.call('STATS', {}, {timeLimit: 200}), {code: 'unavailable'});
  await assert.rejects(
      connection.journal('jobs').putMany([{name: 'a'}, {name: 'b'}], {client: 'c', timeLimit: 200}), (error) => {
        assert.equal(error.code, 'unavailable');
        assert.deepEqual(error.facts, {client: 'c', sequence: 1, nr: 0});
        return true;
      });
});

test('more in flight than allowed is refused', async (t) => {
  const server = await pretender(t, () => {});
  const connection = await connect({server, inFlightMax: 2, inFlightBytesMax: 1000});
  const first = assert.rejects(connection.call('STATS'), {code: 'closed'});
  await assert.rejects(connection.call('INSERT', {name: 'x'.repeat(2000)}), {code: 'over_limit'});
  const second = assert.rejects(connection.call('STATS'), {code: 'closed'});
  await assert.rejects(connection.call('STATS'), {code: 'over_limit'});
  await connection.close();
  await Promise.all([first, second]);
  await assert.rejects(connection.call('STATS'), {code: 'closed'});
});

test('answers that nobody asked for, out of order or too large harm only their command', async (t) => {
  const server = await pretender(t, (message, socket) => {
    const {request} = message.params;
    socket.write(frameOf('ROW', {row: 1}, 999_999));
    if (message.command === 'A')
      socket.write(Buffer.concat([Buffer.from('464a4d0100000001c0', 'hex'), frameOf('OK', {}, request)]));
    if (message.command === 'B')
      for (let i = 0; i < 40; ++i) socket.write(frameOf('ROW', {left: 39 - i, bytes: Buffer.alloc(1000)}, request));
    if (message.command === 'C') socket.write(frameOf('OK', {bytes: Buffer.alloc(30_000)}, request));
    if (message.command === 'D') socket.write(frameOf('OK', {}, request));
  });
  const connection = closedAfter(t, await connect({server, messageBytesMax: 20_000}));
  await assert.rejects(connection.call('A'), {code: 'invalid'});
  await assert.rejects(connection.call('B'), {code: 'too_large'});
  await assert.rejects(connection.call('C'), {code: 'too_large'});
  assert.equal((await connection.call('D')).first.command, 'OK');
});

test('a batch that is answered out of order is sent again on a new connection', async (t) => {
  const again = [];
  const server = await pretender(t, (message, socket, nr) => {
    const {request, sequence} = message.params;
    if (nr === 2) again.push(sequence);
    if (nr === 1 && sequence === 2) return;
    socket.write(frameOf('INSERTED', {result: 'inserted', row: sequence}, request));
  });
  const connection = closedAfter(t, await connect({server, backOff: soon}));
  const counts = await connection.journal('t').putMany([{name: 'a'}, {name: 'b'}, {name: 'c'}]);
  assert.equal(counts.inserted, 3);
  assert.equal(connection.connects, 2);
  assert.deepEqual(again, [2, 3]);
});

test('pushes beyond the limit are dropped, and leased rows given back', async (t) => {
  let released = 0;
  let enough;
  const all = new Promise((resolve) => (enough = resolve));
  const server = await pretender(t, (message, socket) => {
    if (message.command === 'RELEASE' && ++released === 15) enough();
    if (message.command !== 'LISTEN') return;
    socket.write(frameOf('LISTENING', {table: 't'}, message.params.request));
    // Pushes have no request: 0 would be one.
    for (let i = 0; i < 25; ++i) socket.write(`ROW table=t;row=${i};epoch=1\n`);
  });
  const connection = closedAfter(t, await connect({server, pushesMax: 10}));
  const notices = connection.journal('t').listen({mode: 'deliver'});
  await all;
  assert.equal(connection.pushesDropped, 15);
  assert.equal((await notices.next()).value.row.row, 0);
});
