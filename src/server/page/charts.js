// Drawings of figures, each with the same in words or as a table for who does not see them.
import {h, replace, say, svg} from './dom.js';
import {number, plural} from './format.js';

const HEIGHT = 48;

// Bars beside each other: items are {label, rows}, from left to right; ends are the labels below. What they count is said
// by `what`: heads of the table, words of a value, and of none; `sum` of all is shown unless it is null, then the last is.
// With `inner`, items have a second value of that name, which is drawn within the first.
const ROWS = {
  heads: ['Due', 'Rows'],
  words: (value) => plural(value, 'row'),
  short: number,
  none: 'nothing falls due',
  sum: (items) => items.reduce((one, item) => one + item.rows, 0),
  inner: null,
};

export function bars(title, ends, what = {}) {
  const {heads, words, short, none, sum: added, inner} = {...ROWS, ...what};
  const drawing = svg('svg', {
    class: 'bars',
    role: 'img',
    'aria-label': 'not known yet',
    preserveAspectRatio: 'none',
    viewBox: `0 0 10 ${HEIGHT}`
  });
  const sum = h('span', {class: 'sum'}, '–');
  const most = h('span', {class: 'most'});
  const rows = h('tbody');
  const summary = h('summary', {}, 'As a table');
  const node =
      h('section', {class: 'chart', 'aria-label': title}, h('div', {class: 'chart-head'}, h('h3', {}, title), sum),
        drawing, h('div', {class: 'axis', 'aria-hidden': 'true'}, ends.map((end) => h('span', {}, end))), most,
        h('details', {}, summary,
          h('table', {class: 'plain'},
            h('thead', {},
              h('tr', {}, h('th', {scope: 'col'}, heads[0]),
                heads.slice(1).map((head) => h('th', {scope: 'col', class: 'n'}, head)))),
            rows)));
  let shown = '';
  return {
    node,
    set(items) {
      const now = items.map((item) => `${item.label}=${item.rows}=${item[inner]}`).join();
      if (now === shown) return;
      shown = now;
      const highest = items.reduce((one, item) => Math.max(one, item.rows), 0);
      const all = added === null ? items.at(-1)?.rows ?? 0 : added(items);
      say(sum, short(all));
      say(most, highest > 0 ? `at most ${short(highest)}${added === null ? '' : ' in a bar'}` : none);
      drawing.setAttribute('viewBox', `0 0 ${Math.max(items.length, 1) * 10} ${HEIGHT}`);
      drawing.setAttribute(
          'aria-label',
          highest > 0 ? `${words(all)}, at most ${short(highest)}${added === null ? '' : ' in a bar'}` : none);
      replace(
          drawing, svg('path', {class: 'ground', d: `M0 ${HEIGHT - 0.5}H${items.length * 10}`}),
          items.map((item, at) => {
            if (item.rows === 0) return null;
            const height = Math.max(2, (item.rows / highest) * (HEIGHT - 2));
            const within = inner === null ? 0 : (item[inner] / highest) * (HEIGHT - 2);
            return [
              svg('rect', {x: at * 10 + 1, width: 8, y: HEIGHT - height, height},
                  svg('title', {}, `${item.label}: ${words(item.rows, item)}`)),
              within > 0 ? svg('rect', {class: 'inner', x: at * 10 + 1, width: 8, y: HEIGHT - within, height: within}) :
                           null
            ];
          }));
      const filled = items.filter((item) => item.rows > 0);
      replace(
          rows,
          filled.length > 0 ? filled.map(
                                  (item) =>
                                      h('tr', {}, h('td', {}, item.label), h('td', {class: 'n'}, short(item.rows)),
                                        inner === null ? null : h('td', {class: 'n'}, short(item[inner])))) :
                              h('tr', {}, h('td', {colspan: String(heads.length)}, 'nothing')));
    },
  };
}

// The last minute of a rate, without axes.
export function sparkline() {
  const path = svg('path', {d: ''});
  const node =
      svg('svg', {class: 'spark', 'aria-hidden': 'true', viewBox: '0 0 60 16', preserveAspectRatio: 'none'}, path);
  return {
    node,
    set(values) {
      const known = values.map((value) => (Number.isFinite(value) ? value : 0));
      const highest = Math.max(...known, 1e-9);
      const first = 60 - known.length;
      const line =
          known.map((value, at) => `${at === 0 ? 'M' : 'L'}${first + at} ${(15 - (value / highest) * 14).toFixed(1)}`)
              .join('');
      if (path.getAttribute('d') !== line) path.setAttribute('d', line);
    },
  };
}

// How often a value was in which range: items are {label, count}.
export function histogram(title, help) {
  const body = h('tbody');
  const note = h('p', {class: 'note'});
  const node =
      h('section', {class: 'chart', 'aria-label': title},
        h('div', {class: 'chart-head'}, h('h3', {title: help}, title)), note,
        h('table', {class: 'histogram'},
          h('thead', {},
            h('tr', {}, h('th', {scope: 'col'}, 'up to'), h('th', {scope: 'col', class: 'n'}, 'rows'),
              h('th', {scope: 'col', class: 'n'}, 'share'), h('th', {'aria-hidden': 'true'}))),
          body));
  return {
    node,
    set(items, words) {
      const all = items.reduce((one, item) => one + item.count, 0);
      const highest = items.reduce((one, item) => Math.max(one, item.count), 0);
      say(note, words);
      const last = items.findLastIndex((item) => item.count > 0);
      const first = Math.max(0, items.findIndex((item) => item.count > 0));
      replace(
          body,
          all === 0 ?
              h('tr', {}, h('td', {colspan: '4'}, 'nothing since the start')) :
              items.slice(first, last + 1)
                  .map(
                      (item) =>
                          h('tr', {}, h('th', {scope: 'row', class: 'n'}, item.label),
                            h('td', {class: 'n'}, number(item.count)), h('td', {class: 'n'}, share(item.count, all)),
                            h('td', {class: 'bar', 'aria-hidden': 'true'},
                              svg('svg', {viewBox: '0 0 100 8', preserveAspectRatio: 'none'}, svg('rect', {
                                    x: 0,
                                    y: 0,
                                    height: 8,
                                    width: item.count === 0 ? 0 : Math.max(0.7, (item.count / highest) * 100)
                                  }))))));
    },
  };
}

function share(count, all) {
  const percent = (count / all) * 100;
  if (count === 0) return '';
  return percent < 0.1 ? '<0.1 %' : `${percent.toFixed(1)} %`;
}

// One of several parts of a whole: {label, value, kind}.
export function meter(label, value, most, words) {
  const part = most > 0 ? Math.min(1, value / most) : 0;
  return h(
      'div', {class: 'meter'}, h('span', {}, label),
      svg('svg', {viewBox: '0 0 100 6', preserveAspectRatio: 'none', role: 'img', 'aria-label': words},
          svg('rect', {class: 'rest', width: 100, height: 6}), svg('rect', {width: part * 100, height: 6})),
      h('span', {class: 'n'}, words));
}
