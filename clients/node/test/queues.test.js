// Queue tables: the calls with the real daemon, consumers, and what is sent again after a loss.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {connect, GiveUp} from '../index.js';

import {all, clientFor, closedAfter} from './daemon.js';
import {frameOf, pretender} from './pretender.js';

async function postOf(t, given) {
  const client = await clientFor(t, given, {backOff: [20]});
  return {...client, post: client.connection.queues('post')};
}

test('a message is sent, acquired, renewed and accepted', async (t) => {
  const {post} = await postOf(t);
  const sent = await post.send('orders', 'vier Pizze ä', {properties: {table: '7ä'}, priority: 20});
  assert.deepEqual([sent.result, sent.queues], ['sent', 1]);
  const {messages: [message]} = await post.acquire({queue: 'orders', worker: 'w1', lease: 30_000, wait: 5_000});
  assert.deepEqual([message.message, message.queue, message.priority], [sent.message, 'orders', 20]);
  assert.deepEqual([message.body, message.text, message.bytes], ['vier Pizze ä', 'vier Pizze ä', 13]);
  assert.deepEqual([message.properties, message.redelivered, message.status], [{table: '7ä'}, false, undefined]);
  assert.ok((await post.touch(message, {lease: 50_000})) > message.leaseEnd);
  const shown = await post.read(message);
  assert.deepEqual(
      [shown.status, shown.worker, shown.epoch, shown.body], ['acquired', 'w1', message.epoch, message.body]);
  assert.equal((await post.why(message)).state, 'acquired');
  await post.accept(message);
  await assert.rejects(post.accept(message), {code: 'unknown_row'});
  assert.deepEqual((await post.acquire()).messages, []);
  assert.equal((await post.stats()).accepted, 1);
});

test('bytes are bytes, and parts of them are read', async (t) => {
  const {post} = await postOf(t);
  const sent = await post.send('orders', Buffer.from([0, 255, 128, 97, 98]));
  assert.deepEqual([...(await post.read(sent.message, {offset: 1, length: 2})).body], [255, 128]);
  const {messages: [message]} = await post.acquire();
  assert.deepEqual([...message.body], [0, 255, 128, 97, 98]);
  assert.deepEqual(message.properties, {});
  await post.accept(message);
  await post.send('orders');
  assert.equal((await post.acquire({accept: true})).messages[0].body, '');
  assert.equal((await post.stats()).rows, 0);
});

test('dates, expiry and unknown options', async (t) => {
  const {post} = await postOf(t);
  await post.send('orders', 'later', {processDate: '+3600000', expirationDate: new Date(Date.now() + 7_200_000)});
  const {messages, nextDate} = await post.acquire({queue: 'orders'});
  assert.deepEqual(messages, []);
  assert.ok(nextDate > Date.now() + 3_500_000);
  const [message] = await all(post.browse());
  assert.deepEqual([message.status, message.body, message.bytes], ['waiting', undefined, 5]);
  assert.ok(message.expirationDate > message.processDate);
  await assert.rejects(post.send('orders', 'x', {colour: 1}), {code: 'bad_parameter', facts: {parameter: 'colour'}});
  assert.throws(() => post.listen({domain: 'x'}), {code: 'bad_parameter'});
});

test('what fails is released, dead or parked', async (t) => {
  const {post} = await postOf(t);
  assert.equal(await post.declare('mails', {deadLetters: 'failed', maxDeliveries: 2}), 'made');
  assert.equal(await post.declare('mails'), 'unchanged');
  await post.send('mails', 'one');
  const next = async () => (await post.acquire({queue: 'mails'})).messages[0];
  assert.equal((await post.release(await next())).fate, 'released');
  const again = await next();
  assert.deepEqual([again.redelivered, again.deliveries], [true, 0]);
  assert.ok((await post.release(again, {error: 'no luck'})).processDate > 0);
  assert.deepEqual(
      await post.release(await next(), {failed: true}), {fate: 'dead', processDate: undefined, queue: 'failed'});
  const [dead] = await all(post.browse({queue: 'failed'}));
  assert.deepEqual([dead.deadOf, dead.error], ['mails', 'no luck']);
  assert.equal(await post.move('failed', 'mails'), 1);
  assert.equal(await post.declare('mails', {deadLetters: ''}), 'changed');
  assert.equal((await post.reject(await next(), 'never')).fate, 'parked');
  assert.deepEqual((await all(post.browse({status: 'parked'}))).map((one) => one.error), ['never']);
  assert.equal(await post.move('mails', 'mails', {status: 'parked'}), 1);
  assert.equal(await post.purge('mails'), 1);
});

