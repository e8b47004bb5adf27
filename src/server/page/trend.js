// What happened in a table over a day or a month, as it keeps figures of it (keep-figures): done, failed, waiting, and how
// late rows were handed out.
import {call, isAborted} from './api.js';
import {bars} from './charts.js';
import {h, replace, say} from './dom.js';
import {date, plural, span} from './format.js';
import {clock, live} from './live.js';
import {empty, link} from './parts.js';

const EVERY_MS = 30_000;
const PAGES_MAX = 4;
const COUNT = 1500;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
// A bar is `width` long, and of figures that are `per` long.
const SPANS = {
  day: {title: 'Day', per: 'minute', width: 15 * MINUTE, count: 96, ends: ['24 h ago', '12 h ago', 'now']},
  month: {title: 'Month', per: 'hour', width: 6 * HOUR, count: 124, ends: ['31 d ago', '15 d ago', 'now']},
};
const each = (one, other) => ({
  heads: ['When', one],
  words: (value) => plural(value, other, other),
  none: `nothing ${other}`,
});
const CHARTS = [
  ['done', 'Done', each('Rows', 'done')],
  ['failed', 'Failed or timed out', each('Attempts', 'failed or timed out')],
  [
    'waiting', 'Waiting',
    {heads: ['When', 'Rows'], words: (value) => plural(value, 'row'), none: 'nothing waited', sum: null}
  ],
  [
    'p99', 'Lateness', {
      heads: ['When', '99 of 100 below', 'half below'],
      words: (value, item) => `${span(value)}${item ? `, half of them ${span(item.p50)}` : ''}`,
      short: span,
      none: 'nothing was late',
      sum: null,
      inner: 'p50'
    }
  ],
];

async function figures(table, {per}, signal) {
  const out = [];
  let after;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await call('FIGURES', {table, per, count: COUNT, ...(after ? {after} : {})}, signal);
    for (const one of found)
      if (one.command === 'FIGURE') out.push(one);
    after = found.at(-1).after;
    if (after === undefined) return {all: out, reason: found.at(-1).reason};
  }
  return {all: out};
}

// Bars up to now. What waited stays until a later figure says otherwise.
function spread(all, {width, count}, now) {
  const first = Math.floor(now / width) - count + 1;
  const out = Array.from(
      {length: count}, (_one, at) => ({begin: (first + at) * width, done: 0, failed: 0, leased: 0, late: 0, p99: 0}));
  for (const one of all) {
    const bar = out[Math.floor(one.date / width) - first];
    if (!bar) continue;
    bar.done += one.done;
    bar.failed += one.failed + one.timed_out;
    bar.leased += one.leased;
    bar.late += one.lateness_ms_p50 * one.leased;
    bar.p99 = Math.max(bar.p99, one.lateness_ms_p99);
    bar.waiting = one.waiting;
  }
  let waiting = all.findLast((one) => one.date < first * width)?.waiting ?? 0;
  for (const bar of out) {
    waiting = bar.waiting ?? waiting;
    bar.waiting = waiting;
    bar.p50 = bar.leased > 0 ? Math.round(bar.late / bar.leased) : 0;
  }
  return out;
}

export function open(place, name, {query: first}) {
  let chosen = SPANS[first.span] ?? SPANS.day;
  let charts = [];
  let controller = null;
  let asked = 0;
  const links = h('nav', {class: 'buttons', 'aria-label': 'Span'});
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const none = empty('Loading …');
  const note = h('p', {class: 'note'});
  const drawing = h('div', {class: 'charts trend'});
  place.append(h('section', {class: 'panel', 'aria-label': 'Trend'}, links, problem, none, note, drawing));

  function arrange() {
    replace(
        links,
        Object.entries(SPANS).map(
            ([key, one]) =>
                h('a', {
                  class: 'button',
                  href: link(['t', name, 'trend'], {span: key}),
                  'aria-current': one === chosen ? 'true' : null
                },
                  one.title)));
    charts = CHARTS.map(([, title, what]) => bars(title, chosen.ends, what));
    charts[1].node.classList.add('bad-bars');
    replace(drawing, charts.map(({node}) => node));
    drawing.hidden = true;
    load();
  }

  async function load() {
    controller?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    try {
      const {all, reason} = await figures(name, chosen, mine.signal);
      problem.hidden = true;
      none.hidden = all.length > 0;
      drawing.hidden = all.length === 0;
      note.hidden = all.length === 0;
      if (all.length === 0)
        return replace(
            none,
            reason ? 'This table keeps no figures. With ' : 'Nothing has happened yet, or the minute is not over.',
            reason ? [h('code', {}, '<keep-figures>true</keep-figures>'), ' in its file it does, from then on.'] :
                     null);
      const found = spread(all, chosen, clock());
      say(note,
          `Each bar is ${span(chosen.width)} long. ${
              plural(
                  found.reduce((sum, one) => sum + one.done, 0),
                  'row')} done since ${date(Math.max(found[0].begin, all[0].date)).slice(0, 16)}.`);
      CHARTS.forEach(
          ([figure], at) => charts[at].set(
              found.map((one) => ({label: date(one.begin).slice(0, 16), rows: one[figure], p50: one.p50}))));
    } catch (error) {
      if (isAborted(error)) return;
      say(problem, error.message);
      problem.hidden = false;
    } finally {
      if (controller === mine) controller = null;
    }
  }

  arrange();
  return {
    draw() {
      if (live.state === 'live' && controller === null && Date.now() - asked >= EVERY_MS) load();
    },
    navigate(query) {
      const next = SPANS[query.span] ?? SPANS.day;
      if (next === chosen) return;
      chosen = next;
      arrange();
    },
    close: () => controller?.abort(new DOMException('closed', 'AbortError')),
  };
}
