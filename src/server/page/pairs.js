// The pairs of a key/value table, in the order of their keys, a page at a time; and what may be done with one.
import {action, ask, field} from './actions.js';
import {call, isAborted} from './api.js';
import {h, keyed, replace, say} from './dom.js';
import {clockTime, number, plural, shortened} from './format.js';
import {live} from './live.js';
import {badge, empty, facts, inputOf, link, openDialog, scrolled, when} from './parts.js';
import {shownValue} from './values.js';

const PAGE = 100;
const REQUESTS_MAX = 100;  // each looks at 10,000 keys
const EVERY_MS = 2000;

// A key that is no text comes as base64, and is asked for so.
const nameOf = (one) => (one.key === undefined ? {key_binary: one.key_binary} : {key: one.key});
const wordsOf = (one) => one.key ?? `base64:${one.key_binary}`;
// As text: numbers and truth values come as what they are, bytes as base64.
function valueOf(one) {
  if (one.type === 'void') return '';
  if (one.type === 'buffer') return `base64:${one.value}`;
  return String(one.value ?? `base64:${one.value_binary}`);
}
const timesOf = (one) => `${one.locked ? 'locked ' : ''}${one.worked_on ? 'worked on' : ''}`.trim();

// --- what may be done ---------------------------------------------------------

// pair: null for a new one.
export function store(table, pair, after) {
  const key =
      inputOf('keyvalue.SET.key', {value: pair?.key ?? '', 'aria-required': 'true', 'data-first': pair === null});
  const type = inputOf('keyvalue.SET.type', {value: pair?.type ?? 'string'});
  const value = h('textarea', {rows: '3', autocomplete: 'off', 'data-first': pair !== null});
  if (pair !== null) value.value = valueOf(pair);
  ask({
    title: pair === null ? `Store a value in ${table}` : `Change ${wordsOf(pair)}?`,
    verb: 'Store',
    body: [
      pair === null ? field('Key', key) : h('p', {}, 'If somebody else changes it meanwhile, nothing is stored.'),
      h('div', {class: 'fields'}, field('Type', type),
        field('Value', value, 'a buffer as base64, with or without base64: before it'))
    ],
    async run(signal) {
      const parameters = {
        table,
        type: type.value,
        ...(pair === null ? {key: key.value} : {...nameOf(pair), if_timestamp: pair.timestamp}),
        ...(type.value === 'void' ? {} : {value: value.value.replace(type.value === 'buffer' ? /^base64:/ : /^$/, '')})
      };
      // What else is said of it stays.
      if (pair?.ttl) parameters.ttl = pair.ttl;
      if (pair?.expiration_date && !pair.ttl) parameters.expiration_date = pair.expiration_date;
      if (pair !== null) parameters.persist = pair.persist ?? 0;
      const [answer] = await call('SET', parameters, signal);
      after?.();
      if (answer.result === 'mismatch') return 'Nothing was stored: it was changed meanwhile.';
      return answer.result === 'stored' ? 'Stored.' : `Nothing was stored: ${answer.result}.`;
    },
  });
}

function erase(table, pair, after) {
  ask({
    title: `Delete ${wordsOf(pair)}?`,
    verb: 'Delete',
    danger: true,
    body: h('p', {}, 'With all its keys. If somebody changes it meanwhile, it stays.'),
    async run(signal) {
      const [answer] = await call('DELETE', {table, ...nameOf(pair), if_timestamp: pair.timestamp}, signal);
      after?.();
      return answer.result === 'deleted' ? 'Deleted.' : `Nothing was deleted: ${answer.result}.`;
    },
  });
}

function factsOf(pair) {
  return facts({
    type: pair.type,
    size: plural(pair.size, 'byte'),
    ends: pair.expiration_date ? when(pair.expiration_date, true) : 'never',
    'ends when unused for': pair.ttl ? `${number(pair.ttl)} ms` : null,
    persist: pair.persist ? 'each change is synced before it is answered' : 'changes may be lost with the power',
    created: when(pair.creation_date, true),
    modified: when(pair.modification_date, true),
    'last used': when(pair.access_date, true),
    timestamp: pair.timestamp,
    'locked until': pair.lock_end ? when(pair.lock_end, true) : null,
    'worked on until': pair.worked_on_end ? when(pair.worked_on_end, true) : null,
    'other name of': pair.main_key ?? null
  });
}

async function look(table, pair, rights, after) {
  const here = location.hash;
  const [now] = await call('GET', {table, ...nameOf(pair), facts: 1});
  if (now.command !== 'PAIR') return after();
  const is_bytes = now.type === 'buffer' || now.value_binary !== undefined;
  const close = h('button', {type: 'button', 'data-first': true, on: {click: () => dialog.close()}}, 'Close');
  const then = (next) => () => {
    dialog.close();
    next();
  };
  const dialog =
      h('dialog', {'aria-label': `The pair ${wordsOf(pair)}`, on: {close: () => dialog.remove()}},
        h('h2', {}, wordsOf(pair)),
        shownValue('Value', is_bytes ? {base64: now.value_binary ?? now.value} : {text: valueOf(now)}), factsOf(now),
        h('div', {class: 'buttons'}, action('Change …', 'add', rights, then(() => store(table, now, after))),
          action('Delete …', 'add', rights, then(() => erase(table, now, after)), 'risky'), close));
  openDialog(dialog, close, here);
}

// --- the list -----------------------------------------------------------------

