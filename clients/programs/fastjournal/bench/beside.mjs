// The works of beside.py that need Node: `node beside.mjs fastjournal|bullmq SOCKET SECONDS WINDOW [FOLDER]`. Prints rows,
// seconds and processor time as JSON. FOLDER is where npm has installed bullmq.
import {randomBytes} from 'node:crypto';
import {createRequire} from 'node:module';

import {connect} from '../node/index.js';

const [work, address, seconds, window, folder] = process.argv.slice(2);
const payloads = Array.from({length: 64}, () => randomBytes(200));
const prefix = randomBytes(4).toString('hex');
const depth = Number(window);
const end = performance.now() + Number(seconds) * 1000;

function* rows() {
  for (let count = 0; performance.now() < end;)
    for (const payload of payloads) yield {name: `${prefix}-${count++}`, payload};
}

async function fastjournal() {
  const connection = await connect({server: address});
  const {inserted} = await connection.journal('bench').putMany(rows(), {depth});
  await connection.close();
  return inserted;
}

async function bullmq() {
  const {Queue} = createRequire(`${folder}/package.json`)('bullmq');
  const queue = new Queue('jobs', {connection: {path: address}});
  await queue.waitUntilReady();
  // JSON has no bytes.
  const texts = payloads.map((payload) => payload.toString('base64'));
  let count = 0;
  const some = async () => {
    while (performance.now() < end) {
      const first = count;
      count += depth;
      const job = (_, i) => {
        const name = `${prefix}-${first + i}`;
        return {name, data: {payload: texts[i % 64]}, opts: {jobId: name}};
      };
      await queue.addBulk(Array.from({length: depth}, job));
    }
  };
  // One batch is made while the other is on its way.
  await Promise.all([some(), some()]);
  await queue.close();
  return count;
}

const begun = performance.now();
const inserted = await{fastjournal, bullmq}[work]();
const {user, system} = process.cpuUsage();
console.log(
    JSON.stringify({rows: inserted, seconds: (performance.now() - begun) / 1000, cpu_s: (user + system) / 1e6}));
process.exit(0);
