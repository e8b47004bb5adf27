// The package beanstalkd of npm. It has no kick of several jobs.
'use strict';
const {default: Beanstalkd} = require('beanstalkd');
const {closed, serve} = require('./words.js');

let client;

serve({
  async connect(port) {
    client = new Beanstalkd('127.0.0.1', Number(port));
    await client.connect();
    client.on('close', closed);
  },
  async put(tube, priority, delay, ttr, body) {
    await client.use(tube);
    return `inserted ${await client.put(priority, delay, ttr, body)}`;
  },
  async watch(...tubes) {
    for (const tube of tubes) await client.watch(tube);
    for (const tube of await client.listTubesWatched())
      if (!tubes.includes(tube)) await client.ignore(tube);
  },
  async reserve(seconds) {
    try {
      const [job, body] = await client.reserveWithTimeout(seconds);
      return `reserved ${job} ${body}`;
    } catch (error) {
      if (/TIMED_OUT/.test(error.message)) return 'none';
      if (/DEADLINE_SOON/.test(error.message)) return 'soon';
      throw error;
    }
  },
  touch: async (job) => void await client.touch(job),
  delete: async (job) => void await client.delete(job),
  release: async (job, priority, delay) => void await client.release(job, priority, delay),
  bury: async (job, priority) => void await client.bury(job, priority),
  'kick-job': async (job) => void await client.kickJob(job),
  state: async (job) => `state ${(await client.statsJob(job)).state}`,
});
