// Pipeline tables: documents on their way with the real daemon, what a crash leaves, people's commands, and what is sent
// again after a loss.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {connect, GiveUp, NotSent} from '../index.js';

import {all, clientFor, closedAfter, plan} from './daemon.js';
import {frameOf, pretender} from './pretender.js';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

async function docsOf(t, given) {
  const client = await clientFor(t, given, {backOff: [20]});
  return {...client, docs: client.connection.documents('docs')};
}

async function statesOf(docs, {document}) {
  return (await all(docs.documents())).find((one) => one.document === document).states;
}

const arrives = () => {};

test('a document goes to its two destinations', async (t) => {
  const {docs} = await docsOf(t);
  const sent = [];
  const send = (sending) => void sent.push(sending);
  const found = await docs.found('pages', '/a.html', '5e1f', {worker: 'scanner', lease: 30_000});
  assert.deepEqual([found.change, found.isMine, found.destinations], ['new', true, ['index', 'publish']]);
  assert.deepEqual([found.source, found.uri, found.hash], ['pages', '/a.html', '5e1f']);
  assert.ok(found.leaseEnd > Date.now());
  assert.equal((await docs.found('pages', '/b.html', '1', {dryRun: true})).change, 'new');
  assert.match((await docs.why(found)).text, /scanner has it/);
  const other = await docs.found('pages', '/a.html', '5e1f');
  assert.deepEqual([other.document, other.change, other.isMine], [found.document, 'processing', false]);
  assert.deepEqual((await docs.next()).documents, []);
  assert.deepEqual(await docs.deliver(found, 'index', send), {verdict: 'run', state: 'sent', failure: undefined});
  assert.deepEqual(await statesOf(docs, found), {index: 'sent', publish: 'processing'});
  assert.equal((await docs.deliver(found, 'publish', send)).state, 'sent');
  assert.deepEqual(
      sent.map(({attempt, guarantee}) => [attempt, guarantee]), [[1, 'at-least-once'], [1, 'at-most-once']]);
  assert.ok(sent[0].key !== sent[1].key && sent[0].key.length === 32 && sent[0].deadline > Date.now());
  // It is there: nothing is sent.
  const again = await docs.deliver(found, 'index', send);
  assert.deepEqual([again.verdict, again.state, sent.length], ['skip', 'sent', 2]);
  assert.equal((await docs.found('pages', '/a.html', '5e1f')).change, 'unchanged');
  const [shown] = await all(docs.documents({status: 'done', source: 'pages'}));
  assert.deepEqual(
      [shown.uri, shown.done, shown.orphan, shown.states], ['/a.html', true, false, {index: 'sent', publish: 'sent'}]);
  assert.deepEqual(
      (await all(docs.destinations())).map((one) => [one.destination, one.guarantee, one.mode, one.sent, one.inDoubt]),
      [['index', 'at-least-once', 'open', 1, 0], ['publish', 'at-most-once', 'open', 1, 0]]);
  assert.deepEqual(
      (await docs.plans()).map((one) => [one.plan, one.version, one.documents, one.newest]), [['docs', 1, 1, true]]);
  // It has changed, and is missing everywhere.
  const changed = await docs.found('pages', '/a.html', '77aa');
  assert.deepEqual([changed.change, changed.destinations], ['changed', ['index', 'publish']]);
  assert.equal((await docs.deliver(changed, 'publish', send)).state, 'sent');
  assert.notEqual(sent[2].key, sent[1].key);
  assert.equal((await docs.stats()).sent, 3);
  await docs.found('pages', '/c.html', '1');
  const events = await all(docs.history({document: found, count: 2}));
  assert.deepEqual(
      events.slice(0, 3).map((one) => [one.what, one.destination]),
      [['found', undefined], ['handed_out', undefined], ['sending', 'index']]);
  assert.deepEqual([events.at(-1).what, events.at(-1).destination], ['sent', 'publish']);
  assert.deepEqual([events[1].document, events[1].uri, events[1].worker], [found.document, '/a.html', 'scanner']);
  assert.deepEqual((await all(docs.history())).slice(events.length).map((one) => one.uri), ['/c.html', '/c.html']);
});

