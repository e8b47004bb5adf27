// fivebeans.
'use strict';
const {client: Client} = require('fivebeans');
const {closed, serve} = require('./words.js');

let client;

// Its functions end by a callback: (error, value...).
const ask = (name, ...given) => new Promise((resolve, reject) => {
  client[name](...given, (error, ...values) => error ? reject(new Error(error)) : resolve(values));
});

serve({
  connect: (port) => new Promise((resolve, reject) => {
    client = new Client('127.0.0.1', Number(port));
    client.on('connect', () => resolve()).on('error', reject).on('close', closed).connect();
  }),
  async put(tube, priority, delay, ttr, body) {
    await ask('use', tube);
    return `inserted ${await ask('put', priority, delay, ttr, body)}`;
  },
  async watch(...tubes) {
    for (const tube of tubes) await ask('watch', tube);
    const [watched] = await ask('list_tubes_watched');
    for (const tube of watched)
      if (!tubes.includes(tube)) await ask('ignore', tube);
  },
  async reserve(seconds) {
    try {
      const [job, body] = await ask('reserve_with_timeout', seconds);
      return `reserved ${job} ${body}`;
    } catch (error) {
      if (/TIMED_OUT/.test(error.message)) return 'none';
      if (/DEADLINE_SOON/.test(error.message)) return 'soon';
      throw error;
    }
  },
  touch: async (job) => void await ask('touch', job),
  delete: async (job) => void await ask('destroy', job),
  release: async (job, priority, delay) => void await ask('release', job, priority, delay),
  bury: async (job, priority) => void await ask('bury', job, priority),
  async kick(tube, count) {
    await ask('use', tube);
    return `kicked ${await ask('kick', count)}`;
  },
  'kick-job': async (job) => void await ask('kick_job', job),
  state: async (job) => `state ${(await ask('stats_job', job))[0].state}`,
});
