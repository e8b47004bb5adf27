// node-beanstalk. Its bodies are JSON.
'use strict';
const {Client} = require('node-beanstalk');
const {Connection} = require('node-beanstalk/dist/Connection');
const {closed, serve} = require('./words.js');

let client;

// It tells a job that is not there by null or false.
const done = (is_there) => is_there ? 'ok' : 'no';

serve({
  async connect(port) {
    const connection = new Connection();
    connection.on('close', closed).on('error', closed);
    client = new Client({host: '127.0.0.1', port: Number(port)}, connection);
    await client.connect();
  },
  async put(tube, priority, delay, ttr, body) {
    await client.use(tube);
    return `inserted ${(await client.put(body, Number(ttr), Number(priority), Number(delay))).id}`;
  },
  async watch(...tubes) {
    for (const tube of tubes) await client.watch(tube);
    for (const tube of await client.listTubesWatched())
      if (!tubes.includes(tube)) await client.ignore(tube);
  },
  async reserve(seconds) {
    try {
      const job = await client.reserveWithTimeout(Number(seconds));
      return job ? `reserved ${job.id} ${job.payload}` : 'none';
    } catch (error) {
      if (/DEADLINE_SOON/.test(error.message)) return 'soon';
      throw error;
    }
  },
  touch: async (job) => done(await client.touch(Number(job))),
  delete: async (job) => done(await client.delete(Number(job))),
  release: async (job, priority, delay) => done(await client.release(Number(job), Number(priority), Number(delay))),
  bury: async (job, priority) => done(await client.bury(Number(job), Number(priority))),
  async kick(tube, count) {
    await client.use(tube);
    return `kicked ${await client.kick(Number(count))}`;
  },
  'kick-job': async (job) => done(await client.kickJob(Number(job))),
  state: async (job) => `state ${(await client.statsJob(Number(job)))?.state}`,
});
