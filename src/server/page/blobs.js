// The blobs of a table in the order of their hashes, a page at a time; one of them by its name; and the maintenance, with
// how far it is. The daemon keeps no names: what was found by its name has one as long as the page shows this table.
import {ask} from './actions.js';
import {call, isAborted} from './api.js';
import {h, keyed, replace, say} from './dom.js';
import {bytes, clockTime, number, plural} from './format.js';
import {live} from './live.js';
import {empty, facts, link, scrolled, when} from './parts.js';

const PAGE = 100;
const EVERY_MS = 2000;
const HASH_DIGITS = 24;
const PHASES = [
  '', 'Maintenance: it is looked at which blobs are left out', 'Maintenance: blobs are copied into the new data file',
  'Maintenance: all is copied; files are exchanged when nobody was told a place by name for a minute',
  'Maintenance is over; the former data file waits for its readers'
];

export function maintain(table, stats) {
  const runs = stats?.maintenance_running === 1;
  ask({
    title: runs ? `End the maintenance of ${table}?` : `Begin a maintenance of ${table}?`,
    verb: runs ? 'End' : 'Begin',
    danger: runs,
    body:
        h('p', {},
          runs ? 'What was copied is dropped. No blob is lost, and nothing is left out.' :
                 'Blobs that are kept are copied into a new data file; what is replaced, omitted or expired goes. ' +
                  `At most ${bytes(stats?.blob_bytes ?? 0)} of disk space are needed meanwhile.`),
    async run(signal) {
      const [answer] = await call('MAINTAIN', {table, ...(runs ? {cancel: 1} : {})}, signal);
      return {
        begun: 'The maintenance has begun.',
        running: 'A maintenance runs already.',
        cancelled: 'The maintenance was ended.',
        idle: 'There was no maintenance any more.'
      }[answer.result] ??
          answer.result;
    },
  });
}

