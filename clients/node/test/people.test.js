// Calls of journals, queues and pipelines that only people and programs for them need, with the real daemon.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {connect} from '../index.js';

import {all, clientFor, closedAfter} from './daemon.js';
import {frameOf, pretender} from './pretender.js';

test('rows are kicked and deleted, by number, key or filter', async (t) => {
  const {connection} = await clientFor(t);
  const jobs = connection.journal('jobs');
  for (const name of ['a', 'b', 'c', 'd']) await jobs.put({name}, {processDate: '+3600000'});
  const kicked = await jobs.kick({name: 'a'});
  assert.ok(Math.abs(kicked.processDate - Date.now()) < 600_000);
  assert.equal((await jobs.next()).rows[0].row, kicked.row);
  assert.equal(await jobs.kickMatching({status: 'waiting', count: 2}), 2);
  assert.equal((await all(jobs.list({status: 'due'}))).length, 2);
  await jobs.delete({row: kicked.row});
  await jobs.delete({name: 'd'});
  await assert.rejects(jobs.delete({name: 'd'}), {code: 'unknown_row'});
  assert.equal(await jobs.deleteMatching({prefix: 'b'}), 1);
  await assert.rejects(jobs.deleteMatching(), {code: 'missing_parameter'});
  await assert.rejects(jobs.deleteMatching({colour: 1}), {code: 'bad_parameter'});
  assert.deepEqual((await all(jobs.list())).map((row) => row.columns.name), ['c']);
});

test('all pages of changes are made, and of a timeline shown', async (t) => {
  const {connection} = await clientFor(t, {options: '<domain>payload</domain>'});
  const jobs = connection.journal('jobs');
  await jobs.putMany(Array.from(
      {length: 2500}, (_, i) => ({name: `${i}`, payload: i < 7 ? 'a' : 'b', process_date: `+${i + 1_000_000}`})));
  const due = await all(jobs.timeline());
  assert.equal(due.reduce((sum, {rows}) => sum + rows, 0), 2500);
  assert.equal(new Set(due.map((one) => one.now)).size, 1);
  const domains = (await all(jobs.domains({count: 1}))).map((one) => [one.domain, one.rows, one.due]);
  assert.deepEqual(domains.sort(), [['a', 7, 0], ['b', 2493, 0]]);
  assert.equal(await jobs.kickMatching({status: 'waiting', count: 1200}), 1200);
  assert.equal(await jobs.count({status: 'waiting'}), 1300);
  assert.equal(await jobs.deleteMatching({status: 'waiting'}), 1300);
  assert.equal((await jobs.stats()).rows, 1200);
});

test('the pages of a timeline are of one', async (t) => {
  const asked = [];
  const server = await pretender(t, ({params}, socket) => {
    asked.push([params.now, params.after]);
    socket.write(
        frameOf('DUE', {to: 9, rows: 1, now: 7, after: asked.length < 3 ? asked.length : undefined}, params.request));
  });
  const jobs = closedAfter(t, await connect({server})).journal('jobs');
  assert.deepEqual((await all(jobs.timeline())).map(({from, to, rows}) => [from, to, rows]), Array(3).fill([0, 9, 1]));
  assert.deepEqual(asked, [[undefined, undefined], [7, 1], [7, 2]]);
});

test('a table is paused, drained and resumed', async (t) => {
  const {connection} = await clientFor(t);
  const jobs = connection.journal('jobs');
  await jobs.put({name: 'a'});
  await jobs.pause({reason: 'a new disk', worker: 'ann'});
  await assert.rejects(jobs.next(), {code: 'paused', message: /a new disk/});
  assert.equal(await jobs.resume(), 'paused');
  await jobs.drain();
  await assert.rejects(jobs.put({name: 'b'}), {code: 'paused'});
  assert.equal(await jobs.resume(), 'draining');
  assert.equal(await jobs.resume(), 'open');
});

test('messages and documents are taken back from those who have them', async (t) => {
  const {connection} = await clientFor(t);
  const post = connection.queues('post');
  await post.send('orders', 'one');
  const {messages: [message]} = await post.acquire();
  await post.kick(message);
  await assert.rejects(post.accept(message), {code: 'not_leased'});
  assert.deepEqual(
      (await all(post.queues({count: 1}))).map(({queue, due}) => [queue, due]), [['failed', 0], ['orders', 1]]);
  const docs = connection.documents('docs');
  const found = await docs.found('pages', '/a', 'h');
  assert.equal((await docs.kick(found, {destination: 'index'})).count, 1);
  await assert.rejects(docs.sent(found, 'index'), {code: 'stale_epoch'});
  assert.deepEqual(
      (await all(docs.steps({count: 1}))).map(({step, kind}) => [step, kind]),
      [['pages', 'source'], ['index', 'idempotent'], ['publish', 'potent']]);
});