test('what was found and left is handed out', async (t) => {
  const {docs} = await docsOf(t);
  assert.deepEqual(await docs.next({source: 'pages'}), {documents: [], nextDate: undefined});
  for (const uri of ['/0', '/1', '/2'])
    assert.equal((await docs.found('pages', uri, 'h', {handOut: false})).isMine, false);
  const {documents: [one, two]} = await docs.next({source: 'pages', count: 2, lease: 30_000, wait: 5_000});
  assert.deepEqual([one.change, one.uri, one.destinations, one.check], [undefined, '/0', ['index', 'publish'], false]);
  assert.equal(await docs.heartbeat(one, {lease: 60_000}), true);
  await docs.release(one);
  assert.equal(await docs.heartbeat(one), false);
  const {documents: [forOne]} = await docs.next({destination: 'index'});
  assert.deepEqual([forOne.uri, forOne.destinations], ['/0', ['index']]);
  await docs.dropped(two, {destination: 'publish', reason: 'a draft'});
  await docs.dropped(two);
  assert.deepEqual(await statesOf(docs, two), {index: 'dropped', publish: 'dropped'});
  assert.match((await docs.why(two.document)).text, /a draft/);
});

test('a worker that is killed while it sends leaves a doubt', async (t) => {
  const {daemon} = await docsOf(t, {plans: {brief: [plan, '<grace>1ms</grace>']}});
  const program = `import {connect} from ${JSON.stringify(at('../index.js'))};
const docs = (await connect({server: ${JSON.stringify(daemon.tcp)}})).documents('brief');
const found = await docs.found('pages', '/a', 'h');
await docs.deliver(found, 'index', () => {});
await docs.deliver(found, 'publish', () => process.kill(process.pid, 'SIGKILL'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {stdio: 'inherit'});
  t.after(() => child.kill('SIGKILL'));
  assert.equal(await new Promise((resolve) => child.once('close', (code, signal) => resolve(signal))), 'SIGKILL');
  const open = async () => closedAfter(t, await connect({server: daemon.tcp})).documents('brief');
  const docs = await open();
  const inDoubt = async () => {
    const limit = Date.now() + 30_000;
    for (;;) {
      const [shown] = await all(docs.documents({status: 'in_doubt', destination: 'publish'}));
      if (shown !== undefined) return shown;
      assert.ok(Date.now() < limit);
    }
  };
  // Nobody sends it, and a person says that it did not arrive: then it is sent.
  const document = await inDoubt();
  assert.deepEqual(document.states, {index: 'sent', publish: 'in_doubt'});
  assert.deepEqual((await docs.next()).documents, []);
  const [{sending, inDoubt: count}] = await all(docs.destinations({destination: 'publish'}));
  assert.deepEqual([sending, count], [0, 1]);
  assert.equal(await docs.resolve('failed', {all: true, dryRun: true}), 1);
  assert.equal(await docs.resolve('failed', {document}), 1);
  // Where it may have arrived nothing is said; once is enough elsewhere.
  const other = closedAfter(t, await connect({server: daemon.tcp}));
  const {documents: [mine]} = await other.documents('brief').next();
  assert.deepEqual(mine.destinations, ['publish']);
  const delivery = await other.documents('brief').deliver(mine, 'publish', () => {
    throw new NotSent('no answer within 5 s', {kind: 'timeout', mayHaveArrived: true});
  });
  assert.deepEqual([delivery.verdict, delivery.state, delivery.failure.kind], ['run', 'sending', 'timeout']);
  const more = await docs.found('pages', '/b', 'h');
  const lost = () => {
    throw delivery.failure;
  };
  assert.equal((await docs.deliver(more, 'index', lost)).state, 'error');
  await docs.dropped(more, {destination: 'publish'});
  assert.equal(await docs.drop({document: more}), 1);
  await other.close();
  await inDoubt();
  await assert.rejects(docs.resolve('maybe', {all: true}), {code: 'bad_parameter'});
  assert.equal(await docs.resolve('sent', {destination: 'publish'}), 1);
  assert.deepEqual((await docs.next()).documents, []);
  assert.deepEqual(
      (await all(docs.documents({status: 'done'}))).map((one) => one.states),
      [{index: 'sent', publish: 'sent'}, {index: 'dropped', publish: 'dropped'}]);
});

test('a document that fails three times is dead until somebody retries', async (t) => {
  const {docs} = await docsOf(t);
  const fails = async () => {
    throw new RangeError(`no route to ${'ä'.repeat(2000)}`);
  };
  await docs.found('pages', '/a', 'h', {handOut: false});
  const next = async () => (await docs.next({destination: 'index', wait: 30_000})).documents[0];
  const states = [];
  for (let i = 0; i < 3; ++i) {
    const delivery = await docs.deliver(await next(), 'index', fails);
    assert.ok(delivery.verdict === 'run' && delivery.failure instanceof RangeError);
    states.push(delivery.state);
  }
  assert.deepEqual(states, ['error', 'error', 'dead']);
  const [dead] = await all(docs.documents({status: 'dead', destination: 'index'}));
  assert.match((await docs.why(dead)).text, /dead after 3 failures \(RangeError: no route to ä+\)/);
  assert.equal(await docs.retry({kind: 'TypeError'}), 0);
  assert.equal(await docs.retry({kind: 'RangeError', destination: 'index'}), 1);
  assert.equal((await docs.deliver(await next(), 'index', () => false)).state, 'sent');
});

test('what can never arrive is given up at once', async (t) => {
  const {docs} = await docsOf(t);
  const throws = (error) => () => {
    throw error;
  };
  const found = await docs.found('pages', '/a', 'h');
  assert.equal((await docs.deliver(found, 'index', throws(new GiveUp('it is gone')))).state, 'error_doc');
  const full = new NotSent('no space', {kind: 'disk-full', permanent: true});
  assert.equal((await docs.deliver(found, 'publish', throws(full))).state, 'error_doc');
  assert.deepEqual(
      (await docs.why(found)).text.match(/for good \(.*?\)/g),
      ['for good (GiveUp: it is gone)', 'for good (disk-full: no space)']);
  assert.equal((await all(docs.documents({status: 'failed'}))).length, 1);
  assert.equal(await docs.retry({status: 'error_doc'}), 2);
  const {documents: [mine]} = await docs.next();
  assert.equal((await docs.deliver(mine, 'index', throws(new NotSent('a draft', {drop: true})))).state, 'dropped');
  // 64 bytes, and no part of a character.
  const long = new NotSent('', {kind: `${'x'.repeat(63)}ää`});
  assert.equal((await docs.deliver(mine, 'publish', throws(long))).state, 'error');
  assert.equal(await docs.retry({document: mine, kind: 'x'.repeat(63), status: 'error', dryRun: true}), 1);
  // By hand, without a function; and what is no Error.
  const other = await docs.found('pages', '/b', 'h');
  assert.equal((await docs.begin(other, 'publish')).verdict, 'run');
  assert.equal(await docs.failed(other, 'publish', 'down', {error: 'no connection'}), 'error');
  assert.equal((await docs.begin(other, 'index', {batched: true})).verdict, 'run');
  assert.equal((await statesOf(docs, other)).index, 'batched');
  assert.equal(await docs.sent(other, 'index'), 'sent');
  const third = await docs.found('pages', '/c', 'h');
  assert.equal((await docs.deliver(third, 'index', throws('just a text'))).failure, 'just a text');
  assert.equal((await docs.deliver(third, 'publish', throws(undefined))).state, 'error');
  assert.equal(await docs.retry({document: third, kind: 'error', status: 'error', dryRun: true}), 2);
  await assert.rejects(docs.retry({colour: 1}), {code: 'bad_parameter', facts: {parameter: 'colour'}});
  assert.throws(() => docs.listen({queue: 'x'}), {code: 'bad_parameter'});
});

test('children are made, passed and counted', async (t) => {
  const {docs} = await docsOf(t);
  const original = await docs.found('pages', '/list.csv', '1');
  const {document: one} = await docs.beginChild(original, 1);
  assert.deepEqual(
      [one.parent, one.original, one.child, one.change], [original.document, original.document, '1', 'new']);
  assert.deepEqual([one.destinations, one.isMine], [['index', 'publish'], true]);
  await assert.rejects(docs.beginChild(original, '1'), {code: 'in_use'});
  assert.equal((await docs.beginChild(original, '1', {again: true})).document.document, one.document);
  const {document: two} = await docs.beginChild(original, 'two');
  await assert.rejects(docs.childrenDone(original, 3), {code: 'bad_parameter'});
  await docs.dropped(original);
  for (const destination of one.destinations) await docs.deliver(one, destination, arrives);
  await docs.release(two);
  const [shown] = await all(docs.documents({status: 'open'}));
  assert.deepEqual(
      [shown.document, shown.children, shown.childrenKnown, shown.childrenNotDone],
      [original.document, undefined, 2, 1]);
  await docs.childrenDone(original, 2);
  // The original is handed out once more, as a child cannot be fetched.
  const {documents: [again]} = await docs.next({wait: 30_000});
  assert.deepEqual([again.document, again.children, again.destinations], [original.document, true, []]);
  const passed = await docs.beginChild(again, 1);
  assert.deepEqual(
      [passed.document.document, passed.document.isMine, passed.isSubtreeDone], [one.document, false, true]);
  const {document: rest} = await docs.beginChild(again, 'two');
  assert.deepEqual([rest.document, rest.change], [two.document, 'resume']);
  for (const destination of rest.destinations) await docs.deliver(rest, destination, arrives);
  await docs.childrenDone(again, 2);
  assert.equal((await docs.found('pages', '/list.csv', '1')).change, 'unchanged');
  // It has changed, and has one line less.
  assert.equal((await docs.beginChild(await docs.found('pages', '/list.csv', '2'), 1)).document.change, 'changed');
  const [orphan] = await all(docs.documents({status: 'orphans'}));
  assert.deepEqual([orphan.child, orphan.orphan], ['two', true]);
});

test('destinations that a router did not choose are dropped', async (t) => {
  const routes = `<plan name="routes" version="1"><source name="mails" router="by-name"/>
<step name="german" after="mails" kind="idempotent"/><step name="english" after="mails" kind="idempotent"/></plan>`;
  const {connection} = await docsOf(t, {plans: {routes: [routes]}});
  const docs = connection.documents('routes');
  const found = await docs.found('mails', '1');
  assert.deepEqual(await docs.routed(found, 'mails', ['english']), ['german']);
  assert.equal((await docs.deliver(found, 'german', arrives)).state, 'dropped');
  assert.equal((await docs.deliver(found, 'english', arrives)).state, 'sent');
});

test('listeners are woken, told and served', async (t) => {
  const {daemon, docs} = await docsOf(t);
  const source = closedAfter(t, await connect({server: daemon.tcp})).documents('docs');
  const woken = docs.listen({source: 'pages'});
  await woken.listening;
  assert.throws(() => docs.listen({source: 'pages'}), {code: 'wrong_state'});
  const found = await source.found('pages', '/a', 'h', {handOut: false});
  const {value: work} = await woken.next();
  assert.deepEqual([work.kind, work.table, work.source, work.ready], ['work', 'docs', 'pages', 2]);
  await woken.return();
  for (const options of [{source: 'pages', mode: 'row'}, {mode: 'row'}]) {
    for await (const notice of docs.listen(options)) {
      const {kind, document} = notice;
      assert.deepEqual(
          [kind, notice.source, document.document, document.uri, document.isMine],
          ['due', 'pages', found.document, '/a', false]);
      break;
    }
  }
  const served = docs.listen({mode: 'deliver', credit: 1});
  const {value: {kind, document}} = await served.next();
  assert.deepEqual([kind, document.uri, document.destinations], ['delivered', '/a', ['index', 'publish']]);
  await source.found('pages', '/b', 'h', {handOut: false});
  for (const destination of document.destinations) await docs.deliver(document, destination, arrives);
  assert.equal((await served.next()).value.document.uri, '/b');
  await served.return();
  // What nobody has fetched is given back at the end.
  await source.found('pages', '/c', 'h', {handOut: false});
  const unread = docs.listen({mode: 'deliver'});
  await unread.listening;
  await docs.stats();
  await unread.return();
  assert.equal((await source.next({wait: 30_000})).documents[0].uri, '/c');
  await assert.rejects(docs.listen({source: 'none'}).next(), {code: 'not_found'});
});

test('each source has its own listener', async (t) => {
  const two = `<plan name="two" version="1"><source name="a"/><source name="b"/>
<step name="index" after="a b" kind="idempotent"/></plan>`;
  const {connection} = await docsOf(t, {plans: {two: [two]}});
  const docs = connection.documents('two');
  for (const mode of ['wake', 'row', 'deliver']) {
    const [ofA, ofB] = ['a', 'b'].map((source) => docs.listen({source, mode}));
    await Promise.all([ofA.listening, ofB.listening]);
    for (const [source, notices] of [['b', ofB], ['a', ofA]]) {
      await docs.found(source, mode, '', {handOut: false});
      const {value} = await notices.next();
      assert.equal(value.source, source);
      assert.equal(value.document?.source, mode === 'wake' ? undefined : source);
      await docs.drop({all: true});
      if (mode === 'deliver') await docs.dropped(value.document);
    }
    await Promise.all([ofA.return(), ofB.return()]);
  }
});

test('a worker whose lease is over sends nothing', async (t) => {
  const {docs} = await docsOf(t);
  let calls = 0;
  const old = await docs.found('pages', '/a', 'h');
  await docs.release(old);
  const {documents: [mine]} = await docs.next();
  assert.deepEqual(
      await docs.deliver(old, 'publish', () => ++calls), {verdict: 'cancelled', state: 'stale', failure: undefined});
  assert.equal(calls, 0);
  assert.equal(await docs.heartbeat(old), false);
  await assert.rejects(docs.sent(old, 'index'), {code: 'stale_epoch'});
  await assert.rejects(docs.failed(old, 'index', 'error'), {code: 'stale_epoch'});
  await assert.rejects(docs.dropped(old), {code: 'stale_epoch'});
  // It loses the lease while it sends: the caller is told.
  await assert.rejects(docs.deliver(mine, 'index', () => docs.found('pages', '/a', 'h2')), {code: 'stale_epoch'});
  await assert.rejects(docs.sent(await docs.found('pages', '/b', 'h'), 'publish'), {code: 'wrong_state'});
});

test('what was done is said, also if it is aborted by then', async (t) => {
  const {docs} = await docsOf(t);
  const found = await docs.found('pages', '/a', 'h');
  const end = new AbortController();
  const delivery = await docs.deliver(found, 'index', () => end.abort(), {signal: end.signal});
  assert.equal(delivery.state, 'sent');
  await assert.rejects(docs.deliver(found, 'publish', arrives, {signal: end.signal}), {name: 'AbortError'});
});

test('a delivery goes on over a kill of the daemon', async (t) => {
  const {daemon, connection, docs} = await docsOf(t);
  const address = daemon.tcp;
  const found = await docs.found('pages', '/a', 'h');
  for (const destination of found.destinations) {
    const delivery = await docs.deliver(found, destination, async () => {
      await daemon.end('SIGKILL');
      await daemon.start(address);
    });
    assert.equal(delivery.state, 'sent');
    // The lease moves to the new connection.
    if (destination === 'index') assert.equal(await docs.heartbeat(found), true);
  }
  assert.equal(connection.connects, 3);
  assert.equal((await docs.found('pages', '/a', 'h')).change, 'unchanged');
});

test('a delivery keeps its document over a kill of the daemon', async (t) => {
  const {daemon, docs} = await docsOf(t, {plans: {docs: [plan, '<grace>2s</grace>']}});
  const address = daemon.tcp;
  const found = await docs.found('pages', '/a', 'h');
  let handedOut;
  const delivery = await docs.deliver(found, 'index', async () => {
    await daemon.end('SIGKILL');
    await daemon.start(address);
    // Beyond the grace. Another one would get it once the lease is over.
    const other = closedAfter(t, await connect({server: address}));
    handedOut = (await other.documents('docs').next({wait: 3_000})).documents;
  });
  assert.deepEqual(handedOut, []);
  assert.equal(delivery.state, 'sent');
  // With its other destinations.
  assert.equal((await docs.deliver(found, 'publish', arrives)).state, 'sent');
});

test('a delivery keeps the other destinations over a kill of the daemon', async (t) => {
  const {daemon, docs} = await docsOf(t, {plans: {docs: [plan, '<grace>2s</grace>']}});
  const address = daemon.tcp;
  const found = await docs.found('pages', '/a', 'h');
  const delivery = await docs.deliver(found, 'index', async () => {
    await daemon.end('SIGKILL');
    await daemon.start(address);
  });
  assert.equal(delivery.state, 'sent');
  const other = closedAfter(t, await connect({server: address}));
  assert.deepEqual((await other.documents('docs').next({wait: 3_000})).documents, []);
  assert.equal((await docs.deliver(found, 'publish', arrives)).state, 'sent');
});

test('people pause, force, drop and go through pages', async (t) => {
  const {docs} = await docsOf(t);
  const uris = Array.from({length: 12}, (_, i) => `/${i}`);
  for (const uri of uris) await docs.found('pages', uri, 'h', {handOut: false});
  assert.deepEqual((await all(docs.documents({status: 'stranded', count: 5}))).map((one) => one.uri), uris);
  await docs.pause('index', {reason: 'a new index'});
  const [index] = await all(docs.destinations({destination: 'index'}));
  assert.deepEqual([index.mode, index.reason, index.processing], ['shut', 'a new index', 12]);
  const {documents: [mine]} = await docs.next();
  assert.deepEqual(mine.destinations, ['publish']);
  await docs.resume('index');
  await docs.release(mine);
  await assert.rejects(docs.drop(), {code: 'missing_parameter'});
  assert.equal(await docs.drop({destination: 'publish', count: 7}), 7);
  assert.equal(await docs.drop({destination: 'publish', dryRun: true}), 5);
  assert.equal(await docs.drop({destination: 'publish'}), 5);
  assert.equal(await docs.drop({document: mine.document}), 1);
  assert.equal(await docs.force({document: mine, destination: 'index'}), 1);
  assert.equal(await docs.force({status: 'dropped', all: true}), 12);
  assert.deepEqual((await all(docs.destinations())).map((one) => [one.force, one.processing]), [[1, 11], [12, 0]]);
  const {documents: [again]} = await docs.next({destination: 'publish'});
  await docs.deliver(again, 'publish', arrives);
  assert.equal(await docs.retry({status: 'sent', ifChanged: true}), 1);
});

test('people change more than a page', async (t) => {
  const {docs} = await docsOf(t);
  await Promise.all(Array.from({length: 600}, (_, i) => docs.found('pages', `/${i}`, '', {handOut: false})));
  assert.equal(new Set((await all(docs.documents({count: 250}))).map((one) => one.document)).size, 600);
  assert.equal(await docs.drop({all: true, dryRun: true}), 1200);
  assert.equal(await docs.drop({destination: 'index', count: 550}), 550);
  assert.equal(await docs.drop({all: true}), 650);
});

test('commands of pipelines are sent again by their rules', async (t) => {
  const declared = [
    ...readFileSync(at('../../../plugins/pipeline/pipeline.xml'), 'utf8').matchAll(/<command name="(\w+)"([^>]*)>/g)
  ];
  assert.ok(declared.length > 20);
  const server = await pretender(t, (message, socket, nr) => {
    if (nr === 1 && message.command === 'STATS') return socket.destroy();
    return nr === 1 || socket.write(frameOf('NOTHING', {}, message.params.request));
  });
  const connection = closedAfter(t, await connect({server, backOff: [20]}));
  const ends = await Promise.allSettled([...declared, [undefined, 'STATS']].map(([, name]) => connection.call(name)));
  assert.deepEqual(
      declared.filter((_, i) => ends[i].status === 'fulfilled').map(([, name]) => name),
      declared.filter(([, , attributes]) => attributes.includes('resend="always"')).map(([, name]) => name));
});

test('columns of rows are no names of listeners', async (t) => {
  const server = await pretender(t, (message, socket) => {
    socket.write(frameOf('LISTENING', {table: 'jobs'}, message.params.request));
    if (message.command !== 'LISTEN') return;
    socket.write('LISTEN table=jobs;row=5;source=x;queue=y\nROW table=jobs;row=6;epoch=7;source=x;queue=y\n');
  });
  const jobs = closedAfter(t, await connect({server})).journal('jobs');
  const notices = jobs.listen({mode: 'deliver'});
  for (const kind of ['due', 'delivered']) {
    const {value} = await notices.next();
    assert.deepEqual([value.kind, value.source, value.queue, value.row.columns.source], [kind, '', '', 'x']);
  }
});

test('documents of a late answer are released', async (t) => {
  const late = [];
  const released = [];
  const server = await pretender(t, (message, socket) => {
    const {request} = message.params;
    if (message.command === 'STATS') socket.write(frameOf('NOTHING', {}, request));
    if (message.command === 'RELEASE') released.push(message.params);
    if (!['FOUND', 'NEXT', 'DOCUMENTS'].includes(message.command)) return;
    late.push(() => {
      socket.write(frameOf('DOCUMENT', {table: 't', document: 7, token: 8, left: 1}, request));
      socket.write(frameOf('DOCUMENT', {table: 't', document: 9, left: 0}, request));
    });
  });
  const connection = closedAfter(t, await connect({server}));
  const ends = ['FOUND', 'NEXT', 'DOCUMENTS'].map((name) => connection.call(name, {}, {timeLimit: 300}));
  for (const end of ends) await assert.rejects(end, {code: 'timed_out'});
  for (const say of late) say();
  // Two turns: what the first one brings is answered before the second.
  for (let turn = 0; turn < 2; ++turn) await connection.call('STATS');
  assert.deepEqual(
      released.map((params) => ({...params, request: 0})),
      [0, 1].map(() => ({table: 't', document: 7, token: 8, request: 0})));
});