test('a message is parked, looked at, kicked and deleted', async (t) => {
  const {post} = await postOf(t);
  const {message: number} = await post.send('orders', 'one', {lease: 90_000});
  const {message: later} = await post.send('orders', 'later', {processDate: '+3600000'});
  const first = async (status) => (await all(post.peek('orders', {status}))).map((one) => one.message);
  assert.deepEqual([await first(), await first('waiting'), await first('parked')], [[number], [later], []]);
  const next = async () => (await post.acquire({queue: 'orders'})).messages[0];
  const taken = await next();
  assert.equal((await post.read(number)).lease, 90_000);
  assert.equal((await post.release(taken, {priority: 7})).fate, 'released');
  const again = await next();
  assert.equal(again.priority, 7);
  await assert.rejects(post.delete(again), {code: 'wrong_state'});
  assert.equal((await post.park(again, {error: 'who ordered this?', priority: 0})).fate, 'parked');
  const [parked] = await all(post.peek('orders', {status: 'parked'}));
  assert.deepEqual([parked.message, parked.error, parked.priority], [number, 'who ordered this?', 0]);
  // A parked one first; what waits for its date when none is parked.
  assert.deepEqual(
      [await post.kickQueue('orders'), await post.kickQueue('orders', {count: 1}), await post.kickQueue('orders')],
      [1, 1, 0]);
  await post.park((await post.acquireMessage(number)).messages[0]);
  await post.kick(number, {status: 'parked'});
  await assert.rejects(post.kick(number), {code: 'wrong_state'});
  await post.delete(number);
  assert.deepEqual((await all(post.browse())).map((one) => one.message), [later]);
});

test('a paused queue hands out nothing, and several are asked at once', async (t) => {
  const {post} = await postOf(t);
  await post.send('orders', 'one', {priority: 1});
  await post.send('failed', 'two');
  assert.equal(await post.pause('orders', {until: '+3600000', reason: 'inventory'}), 'changed');
  const orders = (await all(post.queues())).find((one) => one.queue === 'orders');
  assert.deepEqual([orders.paused, orders.pauseReason], [true, 'inventory']);
  assert.ok(orders.pausedUntil > Date.now() + 3_500_000);
  assert.deepEqual((await post.acquire({queue: 'orders'})).messages, []);
  const {messages: [two]} = await post.acquire({queues: 'orders failed', count: 5});
  assert.equal(two.body, 'two');
  await post.release(two);
  assert.deepEqual([await post.resume('orders'), await post.resume('orders')], ['changed', 'unchanged']);
  const {messages} = await post.acquire({queues: 'failed orders', count: 5});
  assert.deepEqual(messages.map((one) => one.body), ['one', 'two']);
});

test('all pages of messages and of changes', async (t) => {
  const {connection, post} = await postOf(t);
  const sends = (count) => Array.from({length: count}, () => ['SEND', {table: 'post', queue: 'orders', body: 'x'}]);
  for (const count of [1000, 800]) await connection.transaction(sends(count));
  assert.equal(new Set((await all(post.browse({count: 700}))).map((one) => one.message)).size, 1800);
  assert.equal(await post.move('orders', 'failed', {count: 1200}), 1200);
  assert.equal(await post.purge('failed'), 1200);
  assert.deepEqual(
      (await all(post.queues())).map((one) => [one.queue, one.messages, one.declared]),
      [['failed', 0, true], ['orders', 600, true]]);
});

