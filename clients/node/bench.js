// Inserts a second of the client, by one connection: `node bench.js [--rows N] [--depth N] [--rounds N] [--json]`.
// FJ_BIN and FJ_PLUGINS name the folders of the programs and of the plugins. The daemon runs on the same computer, on a
// log in a temporary folder that is removed afterwards.
import {parseArgs} from 'node:util';

import {connect} from './index.js';
import {Daemon} from './test/daemon.js';

const {values} = parseArgs({
  options: {
    rows: {type: 'string', default: '400000'},
    depth: {type: 'string', default: '4096'},
    rounds: {type: 'string', default: '3'},
    json: {type: 'boolean', default: false},
  },
});
const rows = Number(values.rows);
const depth = Number(values.depth);

function* made(round) {
  for (let i = 0; i < rows; ++i) yield {name: `r${round}-${i}`, payload: 'http://example.com/a/page/of/it'};
}

const loads = {
  async 'putMany, tcp'({tcp}, round) {
    const connection = await connect({server: tcp});
    await connection.journal('jobs').putMany(made(`t${round}`), {depth});
    await connection.close();
  },
  async 'putMany, unix'({unix}, round) {
    const connection = await connect({server: unix});
    await connection.journal('jobs').putMany(made(`u${round}`), {depth});
    await connection.close();
  },
  async 'put, 1024 at once, tcp'({tcp}, round) {
    const connection = await connect({server: tcp});
    const jobs = connection.journal('jobs');
    const source = made(`p${round}`);
    const one = async () => {
      for (const row of source) await jobs.put(row);
    };
    await Promise.all(Array.from({length: 1024}, one));
    await connection.close();
  },
};

const results = [];
for (let round = 1; round <= Number(values.rounds); ++round) {
  for (const [load, run] of Object.entries(loads)) {
    const daemon = await new Daemon().start();
    try {
      const begun = performance.now();
      const cpu = process.cpuUsage();
      await run(daemon, round);
      const seconds = (performance.now() - begun) / 1000;
      const {user, system} = process.cpuUsage(cpu);
      results.push({
        load,
        round,
        rows,
        seconds: Number(seconds.toFixed(3)),
        rows_per_s: Math.round(rows / seconds),
        client_cpu_us_per_row: Number(((user + system) / rows).toFixed(2)),
      });
      if (values.json) console.log(JSON.stringify(results.at(-1)));
    } finally {
      await daemon.end();
      await daemon.remove();
    }
  }
}
if (!values.json) console.table(results);
