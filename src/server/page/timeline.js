// When the rows of a table fall due: in the next minute, hour and day. Asked again while it is looked at.
import {call, isAborted} from './api.js';
import {bars} from './charts.js';
import {h, say} from './dom.js';
import {clockTime, date, number} from './format.js';
import {live} from './live.js';

const EVERY_MS = 2000;
const SHARE = 10;  // at most a tenth of the time is spent on asking
const PAGES_MAX = 64;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const KINDS = [
  {title: 'Next minute', width: SECOND, count: 60, ends: ['now', '30 s', '1 min']},
  {title: 'Next hour', width: MINUTE, count: 60, ends: ['now', '30 min', '1 h']},
  {title: 'Next day', width: HOUR, count: 24, ends: ['now', '12 h', '24 h']},
];

// The buckets of all pages, added up.
async function buckets(parameters, signal) {
  const sums = new Map();
  let now;
  let after;
  let pages = 0;
  do {
    const answer = await call('TIMELINE', after === undefined ? parameters : {...parameters, after, now}, signal);
    for (const one of answer) {
      now ??= one.now;
      after = one.after;
      if (one.command !== 'DUE') continue;
      const key = `${one.from} ${one.to}`;
      const sum = sums.get(key) ?? {from: one.from, to: one.to, rows: 0};
      sum.rows += one.rows;
      sums.set(key, sum);
    }
    pages += 1;
  } while (after !== undefined && pages < PAGES_MAX);
  return {now, buckets: [...sums.values()], whole: after === undefined};
}

// Seconds are the first bar of the hour, minutes the first of the day. A bucket is beyond `from`, up to `to`.
function spread({now, buckets}) {
  const out = {due: 0, later: 0, charts: KINDS.map(({count}) => new Array(count).fill(0))};
  for (const one of buckets) {
    const width = one.to - one.from;
    const kind = KINDS.findIndex((item) => item.width === width);
    if (one.from === 0)
      out.due += one.rows;
    else if (one.to === 0 || kind < 0)
      out.later += one.rows;
    else
      out.charts.forEach((bars, at) => {
        const place = Math.floor((one.from - now) / KINDS[at].width);
        if (at >= kind && place < bars.length) bars[place] += one.rows;
      });
  }
  return out;
}

export function timeline() {
  const charts = KINDS.map((kind) => bars(kind.title, kind.ends));
  const due = h('dd', {}, '–');
  const later = h('dd', {}, '–');
  const problem = h('p', {class: 'error', hidden: true});
  const node =
      h('div', {class: 'timeline'},
        h('dl', {class: 'pair'}, h('div', {}, h('dt', {}, 'Due already'), due),
          h('div', {}, h('dt', {}, 'After a day'), later)),
        problem, h('div', {class: 'charts'}, charts.map((chart) => chart.node)));
  let table = '';
  let again = 0;
  let controller = null;

  async function ask() {
    const mine = new AbortController();
    controller = mine;
    const began = Date.now();
    try {
      const found = await buckets({table}, mine.signal);
      if (mine !== controller) return;
      problem.hidden = found.whole;
      if (!found.whole) say(problem, 'The table is too large to be counted whole.');
      draw(found);
    } catch (error) {
      if (isAborted(error) || mine !== controller) return;
      say(problem, error.message);
      problem.hidden = false;
    } finally {
      if (mine === controller) controller = null;
      again = Date.now() + Math.max(EVERY_MS, (Date.now() - began) * SHARE);
    }
  }

  function draw(found) {
    const all = spread(found);
    say(due, number(all.due));
    say(later, number(all.later));
    charts.forEach((chart, at) => {
      const {width} = KINDS[at];
      chart.set(all.charts[at].map((rows, place) => {
        const from = found.now + place * width;
        return {
          label: `${width === SECOND ? clockTime(from) : date(from).slice(0, 16)} to ${clockTime(from + width)}`,
          rows
        };
      }));
    });
  }

  return {
    node,
    table: () => table,
    of(name) {
      if (name === table) return;
      controller?.abort(new DOMException('another table', 'AbortError'));
      controller = null;
      table = name;
      again = 0;
      this.look();
    },
    look() {
      if (table !== '' && live.state === 'live' && controller === null && Date.now() >= again) ask();
    },
    close() {
      controller?.abort(new DOMException('closed', 'AbortError'));
      table = '';
    },
  };
}
