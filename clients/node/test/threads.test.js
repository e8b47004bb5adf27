// A connection belongs to its thread and its process: no copy of it that can be used reaches another one.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {MessageChannel, Worker} from 'node:worker_threads';

import {clientFor} from './daemon.js';

test('a connection cannot be given to a worker thread, and stays usable', async (t) => {
  const {daemon, connection} = await clientFor(t);
  const jobs = connection.journal('jobs');
  const {port1, port2} = new MessageChannel();
  t.after(() => port1.close());
  for (const object of [connection, jobs, connection.queues('post'), connection.documents('docs')]) {
    // Either it cannot be copied, or the copy has no method and no socket.
    const use = (copy) => typeof copy.call === 'function' || typeof copy.put === 'function';
    let copy = {};
    try {
      copy = structuredClone(object);
      port2.postMessage(object);
    } catch (error) {
      assert.equal(error.name, 'DataCloneError');
    }
    assert.equal(use(copy), false);
  }
  const code = `const {parentPort, workerData} = require('node:worker_threads');
    import(workerData.index).then(async ({connect}) => {
      const own = await connect({server: workerData.server});
      parentPort.postMessage((await own.journal('jobs').put({name: 'of the thread'})).result);
      await own.close();
    });`;
  const index = new URL('../index.js', import.meta.url).href;
  const thread = new Worker(code, {eval: true, workerData: {server: daemon.tcp, index}});
  const said = await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
  assert.equal(said, 'inserted');
  assert.equal((await jobs.put({name: 'of the parent'})).result, 'inserted');
});
