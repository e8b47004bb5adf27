// A list that is asked for in pages of 100, and again while it is looked at: domains, waiting connections, queues and
// their messages.
import {call, isAborted} from './api.js';
import {h, keyed, replace, say} from './dom.js';
import {live} from './live.js';
import {empty, scrolled} from './parts.js';

const EVERY_MS = 2000;
const PAGE = 100;

// columns: [{head, class, title, cell(item) -> children}]. requests: the most for a page, where one request may look at
// more than it finds. took(items): of each page.
export function list(
    place, {command, parameters, answer, label, columns, key, nothing, kind = '', requests = 1, took}) {
  const body = h('tbody');
  const table = scrolled(
      label,
      h('table', {class: `plain ${kind}`},
        h('thead', {},
          h('tr', {}, columns.map((one) => h('th', {scope: 'col', class: one.class, title: one.title}, one.head)))),
        body));
  const none = empty('Loading …');
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const pager = h('nav', {class: 'pager', 'aria-label': `Pages of ${label}`});
  place.append(problem, table, none, pager);
  table.hidden = true;
  let from = [undefined];
  let controller = null;
  let asked = 0;
  let asks = 1;  // requests that the page has cost

  function fill(row, item) {
    const text = JSON.stringify(item);
    if (row.shown === text) return;
    row.shown = text;
    replace(
        row,
        columns.map(
            (one, at) =>
                h(at === 0 ? 'th' : 'td', {class: one.class, scope: at === 0 ? 'row' : null}, one.cell(item))));
  }

  async function load() {
    controller?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    let more = from.at(-1);
    try {
      const items = [];
      let last;
      asks = 0;
      do {
        const after = more === undefined ? {} : {after: more};
        const found = await call(command, {...parameters, count: PAGE - items.length, ...after}, mine.signal);
        for (const {left, after: _after, in_doubt_for, ...one} of found)
          if (one.command === answer) items.push(one);
        last = found.at(-1);
        more = last.after;
        asks += 1;
      } while (more !== undefined && items.length < PAGE && asks < requests);
      problem.hidden = true;
      took?.(items);
      keyed(body, items, key, () => h('tr'), fill);
      table.hidden = items.length === 0;
      none.hidden = items.length > 0;
      if (items.length === 0) replace(none, nothing(last));
      replace(
          pager,
          from.length > 1 ? h('button', {
            type: 'button',
            on: {
              click: () => {
                from.pop();
                load();
              }
            }
          },
                              'Back') :
                            null,
          more === undefined ? null :
                               h('button', {
                                 type: 'button',
                                 on: {
                                   click: () => {
                                     from.push(more);
                                     load();
                                   }
                                 }
                               },
                                 `Next ${PAGE}`));
    } catch (error) {
      if (isAborted(error)) return;
      say(problem, error.message);
      problem.hidden = false;
      none.hidden = true;
    } finally {
      if (controller === mine) controller = null;
    }
  }

  load();
  return {
    draw() {
      if (live.state === 'live' && controller === null && Date.now() - asked >= EVERY_MS * asks &&
          !pager.contains(document.activeElement))
        load();
    },
    reload: load,
    // As after a change of what the visitor may do.
    redraw() {
      for (const row of body.children) row.shown = '';
      load();
    },
    close() {
      controller?.abort(new DOMException('closed', 'AbortError'));
      from = [undefined];
    },
  };
}