export function open(place, name, {query: first, rights}) {
  let query = first;
  let next = null;
  let controller = null;
  let asked = 0;
  let counters = '';
  let cost = 1;
  const prefix = inputOf('keyvalue.GET.prefix', {name: 'prefix', type: 'search'});
  const regex = inputOf('keyvalue.GET.regex', {name: 'regex', type: 'search'});
  const inputs = {prefix, regex};
  const given = () =>
      Object.fromEntries(Object.keys(inputs).filter((one) => query[one]).map((one) => [one, query[one]]));
  const form =
      h('form', {
        class: 'filters',
        role: 'search',
        'aria-label': 'Filter keys',
        on: {
          submit: (event) => {
            event.preventDefault();
            location.hash =
                link(['t', name], Object.fromEntries(Object.entries(inputs).map(([one, input]) => [one, input.value])));
          }
        }
      },
        h('label', {}, 'Key begins with', prefix), h('label', {}, 'Key matches (RE2)', regex),
        h('button', {type: 'submit'}, 'Filter'), h('a', {class: 'button', href: link(['t', name])}, 'All keys'));
  const note = h('p', {class: 'note', role: 'status'});
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const body = h('tbody');
  const heads =
      [['Key', 'key'], ['Type', 'roomy'], ['Value', 'data'], ['Ends', ''], ['', 'roomy'], ['Modified', 'wide']];
  const list = scrolled(
      `Pairs of ${name}`,
      h('table', {class: 'rows pairs'},
        h('thead', {}, h('tr', {}, heads.map(([text, kind]) => h('th', {scope: 'col', class: kind}, text)))), body));
  const none = empty();
  const pager = h('nav', {class: 'pager', 'aria-label': 'Pages'});
  place.append(h('section', {class: 'panel', 'aria-label': 'Pairs'}, form, problem, note, list, none, pager));

  function fill(row, one) {
    const text = JSON.stringify(one);
    if (row.shown === text) return;
    const focused = row.contains(document.activeElement);
    row.shown = text;
    const button = h('button', {type: 'button', class: 'link', on: {click: () => show(one)}}, shortened(wordsOf(one)));
    replace(
        row, h('th', {scope: 'row', class: 'key'}, button), h('td', {class: 'roomy'}, one.type),
        h('td', {class: 'data'}, shortened(valueOf(one))), h('td', {}, when(one.expiration_date)),
        h('td', {class: 'roomy'}, timesOf(one) === '' ? '' : badge(timesOf(one), 'by somebody, for a time')),
        h('td', {class: 'wide'}, when(one.modification_date)));
    if (focused) button.focus();
  }

  async function show(one) {
    try {
      await look(name, one, rights(), () => load(true));
    } catch (failure) {
      tell(failure);
    }
  }

  function tell(failure) {
    say(problem, failure.message);
    problem.hidden = false;
    say(note, '');
  }

  async function load(quietly) {
    controller?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    counters = changes();
    problem.hidden = true;
    const found = [];
    let after = query.after ? {after: query.after} : {};
    if (query.after_binary) after = {after_binary: query.after_binary};
    let requests = 0;
    try {
      do {
        const answer =
            await call('GET', {table: name, ...given(), ...after, facts: 1, count: PAGE - found.length}, mine.signal);
        requests += 1;
        for (const one of answer)
          if (one.command === 'PAIR') found.push(one);
        const last = answer.at(-1);
        after = last.after !== undefined    ? {after: last.after} :
            last.after_binary !== undefined ? {after_binary: last.after_binary} :
                                              null;
        if (!quietly && after !== null && found.length < PAGE)
          say(note, `${plural(found.length, 'pair')} so far, ${number(requests * 10_000)} keys looked at …`);
      } while (after !== null && found.length < PAGE && requests < REQUESTS_MAX);
    } catch (failure) {
      if (!isAborted(failure)) tell(failure);
      return;
    } finally {
      if (controller === mine) controller = null;
    }
    cost = requests;
    next = after;
    keyed(
        body, found.map(({command, table, left, after: _a, after_binary: _b, ...one}) => one), wordsOf, () => h('tr'),
        fill);
    list.hidden = found.length === 0;
    none.hidden = found.length > 0;
    replace(
        none,
        next !== null                       ? 'None among those that were looked at.' :
            Object.keys(given()).length > 0 ? 'No key fits.' :
                                              'This table has no pairs.');
    say(note, found.length === 0 ? '' : `${plural(found.length, 'pair')}, as of ${clockTime(Date.now())}`);
    const is_first = !query.after && !query.after_binary;
    replace(
        pager, is_first ? null : h('a', {class: 'button', href: link(['t', name], given())}, 'First page'),
        is_first ? null : h('button', {type: 'button', on: {click: () => history.back()}}, 'Back'),
        next === null ? null :
                        h('a', {class: 'button', href: link(['t', name], {...given(), ...next})}, `Next ${PAGE}`),
        h('button', {type: 'button', on: {click: () => load(false)}}, 'Refresh'));
  }

  function changes() {
    const stats = live.tables.get(name)?.stats ?? {};
    return ['rows', 'aliases', 'stored', 'locked', 'expired', 'evicted'].map((one) => stats[one]).join();
  }

  function take(now) {
    query = now;
    for (const [one, input] of Object.entries(inputs)) input.value = query[one] ?? '';
    say(note, 'Loading …');
    load(false);
  }

  take(first);
  return {
    draw() {
      if (live.state !== 'live' || controller !== null || Date.now() - asked < EVERY_MS || cost > 1) return;
      if (changes() !== counters) load(true);
    },
    reload: () => load(true),
    navigate: take,
    close: () => controller?.abort(new DOMException('closed', 'AbortError')),
  };
}
