// The typed calls of the daemon's own commands: with the daemon, and where that would end or move something, without.
import assert from 'node:assert/strict';
import {once} from 'node:events';
import net from 'node:net';
import {test} from 'node:test';

import {connect} from '../index.js';

import {all, clientFor, closedAfter} from './daemon.js';
import {frameOf, pretender} from './pretender.js';

const branch = '1:6f72646572:01';

/** Of a connection as an administrator. */
async function ownOf(t) {
  const {daemon} = await clientFor(t);
  const connection = closedAfter(t, await connect({server: daemon.unix}));
  return {daemon, connection, own: connection.daemon()};
}

test('parameters are sent as messages have them, and lists may be empty', async (t) => {
  const answers = [
    ['STEPPED_DOWN', {}], ['MOVING', {to: 'b'}], ['STOPPING', {}], ['RESTARTING', {}], ['FETCHED', {next: 5}],
    ['DECIDED', {ops: 3}], ['ALERTS', {count: 0}], ['BRANCHES', {count: 0}], ['NOTHING', {}], ['TABLE', {name: 'a'}]
  ];
  const sent = [];
  const server = await pretender(t, ({command, params: {request, ...params}}, socket) => {
    sent.push([command, params]);
    socket.write(frameOf(...answers.shift(), request));
  });
  const own = closedAfter(t, await connect({server})).daemon();
  await own.stepDown('a', {['for']: 0});
  const [moving] = await own.moveTable('jobs');
  assert.deepEqual([moving.command, moving.params.to], ['MOVING', 'b']);
  await own.stop();
  await own.restart();
  assert.equal((await own.fetch('jobs', {from: 0, snapshot: false}))[0].params.next, 5);
  assert.equal(await own.xaDecide(branch, 'commit'), 3);
  assert.deepEqual([...await all(own.alerts()), ...await all(own.xaRecover()), ...await all(own.waiters('t'))], []);
  assert.deepEqual(await all(own.tables()), [{persistent: true, name: 'a'}]);
  await assert.rejects(own.stats({tables: 'jobs'}), {code: 'bad_parameter'});
  assert.deepEqual(sent.slice(0, 6), [
    ['STEP_DOWN', {log: 'a', ['for']: 0}],
    ['MOVE_TABLE', {table: 'jobs'}],
    ['STOP', {}],
    ['RESTART', {}],
    ['FETCH', {table: 'jobs', from: 0, snapshot: 0}],
    ['XA_DECIDE', {xid: branch, outcome: 'commit'}],
  ]);
});

test('what the daemon is, and how it does', async (t) => {
  const {connection, own} = await ownOf(t);
  const commands = await own.commands();
  for (const name of ['INSERT', 'STATS', 'XA_START']) assert.match(commands, new RegExp(`\\b${name}\\b`));
  assert.deepEqual((await all(own.help('STATS'))).map(({type}) => type), ['daemon']);
  assert.ok((await all(own.help('NEXT'))).length > 1);
  assert.match((await own.rights()).rights, /admin/);
  assert.ok((await own.rights({table: 'none'})).connection > 0);
  const tables = await all(own.tables());
  const {key, persistent, rows} = tables.find(({name}) => name === 'jobs');
  assert.deepEqual([key, persistent, rows], ['name', true, 0]);
  const [first, ...others] = await own.stats();
  assert.equal(first.params.table, undefined);
  assert.deepEqual(others.map(({params}) => params.table).sort(), tables.map(({name}) => name).sort());
  assert.equal((await own.stats({table: 'jobs'}))[0].params.rows, 0);
  assert.match(await own.metrics(), /table="jobs"/);
  assert.match(await own.metrics({format: 'openmetrics', table: 'jobs'}), /# EOF\n$/);
  await own.health();
  await own.health({what: 'live'});
  assert.match(JSON.parse(await own.openapi()).openapi, /^3/);
  assert.deepEqual(await all(own.alerts({table: 'jobs'})), []);
  await assert.rejects(own.lower('none', {table: 'jobs'}), {code: 'not_found'});
  await assert.rejects(own.fetch('jobs', {from: 0}), {code: 'not_supported'});
  assert.deepEqual(await all(own.waiters('jobs')), []);
  await connection.call('LISTEN', {table: 'jobs'});
  const [waiter, ...more] = await all(own.waiters('jobs', {count: 1}));
  assert.deepEqual([waiter.table, waiter.mode, waiter.stalled, more], ['jobs', 'wake', false, []]);
});

test('branches of others', async (t) => {
  const {daemon, connection, own} = await ownOf(t);
  // The connection is for many, and so begins none itself.
  const manager = net.connect(daemon.unix.slice('unix:'.length));
  t.after(() => manager.destroy());
  let said = '';
  manager.on('data', (bytes) => (said += bytes));
  for (const name of ['0a', '0b', '0c']) {
    const xid = branch + name;
    manager.write(`XA_START xid=${xid}\nINSERT table=jobs;name=${name}\nXA_END xid=${xid}\n`);
  }
  while (said.split('\n').length < 10) await once(manager, 'data');
  assert.deepEqual(await all(own.xaRecover()), []);
  const branches = await all(own.xaRecover({all: true, count: 1}));
  assert.deepEqual(
      branches.map(({xid, state}) => [xid, state]), ['0a', '0b', '0c'].map((name) => [branch + name, 'idle']));
  assert.deepEqual([await own.xaPrepare(`${branch}0a`), await own.xaPrepare(`${branch}0b`)], [1, 1]);
  const answers = await own.xaCommit(`${branch}0c`, {onePhase: true});
  assert.deepEqual(answers.map(({command}) => command), ['COMMITTED', 'INSERTED']);
  await own.xaRollback(`${branch}0a`);
  assert.equal(await own.xaDecide(`${branch}0b`, 'commit'), 1);
  assert.deepEqual((await all(own.xaRecover({all: true}))).map(({state}) => state), ['committed']);
  await own.xaForget(`${branch}0b`);
  const rows = await all(connection.journal('jobs').list());
  assert.deepEqual(rows.map(({columns}) => columns.name).sort(), ['0b', '0c']);
});

test('copies, and a reload', async (t) => {
  const {daemon, own} = await ownOf(t);
  const [digest] = await all(own.digest({table: 'jobs'}));
  assert.equal(digest.table, 'jobs');
  assert.match(digest.digest, /^[0-9a-f]{16}/);
  for (const one of await all(own.digest({stale: true}))) assert.ok(one.log !== undefined && one.lsn > 0);
  const [kept] = await own.backup({digest: true});
  assert.deepEqual([kept.command, typeof kept.params.folder], ['BACKUP', 'string']);
  await own.backupDone();
  await assert.rejects(own.cluster(), {code: 'not_found'});
  daemon.write('tables/more.xml', '<table name="more" model="keyvalue"/>');
  const told = await own.reload({dryRun: true});
  assert.deepEqual([told.dryRun, told.count], [true, 1]);
  assert.equal((await own.reload({table: 'more'})).dryRun, false);
  assert.ok((await all(own.tables())).some(({name}) => name === 'more'));
  await own.logRotate();
});
