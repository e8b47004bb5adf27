// worker(): what becomes of rows, leases that are renewed or lost, and the end by a signal.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {GiveUp} from '../index.js';

import {clientFor} from './daemon.js';

async function jobsOf(t, given) {
  const client = await clientFor(t, given, {backOff: [20]});
  return {...client, jobs: client.connection.journal('jobs')};
}

test('resolved is done, rejected is released with the error, GiveUp is parked', async (t) => {
  const {connection, jobs} = await jobsOf(t, {options: '<back-off-first>1h</back-off-first>'});
  for (const name of ['good', 'bad', 'hopeless']) await jobs.put({name});
  const end = new AbortController();
  let seen = 0;
  const counts = await connection.worker(
      'jobs',
      async (row) => {
        if (++seen === 3) end.abort();
        if (row.columns.name === 'bad') throw new Error('not now');
        if (row.columns.name === 'hopeless') throw new GiveUp('never');
      },
      {concurrency: 2, signal: end.signal},
  );
  assert.deepEqual(counts, {done: 1, released: 1, parked: 1, deleted: 0, lost: 0});
  const [bad] = await jobs.peek({name: 'bad'});
  assert.deepEqual([bad.error, bad.attempts], ['not now', 1]);
  assert.equal((await jobs.peek({name: 'hopeless'}))[0].error, 'never');
});

test('rows are worked on side by side, as many as wanted', async (t) => {
  const {connection, jobs} = await jobsOf(t);
  await jobs.putMany(Array.from({length: 12}, (_, i) => ({name: `n${i}`})));
  const end = new AbortController();
  let now = 0;
  let most = 0;
  let done = 0;
  const together = [];
  await connection.worker(
      'jobs',
      async () => {
        most = Math.max(most, ++now);
        // Nobody goes on before four have come.
        await new Promise((resolve) => {
          together.push(resolve);
          if (together.length === 4)
            for (const goOn of together.splice(0)) goOn();
        });
        --now;
        if (++done === 12) end.abort();
      },
      {concurrency: 4, signal: end.signal},
  );
  assert.equal(most, 4);
});

test('a lease is renewed for as long as the work takes', async (t) => {
  const {connection, jobs} = await jobsOf(t, {options: '<processing-timeout-min>100ms</processing-timeout-min>'});
  await jobs.put({name: 'a'});
  const end = new AbortController();
  const counts = await connection.worker(
      'jobs',
      async (row, {signal}) => {
        end.abort();
        // Until the daemon shows a lease that ends later than the first one, by more than a length.
        for (let shown = row; shown.leaseEnd < row.leaseEnd + 1500;) {
          [shown] = await jobs.peek({row: row.row});
          assert.equal(shown.status, 'processing');
        }
        assert.equal(signal.aborted, false);
      },
      {lease: 1000, signal: end.signal},
  );
  assert.equal(counts.done, 1);
});

test('a worker that has lost its lease is told, and says nothing more', async (t) => {
  const {connection, jobs} = await jobsOf(t, {options: '<processing-timeout-min>100ms</processing-timeout-min>'});
  await jobs.put({name: 'a'});
  const end = new AbortController();
  const errors = [];
  const counts = await connection.worker(
      'jobs',
      async (row, {signal}) => {
        end.abort();
        await connection.call('DELETE', {table: 'jobs', row: row.row});
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        assert.equal(signal.reason.code, 'unknown_row');
      },
      {lease: 400, signal: end.signal, onError: (error) => errors.push(error.code)},
  );
  assert.deepEqual(counts, {done: 0, released: 0, parked: 0, deleted: 0, lost: 1});
  assert.deepEqual(errors, ['unknown_row']);
});

test('a lease outlives the connection that took it', async (t) => {
  const {daemon, connection, jobs} = await jobsOf(t, {options: '<grace>5s</grace>'});
  const address = daemon.tcp;
  await jobs.put({name: 'a'});
  const end = new AbortController();
  const counts = await connection.worker(
      'jobs',
      async (row) => {
        end.abort();
        await daemon.end('SIGKILL');
        await daemon.start(address);
        // Only a TOUCH makes it end later than at first; without the loss it would come after 30 s.
        const begun = performance.now();
        for (let shown = row; shown.leaseEnd <= row.leaseEnd;) {
          [shown] = await jobs.peek({row: row.row});
          assert.equal(shown.status, 'processing');
          assert.ok(performance.now() - begun < 15_000, 'the lease was not taken over');
        }
      },
      {lease: 60_000, signal: end.signal},
  );
  assert.equal(counts.done, 1);
});

test('an error that will not pass ends the worker', async (t) => {
  const {connection} = await jobsOf(t);
  await assert.rejects(connection.worker('none', async () => {}), {code: 'unknown_table'});
});

test('SIGTERM lets the row in work be finished', async (t) => {
  const {daemon, jobs} = await jobsOf(t);
  await jobs.put({name: 'a'});
  await jobs.put({name: 'b'});
  const program = `
    import { connect } from ${JSON.stringify(fileURLToPath(new URL('../index.js', import.meta.url)))};
    const connection = await connect({ server: ${JSON.stringify(daemon.tcp)} });
    const counts = await connection.worker('jobs', (row, { stopping }) => {
      console.log('working');
      return new Promise((resolve) => stopping.addEventListener('abort', resolve));
    });
    console.log(JSON.stringify(counts));
    await connection.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {stdio: ['ignore', 'pipe', 'inherit']});
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (text) => {
    if (output === '') child.kill('SIGTERM');
    output += text;
  });
  const status = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(status, 0);
  assert.equal(output, 'working\n{"done":1,"released":0,"parked":0,"deleted":0,"lost":0}\n');
  assert.equal((await jobs.stats()).rows, 1);
});

for (const silent of [false, true]) {
  test(`a stop while the daemon is ${silent ? 'silent' : 'away'} ends soon`, async (t) => {
    const {daemon, connection, jobs} = await jobsOf(t);
    await jobs.put({name: 'a'});
    const end = new AbortController();
    const errors = [];
    let begun;
    const counts = await connection.worker('jobs', async () => {
      if (silent)
        daemon.child.kill('SIGSTOP');
      else
        await daemon.end('SIGKILL');
      begun = performance.now();
      end.abort();
    }, {signal: end.signal, stopAfter: 200, onError: (error) => errors.push(error.code)});
    if (silent) daemon.child.kill('SIGCONT');
    // A call alone would wait for 30 s.
    assert.ok(performance.now() - begun < 5_000);
    assert.equal(counts.lost, 1);
    assert.equal(errors.at(-1), 'timed_out');
  });
}