export function open(place, name, {query: first}) {
  let query = first;
  let controller = null;
  let asked = 0;
  let counters = '';
  const bar = h('progress', {max: '1', value: '0', 'aria-label': 'Blobs that are copied'});
  const phase = h('p', {class: 'note'});
  const running = h('section', {class: 'panel', 'aria-label': 'Maintenance', hidden: true}, phase, bar);
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const note = h('p', {class: 'note', role: 'status'});
  const body = h('tbody');
  const heads =
      [['Name, or its hash', 'key'], ['Bytes', 'n'], ['Stored', ''], ['File', 'n roomy'], ['Offset', 'n wide']];
  const list = scrolled(
      `Blobs of ${name}`,
      h('table', {class: 'rows blobs'},
        h('thead', {}, h('tr', {}, heads.map(([text, kind]) => h('th', {scope: 'col', class: kind}, text)))), body));
  const none = empty();
  const pager = h('nav', {class: 'pager', 'aria-label': 'Pages'});
  const names = new Map();  // of hashes
  let searching = null;
  const wanted = h('input', {name: 'key', type: 'search', autocomplete: 'off'});
  const form =
      h('form', {
        class: 'filters',
        role: 'search',
        'aria-label': 'Find a blob',
        on: {
          submit: (event) => {
            event.preventDefault();
            location.hash = link(['t', name], {key: wanted.value});
          }
        }
      },
        h('label', {}, 'Name (its key)', wanted), h('button', {type: 'submit'}, 'Find'));
  const found_one = h('div', {class: 'found', hidden: true, role: 'status'});
  place.append(
      running,
      h('section', {class: 'panel', 'aria-label': 'Blobs'}, form, found_one, problem, note, list, none, pager));

  async function find() {
    searching?.abort(new DOMException('again', 'AbortError'));
    const key = query.key ?? '';
    wanted.value = key;
    found_one.hidden = key === '';
    if (key === '') return;
    const mine = new AbortController();
    searching = mine;
    try {
      const [one] = await call('GET', {table: name, key}, mine.signal);
      if (one.result === 'absent') return replace(found_one, empty('There is no blob of this name.'));
      names.set(one.hash, key);
      replace(found_one, h('h2', {}, key), facts({
                'hash of its name': one.hash,
                size: plural(one.length, 'byte'),
                stored: when(one.entry_time * 1000, true),
                'hash of its bytes': one.content_hash,
                file: `${number(one.file)}, from byte ${number(one.begin)} on`
              }));
      load();
    } catch (failure) {
      if (!isAborted(failure)) replace(found_one, h('p', {class: 'error', role: 'alert'}, failure.message));
    }
  }

  function fill(row, one) {
    const its = names.get(one.hash);
    replace(
        row,
        h('th', {scope: 'row', class: 'key'},
          its === undefined ? one.hash : [its, ' ', h('span', {class: 'note'}, one.hash)]),
        h('td', {class: 'n'}, number(one.length)), h('td', {}, when(one.entry_time * 1000)),
        h('td', {class: 'n roomy'}, number(one.file)), h('td', {class: 'n wide'}, number(one.begin)));
  }

  async function load() {
    controller?.abort(new DOMException('again', 'AbortError'));
    const mine = new AbortController();
    controller = mine;
    asked = Date.now();
    counters = changes();
    problem.hidden = true;
    try {
      const answer =
          await call('LIST', {table: name, count: PAGE, ...(query.after ? {after: query.after} : {})}, mine.signal);
      const found = answer.filter((one) => one.command === 'BLOB');
      const next = answer.at(-1).after;
      keyed(body, found, (one) => one.hash, () => h('tr'), fill);
      list.hidden = found.length === 0;
      none.hidden = found.length > 0;
      replace(none, query.after ? 'No blob is left.' : 'This table has no blobs.');
      say(note, found.length === 0 ? '' : `${plural(found.length, 'blob')}, as of ${clockTime(Date.now())}`);
      replace(
          pager, query.after ? h('a', {class: 'button', href: link(['t', name])}, 'First page') : null,
          next === undefined || next === 'f'.repeat(HASH_DIGITS) ?
              null :
              h('a', {class: 'button', href: link(['t', name], {after: next})}, `Next ${PAGE}`),
          h('button', {type: 'button', on: {click: () => load()}}, 'Refresh'));
    } catch (failure) {
      if (isAborted(failure)) return;
      say(problem, failure.message);
      problem.hidden = false;
      say(note, '');
    } finally {
      if (controller === mine) controller = null;
    }
  }

  function changes() {
    const stats = live.tables.get(name)?.stats ?? {};
    return ['rows', 'puts', 'left_out', 'file_number'].map((one) => stats[one]).join();
  }

  function showMaintenance() {
    const stats = live.tables.get(name)?.stats ?? {};
    const at = stats.maintenance_phase ?? 0;
    running.hidden = at === 0;
    if (at === 0) return;
    const total = stats.maintenance_total_blobs ?? 0;
    say(phase,
        (PHASES[at] ?? 'Maintenance') +
            (total > 0 ? `: ${number(stats.maintenance_done_blobs)} of ${plural(total, 'blob')}, ${
                             bytes(stats.maintenance_bytes_done)} of ${bytes(stats.maintenance_bytes)}.` :
                         '.'));
    bar.hidden = total === 0;
    bar.max = Math.max(1, total);
    bar.value = stats.maintenance_done_blobs ?? 0;
  }

  say(note, 'Loading …');
  load();
  find();
  return {
    draw() {
      showMaintenance();
      if (live.state !== 'live' || controller !== null || Date.now() - asked < EVERY_MS) return;
      if (changes() !== counters) load();
    },
    navigate(now) {
      query = now;
      load();
      find();
    },
    close() {
      for (const one of [controller, searching]) one?.abort(new DOMException('closed', 'AbortError'));
    },
  };
}
