// The figures of a table: how long its rows or messages took, as histograms, and everything that STATS tells.
import {isAborted} from './api.js';
import {histogram} from './charts.js';
import {h, keyed, mark, say} from './dom.js';
import {buckets, help, metrics, show} from './figures.js';
import {kindOf, live} from './live.js';

const EVERY_MS = 5000;
const WORK = [
  ['lateness_ms', 'Lateness', 'from a date to the lease'],
  ['wait_ms', 'Wait', 'from arrival to the first lease'],
  ['processing_ms', 'Processing', 'from lease to DONE or ACCEPT'],
];
// By what a table has; others have none.
const HISTOGRAMS = {
  rows: WORK,
  queues: WORK,
  documents: [['sending_ms', 'Sending', 'from SENDING to SENT']],
};

// Name and value of each figure, with its meaning; redrawn in place. kind: of the table; '': of the daemon.
export function figureList(kind) {
  const body = h('tbody');
  return {
    node:
        h('table', {class: 'plain figures'},
          h('thead', {},
            h('tr', {}, h('th', {scope: 'col'}, 'Figure'), h('th', {scope: 'col', class: 'n'}, 'Value'),
              h('th', {scope: 'col', class: 'roomy'}, 'Meaning'))),
          body),
    set(stats) {
      const items = Object.entries(stats).filter(([name]) => !['command', 'table', 'left', 'request'].includes(name));
      keyed(
          body, items, ([name]) => name,
          ([name]) => h('tr', {}, h('th', {scope: 'row'}, name), h('td', {class: 'n'}), h('td', {class: 'roomy note'})),
          (row, [name, value]) => {
            const words = help(name, kind);
            say(row.children[1], show(name, value));
            mark(row.children[1], 'title', String(value));
            say(row.children[2], words === name ? '' : words.slice(name.length + 2));
          });
    },
  };
}

export function open(place, name) {
  const kind = kindOf(live.tables.get(name));
  const histograms = HISTOGRAMS[kind] ?? [];
  const charts = histograms.map(([, title, meaning]) => histogram(title, meaning));
  const figures = figureList(kind);
  if (histograms.length > 0)
    place.append(
        h('section', {class: 'panel', 'aria-label': 'Histograms'}, h('h2', {}, 'How long it takes'),
          h('p', {class: 'note'}, 'Since the start of the daemon.'),
          h('div', {class: 'charts'}, charts.map(({node}) => node))));
  place.append(
      h('section', {class: 'panel', 'aria-label': 'All figures'}, h('h2', {}, 'All figures'),
        h('p', {class: 'note'}, 'By the names of STATS and of ', h('code', {}, 'fastjournal top'), '.'), figures.node));
  let controller = null;
  let asked = 0;

  async function load() {
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    try {
      const text = await metrics(name, mine.signal);
      const stats = live.tables.get(name)?.stats ?? {};
      histograms.forEach(
          ([figure, , meaning], at) => charts[at].set(
              buckets(text, figure),
              `${meaning[0].toUpperCase()}${meaning.slice(1)}: half below ${
                  show(figure, stats[`${figure}_p50`] ?? 0)}, 99 of 100 below ${
                  show(figure, stats[`${figure}_p99`] ?? 0)}, at most ${show(figure, stats[`${figure}_max`] ?? 0)}.`));
    } catch (error) {
      if (!isAborted(error)) asked = Date.now();
    } finally {
      if (controller === mine) controller = null;
    }
  }

  return {
    draw() {
      const stats = live.tables.get(name)?.stats;
      if (stats) figures.set({...stats, ...live.tables.get(name).rates});
      if (histograms.length > 0 && live.state === 'live' && controller === null && Date.now() - asked >= EVERY_MS)
        load();
    },
    close: () => controller?.abort(new DOMException('closed', 'AbortError')),
  };
}