test('exchanges route to what is bound', async (t) => {
  const {post} = await postOf(t);
  assert.equal(await post.declareExchange('news', 'topic'), 'made');
  assert.equal(await post.bind('news', 'rome', {routingKey: 'italy.rome.*', declare: true}), 'made');
  assert.equal(await post.bind('news', 'all', {routingKey: '#', temporary: true}), 'made');
  assert.equal((await post.publish('news', 'italy.rome.weather', 'rain')).queues, 2);
  const {messages: [message]} = await post.acquire({queue: 'rome'});
  assert.deepEqual([message.exchange, message.routingKey], ['news', 'italy.rome.weather']);
  assert.deepEqual(
      (await all(post.exchanges())).map((one) => [one.exchange, one.kind, one.bindings]), [['news', 'topic', 2]]);
  assert.deepEqual((await all(post.bindings({queue: 'all'}))).map((one) => one.routingKey), ['#']);
  await post.unbind('news', 'rome', {routingKey: 'italy.rome.*'});
  await post.remove('all');
  const none = await post.publish('news', 'x', 'fog');
  assert.deepEqual([none.queues, none.message], [0, undefined]);
  await assert.rejects(post.publish('news', 'x', 'fog', {mandatory: true}), {code: 'not_found'});
  await post.removeExchange('news');
  await assert.rejects(post.remove('orders'), {code: 'wrong_state'});
});

test('messages join transactions of other tables', async (t) => {
  const {connection, post} = await postOf(t);
  await post.send('orders', 'one');
  const {messages: [{table, message, epoch}]} = await post.acquire();
  const both = [['ACCEPT', {table, message, epoch}], ['INSERT', {table: 'jobs', name: 'cook'}]];
  const answers = await connection.transaction(both);
  assert.deepEqual(answers.map(({command}) => command), ['ACCEPTED', 'INSERTED']);
  await assert.rejects(connection.transaction(both.reverse()), {code: 'unknown_row'});
});

test('a numbered send counts once over a kill of the daemon', async (t) => {
  const {daemon, connection, post} = await postOf(t);
  const address = daemon.tcp;
  post.numberSends();
  for (let i = 0; i < 3; ++i) {
    await daemon.end('SIGKILL');
    await daemon.start(address);
    assert.equal((await post.send('orders', `${i}`)).result, 'sent');
  }
  for (const result of ['sent', 'duplicate'])
    assert.equal((await post.send('orders', 'x', {client: 'till-1', sequence: 1})).result, result);
  assert.equal(connection.connects, 4);
  assert.equal((await post.stats()).rows, 4);
});

test('commands of queues are sent again by their rules, and a late message is released', async (t) => {
  let late;
  let released;
  const server = await pretender(t, (message, socket, nr) => {
    const {request} = message.params;
    if (nr === 1 && message.params.last) socket.destroy();
    if (nr === 1) return;
    if (message.command === 'ACCEPT') socket.write(frameOf('ERROR', {code: 'unknown_row', message: 'gone'}, request));
    if (message.command === 'SEND') socket.write(frameOf('SENT', {result: 'duplicate'}, request));
    if (message.command === 'RELEASE') released = message.params;
    if (message.command === 'BROWSE') socket.write(frameOf('NOTHING', {}, request));
    if (message.command === 'ACQUIRE')
      late = () => socket.write(frameOf('MESSAGE', {table: 't', message: 5, epoch: 9, left: 0}, request));
  });
  const connection = closedAfter(t, await connect({server, backOff: [20]}));
  const ends = await Promise.allSettled([
    connection.call('SEND', {table: 't', queue: 'q'}),
    connection.call('SEND', {table: 't', queue: 'q', client: 'c', sequence: 1}),
    connection.call('ACCEPT', {table: 't', message: 1, epoch: 1}),
    connection.call('MOVE', {table: 't', queue: 'q', to: 'r'}),
    connection.call('BROWSE', {last: 1}),
  ]);
  assert.deepEqual(
      ends.map((end) => end.reason?.code ?? end.value.first.command),
      ['closed', 'SENT', 'ACCEPTED', 'closed', 'NOTHING']);
  await assert.rejects(connection.queues('t').acquire({timeLimit: 300}), {code: 'timed_out'});
  late();
  // Two turns: what the first one brings is answered before the second.
  for (let turn = 0; turn < 2; ++turn) await connection.call('BROWSE');
  assert.deepEqual({...released, request: 0}, {table: 't', message: 5, epoch: 9, request: 0});
});

