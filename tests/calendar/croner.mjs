// Dates of croner (npm), for references.py: the lines of dates.cpp in, its lines out.
// `no-wildcard`: fixed times are those without `*` and step, as in doc/schedules.md.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';

const {Cron} = createRequire(`${process.argv[2]}/`)('croner');

for await (const line of createInterface({input: process.stdin})) {
  const [expression, zone, from, before] = line.split('\t');
  try {
    const cron = new Cron(expression, {paused: true, timezone: zone, fixedTimeRule: 'no-wildcard', sloppyRanges: true});
    const dates = [];
    let at = new Date(Number(from) * 1000 - 1000);
    for (;;) {
      at = cron.nextRun(at);
      if (at === null || at.getTime() >= Number(before) * 1000) break;
      if (at.getTime() >= Number(from) * 1000) dates.push(at.getTime() / 1000);
    }
    console.log(dates.join(' '));
  } catch (error) {
    console.log(`! ${error.message}`);
  }
}
