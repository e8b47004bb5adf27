// Tables that live on several daemons: nodes of this test that answer `moved`, `unavailable`, UNLISTENED, or nothing.
import assert from 'node:assert/strict';
import net from 'node:net';
import {test} from 'node:test';
import {Worker} from 'node:worker_threads';

import {connect} from '../index.js';
import {Line} from '../lib/line.js';
import {Link} from '../lib/link.js';
import {addressesOf, movedOf, retryOf, Route} from '../lib/routes.js';

import {closedAfter} from './daemon.js';
import {frameOf, readFrom} from './pretender.js';

const soon = [20, 20, 50];

// One address. `answer(node, message, reply)` is called for each message, `reply(command, params)` answers it.
class Node {
  constructor(answer) {
    this.seen = [];
    this.sockets = new Set();
    this.isSilent = false;
    this.server = net.createServer((socket) => {
      this.sockets.add(socket);
      readFrom(socket, (message) => {
        this.seen.push(message);
        const reply = (command, params) => socket.write(frameOf(command, params, message.params.request));
        if (!this.isSilent) answer(this, message, reply);
      });
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  push(command, params) {
    const words = Object.entries(params).map(([name, value]) => `${name}=${value}`);
    for (const socket of this.sockets) socket.write(`${command} ${words.join(';')}\n`);
  }

  async start() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.address = `127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.server.close(resolve));
  }

  ns(command) { return this.seen.filter((one) => one.command === command).map((one) => one.params.n); }
}

// Nodes that share table `t`: `owner` of them decides, or nobody. What was taken is in `rows`.
class Nodes {
  constructor() {
    this.owner = 0;
    this.token = 1;
    this.retry = 20;
    this.rows = new Map();
    this.nodes = [];
  }

  async start(t, count) {
    for (let i = 0; i < count; ++i) this.nodes.push(await new Node((...of) => this.answer(...of)).start());
    t.after(() => Promise.all(this.nodes.map((node) => node.stop())));
    return this;
  }

  get addresses() { return this.nodes.map((node) => node.address).join(','); }

  move(to) {
    this.owner = to;
    ++this.token;
  }

  facts() {
    if (this.owner === undefined) return {code: 'unavailable', message: 'nobody decides', retry: String(this.retry)};
    const {address} = this.nodes[this.owner];
    return {code: 'moved', message: 'another decides', address, node: 'n', token: String(this.token)};
  }

  answer(node, {command, params}, reply) {
    if (params.table === 't' && node !== this.nodes[this.owner]) return reply('ERROR', this.facts());
    if (command === 'ALIVE') return reply('ABSOLUTELY', {});
    if (command !== 'INSERT') return reply(`${command}_OK`, {});
    const id = params.client === undefined ? `row ${this.rows.size}` : `${params.client} ${params.sequence}`;
    const result = this.rows.has(id) ? 'duplicate' : 'inserted';
    this.rows.set(id, (this.rows.get(id) ?? 0) + 1);
    return reply('INSERTED', {row: this.rows.size, result});
  }
}

// Nobody can connect to it, and nobody is refused: as a computer without power, to which a network still leads. Its thread
// listens and is then blocked until the test ends, and the queue of those that wait to be accepted is full.
async function deafFor(t) {
  const isOver = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(
      `
    const {parentPort, workerData} = require('node:worker_threads');
    const server = require('node:net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(workerData, 0, 0);
      process.exit();
    });`,
      {eval: true, workerData: isOver});
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  const port = await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
  // These are all that it takes.
  const waiting = [1, 2].map(() => net.connect(port, '127.0.0.1').on('error', () => {}));
  t.after(() => {
    for (const socket of waiting) socket.destroy();
    Atomics.store(isOver, 0, 1);
    Atomics.notify(isOver, 0);
    return ended;
  });
  await Promise.all(waiting.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  return `127.0.0.1:${port}`;
}

// Longer work of the program, without a turn of the event loop.
function block(milliseconds) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds); }

// Until it is true, and not for ever.
async function until(what) {
  const end = performance.now() + 10_000;
  while (!what()) {
    assert.ok(performance.now() < end, 'it did not come in time');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('what daemons say about nodes is read', () => {
  assert.deepEqual(addressesOf('a:1, b:2'), ['a:1', 'b:2']);
  assert.deepEqual(movedOf({params: {address: 'b:1', token: '7'}}, 'a:1'), {address: 'b:1', token: 7});
  assert.deepEqual(movedOf({params: {address: 'b:1'}}, 'tls:a:1'), {address: 'tls:b:1', token: undefined});
  assert.equal(movedOf({params: {address: 'unix:/b'}}, 'tls:a:1').address, 'unix:/b');
  assert.equal(retryOf({params: {code: 'unavailable', retry: '0'}}), 20);
  assert.equal(retryOf({params: {code: 'unavailable'}}), undefined);
  const home = new Line({}, 'a:1');
  const route = new Route(home);
  assert.equal(route.follow({address: 'b:1', token: 7}, home, home), true);
  const other = route.line = new Line({}, 'b:1');
  // An older token is not followed, and neither is an unknown address.
  assert.equal(route.follow({address: 'c:1', token: 6}, other, home), false);
  assert.equal(route.address, 'b:1');
  assert.equal(route.follow({address: 'c:1', token: 8}, other, home), true);
  assert.equal(route.line, undefined);
});

test('a moved table is followed, whatever the command, and others stay at home', async (t) => {
  const all = await new Nodes().start(t, 2);
  const [a, b] = all.nodes;
  const connection = closedAfter(t, await connect({server: a.address}));
  all.move(1);
  const [row, released, own] = await Promise.all([
    connection.call('INSERT', {table: 't', n: 1}),
    connection.call('RELEASE', {table: 't', row: 1, epoch: 1}),
    connection.call('INSERT', {table: 'own', n: 2}),
  ]);
  // Neither may be sent twice after a loss; nothing was done by the first one.
  assert.deepEqual([row.resent, released.first.command, own.resent], [false, 'RELEASE_OK', false]);
  await connection.call('INSERT', {table: 't', n: 3});
  await connection.call('INSERT', {table: 'own', n: 4});
  assert.deepEqual(b.ns('INSERT'), [1, 3]);
  assert.deepEqual(a.ns('INSERT'), [1, 2, 4]);
  assert.equal(connection.connects, 2);
  all.move(0);
  await connection.call('INSERT', {table: 't', n: 5});
  assert.deepEqual(a.ns('INSERT'), [1, 2, 4, 5]);
  // Of no table: its sender decides.
  const {answer} = all;
  all.answer = (node, message, reply) =>
      message.command === 'TRANSACTION' ? reply('ERROR', all.facts()) : answer.call(all, node, message, reply);
  await assert.rejects(connection.transaction([['INSERT', {table: 't', n: 7}]]), {code: 'moved'});
});

test('the commands of a table keep their order', async (t) => {
  const held = [];
  const a = await new Node((node, message, reply) => held.push(reply)).start();
  const b = await new Node((node, message, reply) => reply('INSERTED', {row: 1, result: 'inserted'})).start();
  t.after(() => Promise.all([a.stop(), b.stop()]));
  const connection = closedAfter(t, await connect({server: a.address}));
  const calls = [0, 1, 2].map((n) => connection.call('INSERT', {table: 't', n}));
  await until(() => held.length === 3);
  const moved = () => held.shift()('ERROR', {code: 'moved', message: 'x', address: b.address, token: '7'});
  moved();
  await until(() => b.ns('INSERT').length === 1);
  calls.push(connection.call('INSERT', {table: 't', n: 3}));
  moved();
  moved();
  await Promise.all(calls);
  assert.deepEqual(b.ns('INSERT'), [0, 1, 2, 3]);
});

test('nodes that point at each other are asked after pauses, until the time limit', async (t) => {
  const nodes = [];
  const answer = (node, message, reply) => {
    const {address} = nodes[node === nodes[0] ? 1 : 0];
    reply('ERROR', {code: 'moved', message: 'x', address, token: '7'});
  };
  nodes.push(await new Node(answer).start(), await new Node(answer).start());
  t.after(() => Promise.all(nodes.map((node) => node.stop())));
  const connection = closedAfter(t, await connect({server: nodes[0].address}));
  // The last attempt may be under way then.
  const {code} = await connection.call('INSERT', {table: 't'}, {timeLimit: 600}).catch((error) => error);
  assert.ok(['moved', 'timed_out'].includes(code), code);
  const asked = nodes[0].seen.length + nodes[1].seen.length;
  assert.ok(asked > 3 && asked < 30, `${asked}`);
});

test('while nobody decides commands are sent again, and only so long', async (t) => {
  const all = await new Nodes().start(t, 1);
  const connection = closedAfter(t, await connect({server: all.addresses}));
  all.move(undefined);
  const call = connection.call('RELEASE', {table: 't', row: 1, epoch: 1});
  await until(() => all.nodes[0].seen.length > 2);
  all.move(0);
  assert.equal((await call).first.command, 'RELEASE_OK');
  all.move(undefined);
  all.retry = 60_000;
  await assert.rejects(
      connection.call('INSERT', {table: 't'}, {timeLimit: 500}), {code: 'unavailable', message: 'nobody decides'});
});

test('what was refused keeps its order, whatever the pauses are', async (t) => {
  const held = [];
  const a = await new Node((node, message, reply) => held.push(reply)).start();
  t.after(() => a.stop());
  const connection = closedAfter(t, await connect({server: a.address}));
  const refuse = (retry) => held.shift()('ERROR', {code: 'unavailable', message: 'nobody decides', retry});
  const take = () => held.shift()('INSERTED', {row: 1, result: 'inserted'});
  const calls = [0, 1].map((n) => connection.call('INSERT', {table: 't', n}));
  await until(() => held.length === 2);
  refuse(200);
  refuse(20);
  await until(() => held.length === 2);
  assert.deepEqual(a.ns('INSERT'), [0, 1, 0, 1]);
  take();
  take();
  await Promise.all(calls);
  // Of a batch nothing is sent again before all answers to the first attempt are there: they would be taken for others.
  const batch = connection.journal('t').putMany([{n: 2}, {n: 3}]);
  await until(() => held.length === 2);
  refuse(20);
  const clock = connection.call('INSERT', {table: 'other', n: 9});
  await until(() => held.length === 2);
  held.pop()('ERROR', {code: 'unavailable', message: 'nobody decides', retry: 100});
  await until(() => held.length === 2);
  assert.deepEqual(a.ns('INSERT').slice(4), [2, 3, 9, 9]);
  held.pop()('INSERTED', {row: 1, result: 'inserted'});
  await clock;
  refuse(20);
  await until(() => held.length === 2);
  take();
  take();
  assert.equal((await batch).inserted, 2);
  assert.deepEqual(a.ns('INSERT').slice(8), [2, 3]);
});

test('one that knows nobody is asked four times, then the next one is', async (t) => {
  const all = await new Nodes().start(t, 2);
  const [a, b] = all.nodes;
  // The first one is cut off from the others.
  a.isCutOff = true;
  const {answer} = all;
  all.answer = (node, message, reply) => node.isCutOff ?
      reply('ERROR', {code: 'unavailable', message: 'cut off', retry: '20'}) :
      answer.call(all, node, message, reply);
  all.move(1);
  const connection = closedAfter(t, await connect({server: all.addresses}));
  await connection.call('INSERT', {table: 't', n: 1});
  assert.equal(a.seen.length, 4);
  assert.deepEqual(b.ns('INSERT'), [1]);
});

test('a listener is moved, and told what comes at the other node', async (t) => {
  const all = await new Nodes().start(t, 2);
  const [a, b] = all.nodes;
  const connection = closedAfter(t, await connect({server: a.address}));
  const notices = connection.journal('t').listen();
  await notices.listening;
  all.move(1);
  a.push('UNLISTENED', {table: 't', ...all.facts()});
  await until(() => b.seen.some((one) => one.command === 'LISTEN'));
  b.push('LISTEN', {table: 't', ready: 1});
  assert.equal((await notices.next()).value.ready, 1);
  // Nobody decides, then the first one does; the second one is told last of all.
  all.move(undefined);
  const before = a.seen.length;
  b.push('UNLISTENED', {table: 't', ...all.facts()});
  await until(() => b.seen.filter((one) => one.command === 'LISTEN').length > 2);
  all.move(0);
  await until(() => a.seen.length > before);
  a.push('LISTEN', {table: 't', ready: 2});
  assert.equal((await notices.next()).value.ready, 2);
  await notices.return();
  await until(() => a.seen.some((one) => one.command === 'UNLISTEN'));
  // Its end for another reason is one.
  const again = connection.journal('t').listen();
  await again.listening;
  a.push('UNLISTENED', {table: 't'});
  await assert.rejects(again.next(), {code: 'unknown_table'});
});

test('putMany goes on while its table moves, and each row counts once', async (t) => {
  const all = await new Nodes().start(t, 3);
  const connection = closedAfter(t, await connect({server: all.nodes[0].address}));
  async function* rows() {
    for (let i = 0; i < 20_000; ++i) {
      if (i % 4_000 === 3_000) all.move(i % 3 === 0 ? undefined : Math.floor(i / 4_000) % 3);
      if (i % 4_000 === 3_500 && all.owner === undefined) all.move(2);
      if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      yield {name: `n${i}`};
    }
  }
  const counts = await connection.journal('t').putMany(rows());
  assert.deepEqual([counts.rows, counts.refused, counts.inserted + counts.duplicate], [20_000, 0, 20_000]);
  assert.equal(all.rows.size, 20_000);
  assert.ok(all.nodes.every((node) => node.ns('INSERT').length > 0));
});

test('the first server that answers is home, and after a loss the next', async (t) => {
  const all = await new Nodes().start(t, 3);
  const [a, b, c] = all.nodes;
  await a.stop();
  const started = performance.now();
  // A pause would be longer than this test.
  const connection = closedAfter(t, await connect({server: all.addresses, backOff: [60_000]}));
  await connection.call('INSERT', {table: 'own', n: 1});
  await b.stop();
  await connection.call('INSERT', {table: 'own', n: 2, client: 'c', sequence: 1});
  assert.deepEqual([b.ns('INSERT'), c.ns('INSERT')], [[1], [2]]);
  assert.ok(performance.now() - started < 20_000);
  await connection.close();
  await c.stop();
  await assert.rejects(connect({server: all.addresses}), (error) => {
    assert.equal(error.code, 'unavailable');
    for (const {address} of all.nodes) assert.ok(error.message.includes(address), error.message);
    return true;
  });
});

test('a node that is lost is looked for through home, and what may be sent twice goes on', async (t) => {
  const all = await new Nodes().start(t, 3);
  const [, b, c] = all.nodes;
  const connection = closedAfter(t, await connect({server: all.nodes[0].address}));
  all.move(1);
  await connection.call('INSERT', {table: 't', n: 1});
  b.isSilent = true;
  const calls = [
    connection.call('INSERT', {table: 't', n: 2, client: 'c', sequence: 1}),
    connection.call('INSERT', {table: 't', n: 3}),
  ];
  await until(() => b.ns('INSERT').length === 3);
  all.move(2);
  for (const socket of b.sockets) socket.destroy();
  const [numbered, plain] = await Promise.allSettled(calls);
  assert.equal(numbered.value.resent, true);
  assert.equal(plain.reason.code, 'closed');
  assert.deepEqual(c.ns('INSERT'), [2]);
});

test('a node that says nothing is given up, and a slow command is waited for', async (t) => {
  const all = await new Nodes().start(t, 2);
  const [a, b] = all.nodes;
  const connection = closedAfter(t, await connect({server: all.addresses, silenceLimit: 200}));
  const told = [];
  const silent = connection.call('INSERT', {table: 'own', n: 1, client: 'c', sequence: 1});
  a.isSilent = true;
  await silent.then(() => told.push('answered'));
  assert.deepEqual([told, b.ns('INSERT')], [['answered'], [1]]);
  // One that listens and owes nothing is asked, and given up as well.
  const notices = connection.journal('own').listen();
  await notices.listening;
  b.isSilent = true;
  a.isSilent = false;
  await until(() => a.seen.some((one) => one.command === 'LISTEN'));
  assert.ok(b.seen.some((one) => one.command === 'ALIVE'));
  // It was to wait for so long.
  const {size} = a.sockets;
  a.isSilent = true;
  await assert.rejects(connection.call('NEXT', {table: 'own', wait: 500}, {timeLimit: 100}), {code: 'timed_out'});
  assert.equal(a.sockets.size, size);
});

// A connection may take far longer than the silence of a node.
test('a node that does not accept keeps nobody from others', async (t) => {
  const deaf = await deafFor(t);
  const all = await new Nodes().start(t, 1);
  const started = performance.now();
  const server = `${deaf},${all.addresses}`;
  const connection = closedAfter(t, await connect({server, connectLimit: 10_000, silenceLimit: 50}));
  await connection.call('INSERT', {table: 't', n: 1});
  assert.ok(performance.now() - started < 8_000);
  // Alone, it has all of its time.
  await assert.rejects(connect({server: deaf, connectLimit: 100, silenceLimit: 50}), /no answer within 100 ms/);
});

// The others may still name it.
test('a node that was given up is tried for a moment', async (t) => {
  const deaf = await deafFor(t);
  const all = await new Nodes().start(t, 1);
  const {answer} = all;
  let named = 0;
  all.answer = (node, message, reply) => ++named > 3 ?
      answer.call(all, node, message, reply) :
      reply('ERROR', {code: 'moved', message: 'another decides', address: deaf, token: '1'});
  // Once, with a pause of the same length; what follows is shorter.
  const options = {server: all.addresses, connectLimit: 20_000, silenceLimit: 1_000, timeLimit: 5_000};
  const connection = closedAfter(t, await connect(options));
  await connection.call('INSERT', {table: 't', n: 1});
  assert.equal(named, 4);
});

test('a node is doubted for some seconds, or until it connects', {timeout: 10_000}, async (t) => {
  const take = (node, message, reply) => reply('INSERTED', {row: 1, result: 'inserted'});
  let askedIt;
  const isAsked = new Promise((resolve) => askedIt = resolve);
  const nodes = await Promise.all([askedIt, take, take].map((answer) => new Node(answer).start()));
  t.after(() => Promise.all(nodes.map((node) => node.stop())));
  const [a, b, c] = nodes.map((node) => node.address);
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const link = new Link({server: `${a},${b},${c}`, connectLimit: 3_000, silenceLimit: 1_000});
  t.after(() => link.close());
  const limits = () => [a, b, c].map((address) => link.limitOfConnect(address));
  for (const address of [b, c]) link.doubtNode(address);
  assert.deepEqual(limits(), [1_000, 200, 200]);
  await link.open();
  const call = link.call('INSERT', {table: 't', n: 1, client: 'c', sequence: 1});
  await isAsked;
  now += 1_000;
  link.giveUpSilent();
  await call;
  // It goes on at the next one.
  assert.deepEqual(limits(), [200, 1_000, 200]);
  now += 4_000;
  assert.deepEqual(limits(), [200, 1_000, 1_000]);
  link.doubtNode(b);
  assert.deepEqual([...link.doubted.keys()], [a, b]);
});

test('an answer that arrived while the program was busy counts', async (t) => {
  const all = await new Nodes().start(t, 2);
  const {answer} = all;
  all.answer = (...of) => {
    answer.apply(all, of);
    block(300);
  };
  const connection = closedAfter(t, await connect({server: all.addresses, silenceLimit: 200}));
  await connection.call('INSERT', {table: 'own', n: 1});
  assert.equal(connection.connects, 1);
});

test('a connection that was made while the program was busy is made', async (t) => {
  const all = await new Nodes().start(t, 1);
  const link = new Link({server: all.addresses, connectLimit: 1});
  t.after(() => link.close());
  const opened = link.open();
  await new Promise((resolve) => process.nextTick(resolve));
  block(10);
  await opened;
});

test('a worker goes on with its row at the other node', async (t) => {
  const all = await new Nodes().start(t, 2);
  const [, b] = all.nodes;
  const {answer} = all;
  let rows = 0;
  all.answer = (node, message, reply) => {
    const isHere = node === all.nodes[all.owner];
    if (!isHere || !['NEXT', 'TOUCH', 'DONE'].includes(message.command)) return answer.call(all, node, message, reply);
    const row = {table: 't', row: 1, epoch: 5, lease_end: 9e12};
    if (message.command === 'NEXT') return rows++ === 0 ? reply('ROW', {...row, left: 0}) : undefined;
    return reply(message.command === 'TOUCH' ? 'TOUCHED' : 'COMPLETED', row);
  };
  const connection = closedAfter(t, await connect({server: all.addresses}));
  const end = new AbortController();
  const counts = await connection.worker('t', async () => {
    all.move(1);
    await connection.call('INSERT', {table: 't', n: 1});
    // Its lease is told to the new node.
    await until(() => b.seen.some((one) => one.command === 'TOUCH'));
    end.abort();
  }, {signal: end.signal, lease: 600_000});
  assert.equal(counts.done, 1);
  assert.ok(b.seen.some((one) => one.command === 'DONE'));
});