test('messages are delivered, each queue to its listener, also after a reconnect', async (t) => {
  const {daemon, post} = await postOf(t);
  const address = daemon.tcp;
  const orders = post.listen({queue: 'orders', credit: 1});
  const failed = post.listen({queue: 'failed', credit: 1});
  await Promise.all([orders.listening, failed.listening]);
  assert.throws(() => post.listen({queue: 'orders'}), {code: 'wrong_state'});
  await post.send('failed', 'two');
  await post.send('orders', 'one');
  const {value} = await orders.next();
  assert.deepEqual([value.kind, value.queue, value.message.body], ['delivered', 'orders', 'one']);
  assert.equal((await failed.next()).value.message.body, 'two');
  await daemon.end('SIGKILL');
  await daemon.start(address);
  // It has no grace: what was delivered is delivered again.
  const again = (await orders.next()).value.message;
  assert.deepEqual([again.body, again.redelivered], ['one', true]);
  await post.accept(again);
  await orders.return();
  assert.equal((await failed.next()).value.message.body, 'two');
  // What nobody has fetched is given back at the end.
  await post.send('orders', 'three');
  const other = post.listen({queue: 'orders'});
  await other.listening;
  await post.stats();
  await other.return();
  assert.equal((await post.acquire({queue: 'orders', wait: 30_000})).messages[0].body, 'three');
});

test('a waiting message is told to modes wake and row', async (t) => {
  const {post} = await postOf(t);
  const {message} = await post.send('orders', 'one');
  for await (const notice of post.listen({queue: 'orders', mode: 'wake'})) {
    assert.deepEqual([notice.kind, notice.ready, notice.queue], ['work', 1, 'orders']);
    break;
  }
  for await (const notice of post.listen({mode: 'row'})) {
    assert.deepEqual([notice.kind, notice.message.message], ['due', message]);
    break;
  }
});

test('resolved is accepted, rejected is released, GiveUp is dead', async (t) => {
  const {connection, post} = await postOf(t);
  await post.declare('orders', {deadLetters: 'failed'});
  for (const body of ['good', 'bad', 'hopeless']) await post.send('orders', body);
  const end = new AbortController();
  const errors = [];
  const counts = await connection.consumer(
      'post',
      'orders',
      async (message) => {
        if (message.body === 'bad' && message.deliveries === 0) throw new Error('not now');
        if (message.body === 'hopeless') throw new GiveUp('never');
        if (message.body === 'bad') await post.send('orders', 'last', {priority: 200});
        if (message.body === 'last') end.abort();
      },
      {concurrency: 1, signal: end.signal, onError: (error, message) => errors.push([error.message, message.body])},
  );
  assert.deepEqual(counts, {accepted: 3, released: 1, dead: 1, parked: 0, deleted: 0, lost: 0});
  assert.deepEqual(errors, [['not now', 'bad'], ['never', 'hopeless']]);
  const [dead] = await all(post.browse({queue: 'failed', body: true}));
  assert.deepEqual([dead.body, dead.error], ['hopeless', 'never']);
  await assert.rejects(connection.consumer('post', 'none', () => {}), {code: 'not_found'});
  await assert.rejects(connection.consumer('post', 'orders', () => {}, {domain: 'x'}), {code: 'bad_parameter'});
});

test('a lease of a consumer is renewed, and a lost one is told', async (t) => {
  const {connection, post} = await postOf(t);
  await post.send('orders', 'long');
  await post.send('orders', 'lost', {priority: 200});
  const end = new AbortController();
  const counts = await connection.consumer(
      'post',
      undefined,
      async (message, {signal}) => {
        if (message.body === 'long') {
          for (let shown = message; shown.leaseEnd < message.leaseEnd + 1500;) shown = await post.read(message);
          return;
        }
        end.abort();
        await post.release(message, {processDate: '+3600000'});
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        assert.equal(signal.reason.code, 'not_leased');
      },
      {lease: 1000, signal: end.signal},
  );
  assert.deepEqual(counts, {accepted: 1, released: 0, dead: 0, parked: 0, deleted: 0, lost: 1});
});
