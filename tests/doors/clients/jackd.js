// jackd.
'use strict';
const Jackd = require('jackd');
const {closed, serve} = require('./words.js');

let client;

serve({
  async connect(port) {
    client = new Jackd();
    client.socket.on('close', closed);
    client.socket.on('error', closed);
    await client.connect({host: '127.0.0.1', port: Number(port)});
  },
  async put(tube, priority, delay, ttr, body) {
    await client.use(tube);
    return `inserted ${await client.put(body, {priority: Number(priority), delay: Number(delay), ttr: Number(ttr)})}`;
  },
  async watch(...tubes) {
    for (const tube of tubes) await client.watch(tube);
    const watched = (await client.listTubesWatched()).toString().match(/^- .*$/gm).map((one) => one.slice(2));
    for (const tube of watched)
      if (!tubes.includes(tube)) await client.ignore(tube);
  },
  async reserve(seconds) {
    try {
      const job = await client.reserveWithTimeout(Number(seconds));
      return `reserved ${job.id} ${job.payload}`;
    } catch (error) {
      if (/TIMED_OUT/.test(error.message)) return 'none';
      if (/DEADLINE_SOON/.test(error.message)) return 'soon';
      throw error;
    }
  },
  touch: (job) => client.touch(job),
  delete: (job) => client.delete(job),
  release: (job, priority, delay) => client.release(job, {priority: Number(priority), delay: Number(delay)}),
  bury: (job, priority) => client.bury(job, Number(priority)),
  async kick(tube, count) {
    await client.use(tube);
    return `kicked ${await client.kick(Number(count))}`;
  },
  'kick-job': (job) => client.kickJob(job),
  state: async (job) => `state ${(await client.statsJob(job)).toString().match(/^state: (.*)$/m)[1]}`,
});
