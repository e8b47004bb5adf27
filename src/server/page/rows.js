// The rows of a table, a page at a time, by filters that are in the address. Only one page is ever in the document.
import {action, many} from './actions.js';
import {call, isAborted} from './api.js';
import {h, keyed, replace, say} from './dom.js';
import {clockTime, number, plural, shortened} from './format.js';
import {live} from './live.js';
import {badge, empty, inputOf, link, scrolled, when} from './parts.js';

const PAGE = 100;
const REQUESTS_MAX = 100;  // each looks at 10,000 rows
const EVERY_MS = 2000;
const DATA_COLUMNS = 3;
const HELP = {
  waiting: 'has a process date in the future',
  due: 'can be handed out',
  behind: 'waits for the row of its key that is processed',
  processing: 'is leased',
  parked: 'waits for an operator',
};

export const statusBadge = (status) => badge(status, HELP[status] ?? '');

export function open(place, name, {query: first, rights}) {
  let query = first;
  let rows = [];
  let next = null;
  let controller = null;
  let asked = 0;
  let counters = '';
  let cost = 1;
  const table = () => live.tables.get(name);
  const declared = table().declared;
  const has_key = declared.key.length > 0;
  const plain = declared.columns.filter((one) => one.type !== 'buffer' && !declared.key.includes(one.name));
  const shown = [...declared.columns.filter((one) => declared.key.includes(one.name)), ...plain].slice(
      0, Math.max(declared.key.length, DATA_COLUMNS));

  const status =
      inputOf('journal.LIST.status', {name: 'status', words: {'': 'all'}, on: {change: () => form.requestSubmit()}});
  const prefix = inputOf('journal.LIST.prefix', {name: 'prefix', type: 'search'});
  const domain = inputOf('journal.LIST.domain', {name: 'domain', type: 'search'});
  const error = inputOf('journal.LIST.error', {name: 'error', type: 'search'});
  const error_class = inputOf('journal.LIST.error_class', {name: 'error_class', type: 'search'});
  const inputs = {status, prefix, domain, error, error_class};
  const form =
      h('form', {
        class: 'filters',
        role: 'search',
        'aria-label': 'Filter rows',
        on: {
          submit: (event) => {
            event.preventDefault();
            location.hash = link(['t', name], filter());
          }
        }
      },
        h('label', {}, 'Status', status), has_key ? h('label', {}, `${declared.key[0]} begins with`, prefix) : null,
        h('label', {}, 'Domain', domain), h('label', {}, 'Error contains', error),
        h('label', {}, 'Error class', error_class), h('button', {type: 'submit'}, 'Filter'),
        h('a', {class: 'button', href: link(['t', name])}, 'All rows'));
  const note = h('p', {class: 'note', role: 'status'});
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const body = h('tbody');
  const head =
      h('tr', {}, h('th', {scope: 'col', class: 'n'}, 'Row'), h('th', {scope: 'col'}, 'Status'),
        shown.map((one) => h('th', {scope: 'col', class: declared.key.includes(one.name) ? 'key' : 'roomy'}, one.name)),
        h('th', {scope: 'col'}, 'Date'), h('th', {scope: 'col', class: 'n wide'}, 'Priority'),
        h('th', {scope: 'col', class: 'n roomy'}, 'Attempts'),
        h('th', {scope: 'col', class: 'roomy'}, 'Worker or error'));
  const list = scrolled(`Rows of ${name}`, h('table', {class: 'rows'}, h('thead', {}, head), body));
  const none = empty();
  const pager = h('nav', {class: 'pager', 'aria-label': 'Pages'});
  const bulk = h('div', {class: 'buttons', role: 'group', 'aria-label': 'Actions on all rows of the filter'});
  place.append(
      h('section', {class: 'panel', 'aria-label': 'Rows'}, form, problem, h('div', {class: 'over'}, note, bulk), list,
        none, pager));

  const filter = () => Object.fromEntries(Object.entries(inputs).map(([key, input]) => [key, input.value]));
  const asked_for = () =>
      Object.fromEntries(Object.keys(inputs).filter((key) => query[key]).map((key) => [key, query[key]]));

  function offer() {
    const may = rights();
    const by = asked_for();
    const filtered = Object.keys(by).length > 0;
    replace(
        bulk,
        action(filtered ? 'Kick all of these …' : 'Kick all parked …', 'manage', may, () => many('KICK', name, by)),
        filtered ? action('Delete all of these …', 'manage', may, () => many('DELETE', name, by), 'risky') : null);
  }

  function make(one) {
    const row = h('tr');
    row.shown = null;
    return fill(row, one);
  }

  // Each cell anew, but only if the row has changed: the link in it keeps its focus otherwise.
  function fill(row, one) {
    const text = JSON.stringify(one);
    if (row.shown === text) return row;
    const focused = row.contains(document.activeElement);
    row.shown = text;
    replace(
        row, h('th', {scope: 'row', class: 'n'}, h('a', {href: link(['t', name, 'row', one.row])}, one.row)),
        h('td', {}, statusBadge(one.status), one.progress === undefined ? null : ` ${one.progress} %`),
        shown.map(
            (column) =>
                h('td', {class: declared.key.includes(column.name) ? 'key' : 'roomy data'},
                  one[column.name] === undefined ? '' : shortened(one[column.name]))),
        h('td', {}, when(one.status === 'processing' ? one.lease_end : one.process_date)),
        h('td', {class: 'n wide'}, one.priority), h('td', {class: 'n roomy'}, one.attempts || ''),
        h('td', {class: 'roomy says'},
          one.error ? h('span', {class: 'bad'}, shortened(one.error)) : shortened(one.worker ?? '')));
    if (focused) row.querySelector('a').focus();
    return row;
  }

  async function load(quietly) {
    controller?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    counters = changes();
    problem.hidden = true;
    const found = [];
    let after = query.after || undefined;
    let requests = 0;
    try {
      do {
        const answer = await call(
            'LIST', {table: name, ...asked_for(), count: PAGE - found.length, ...(after === undefined ? {} : {after})},
            mine.signal);
        requests += 1;
        for (const one of answer)
          if (one.command === 'ROW') found.push(one);
        after = answer.at(-1).after;
        if (!quietly && after !== undefined && found.length < PAGE)
          say(note, `${plural(found.length, 'row')} so far, ${number(requests * 10_000)} looked at …`);
      } while (after !== undefined && found.length < PAGE && requests < REQUESTS_MAX);
    } catch (failure) {
      if (isAborted(failure)) return;
      say(problem, failure.message);
      problem.hidden = false;
      say(note, '');
      return;
    } finally {
      if (controller === mine) controller = null;
    }
    cost = requests;
    rows = found.map(({command, table: _table, left, after: _after, ...one}) => one);
    next = after ?? null;
    draw_rows(requests === REQUESTS_MAX && found.length < PAGE);
  }

  function draw_rows(stopped) {
    keyed(body, rows, (one) => one.row, make, fill);
    list.hidden = rows.length === 0;
    none.hidden = rows.length > 0;
    const by = asked_for();
    const filtered = Object.keys(by).length > 0;
    if (rows.length === 0)
      replace(
          none,
          stopped         ? 'None among those that were looked at.' :
              query.after ? 'No more rows.' :
              filtered    ? 'No row matches this filter.' :
                            'This table is empty.');
    say(note,
        rows.length === 0 ?
            '' :
            `${plural(rows.length, 'row')}${query.after ? ` behind row ${query.after}` : ''}, as of ${
                clockTime(
                    Date.now())}${cost > 1 ? '; not refreshed by itself, since many rows must be looked at' : ''}`);
    replace(
        pager, query.after ? h('a', {class: 'button', href: link(['t', name], by)}, 'First page') : null,
        query.after ? h('button', {type: 'button', on: {click: () => history.back()}}, 'Back') : null,
        next !== null ? h('a', {class: 'button', href: link(['t', name], {...by, after: next})},
                          stopped ? 'Look on' : `Next ${PAGE}`) :
                                    null,
        h('button', {type: 'button', on: {click: () => load(false)}}, 'Refresh'));
  }

  // Anything that changes rows changes one of these.
  function changes() {
    const stats = table()?.stats ?? {};
    return [
      'rows', 'rows_future', 'rows_due', 'rows_processing', 'rows_parked', 'rows_behind', 'inserted', 'merged',
      'leased', 'done', 'released', 'timed_out', 'failed', 'kicked', 'deleted', 'expired', 'paused'
    ].map((one) => stats[one])
        .join();
  }

  function take(now) {
    query = now;
    for (const [key, input] of Object.entries(inputs)) input.value = query[key] ?? '';
    offer();
    say(note, 'Loading …');
    load(false);
  }

  take(first);
  return {
    draw() {
      if (live.state !== 'live' || controller !== null || Date.now() - asked < EVERY_MS || cost > 1) return;
      if (changes() !== counters) load(true);
    },
    rights: offer,
    navigate: take,
    close: () => controller?.abort(new DOMException('closed', 'AbortError')),
  };
}
