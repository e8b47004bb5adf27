// One table: its state and figures, what may be done with it, and below that one of several views of it.
import {action, halt, insert} from './actions.js';
import {call} from './api.js';
import * as blobs from './blobs.js';
import * as consumers from './consumers.js';
import * as documents from './documents.js';
import {h, mark, replace, say} from './dom.js';
import * as domains from './domains.js';
import * as exchanges from './exchanges.js';
import {help, learn, show} from './figures.js';
import {date, number} from './format.js';
import * as groups from './groups.js';
import * as history from './history.js';
import {clock, figure, kindOf, live} from './live.js';
import * as pairs from './pairs.js';
import {badge, empty, link, setBadge, stateOf, tile} from './parts.js';
import * as plan from './plan.js';
import * as queue from './queue.js';
import {send} from './queue_actions.js';
import * as queues from './queues.js';
import * as row from './row.js';
import * as rows from './rows.js';
import * as schedules from './schedules.js';
import * as tableFigures from './table_figures.js';
import {timeline} from './timeline.js';
import * as trend from './trend.js';
import * as workers from './workers.js';

const TILES = [
  ['rows', 'Rows'],
  ['rows_due', 'Due'],
  ['first_due_age_ms', 'First due for'],
  ['rows_future', 'Waiting'],
  ['rows_processing', 'Processing'],
  ['rows_behind', 'Behind'],
  ['rows_held', 'Held back'],
  ['rows_parked', 'Parked'],
  ['in_per_s', 'In/s'],
  ['done_per_s', 'Done/s'],
  ['attempts_failed_per_s', 'Failed/s'],
  ['lateness_ms_p99_minute', 'Late p99'],
];

const TILES_OF_PAIRS = [
  ['rows', 'Pairs'],
  ['aliases', 'Other keys'],
  ['tombstones', 'Deleted, remembered'],
  ['locked', 'Locked'],
  ['watchers', 'Watched'],
  ['memory_bytes', 'Memory'],
  ['hits_per_s', 'Hits/s'],
  ['misses_per_s', 'Misses/s'],
  ['stored_per_s', 'Changes/s'],
  ['expired_per_s', 'Ended/s'],
  ['evicted_per_s', 'Dropped/s'],
];

const TILES_OF_BLOBS = [
  ['rows', 'Blobs'],
  ['blob_bytes', 'Bytes'],
  ['file_bytes', 'Data file'],
  ['garbage_bytes', 'Replaced'],
  ['memory_bytes', 'Memory'],
  ['puts_per_s', 'Puts/s'],
  ['hits_per_s', 'Hits/s'],
  ['misses_per_s', 'Misses/s'],
  ['maintenance_done_blobs', 'Copied'],
  ['maintenance_total_blobs', 'of blobs'],
  ['outside_damaged', 'Damaged'],
];

const TILES_OF_QUEUES = [
  ['rows', 'Messages'],
  ['rows_due', 'Due'],
  ['first_due_age_ms', 'First due for'],
  ['rows_future', 'Waiting'],
  ['rows_processing', 'Acquired'],
  ['rows_parked', 'Parked'],
  ['queues', 'Queues'],
  ['lateness_ms_p99_minute', 'Late p99'],
  ['sent_per_s', 'Sent/s'],
  ['accepted_per_s', 'Accepted/s'],
  ['attempts_failed_per_s', 'Failed/s'],
  ['dead_per_s', 'Dead/s'],
];

const TILES_OF_DOCUMENTS = [
  ['rows', 'Documents'],
  ['documents_open', 'Open'],
  ['rows_due', 'Due'],
  ['rows_future', 'Resting'],
  ['rows_processing', 'With workers'],
  ['rows_parked', 'Failed'],
  ['in_doubt', 'In doubt'],
  ['destinations_paused', 'Paused'],
  ['found_per_s', 'Found/s'],
  ['sent_per_s', 'Sent/s'],
  ['failures_per_s', 'Failed/s'],
  ['sending_ms_p99_minute', 'Sending p99'],
];

// More than none is bad.
const BAD = ['rows_parked', 'attempts_failed_per_s', 'failures_per_s', 'in_doubt', 'destinations_paused'];
const DRAINS = {
  rows: 'Drains: inserts are refused until somebody resumes it.',
  documents: 'Drains: documents that are new or have changed are refused until somebody resumes it.',
};

const due = {
  open(place, name) {
    const chart = timeline();
    place.append(h('section', {class: 'panel'}, h('h2', {}, 'Due dates'), chart.node));
    chart.of(name);
    return {draw: () => chart.look(), close: () => chart.close()};
  },
};

const VIEWS = [
  {path: '', title: 'Rows', view: rows},
  {path: 'due', title: 'Due dates', view: due},
  {path: 'domains', title: 'Domains', view: domains},
  {path: 'workers', title: 'Workers', view: workers},
  {path: 'schedules', title: 'Schedules', view: schedules},
  {path: 'groups', title: 'Groups', view: groups},
  {path: 'history', title: 'History', view: history},
  {path: 'trend', title: 'Trend', view: trend},
  {path: 'figures', title: 'Figures', view: tableFigures},
];

const VIEWS_OF_PAIRS = [
  {path: '', title: 'Pairs', view: pairs},
  {path: 'figures', title: 'Figures', view: tableFigures},
];

const VIEWS_OF_BLOBS = [
  {path: '', title: 'Blobs', view: blobs},
  {path: 'figures', title: 'Figures', view: tableFigures},
];

const VIEWS_OF_QUEUES = [
  {path: '', title: 'Queues', view: queues},
  {path: 'exchanges', title: 'Exchanges', view: exchanges},
  {path: 'consumers', title: 'Consumers', view: consumers},
  {path: 'figures', title: 'Figures', view: tableFigures},
];

const VIEWS_OF_DOCUMENTS = [
  {path: '', title: 'Plan', view: plan},
  {path: 'documents', title: 'Documents', view: documents},
  {path: 'figures', title: 'Figures', view: tableFigures},
];

// One of the first view, by its name in the place.
const ONE_OF = {
  row: {view: row, title: (name) => `Row ${name}`},
  queue: {view: queue, title: (name) => `Queue ${name}`},
};

// By what a table has (kindOf).
const SHOWN = {
  rows: {tiles: TILES, views: VIEWS},
  pairs: {tiles: TILES_OF_PAIRS, views: VIEWS_OF_PAIRS},
  blobs: {tiles: TILES_OF_BLOBS, views: VIEWS_OF_BLOBS},
  queues: {tiles: TILES_OF_QUEUES, views: VIEWS_OF_QUEUES},
  documents: {tiles: TILES_OF_DOCUMENTS, views: VIEWS_OF_DOCUMENTS},
};

export function open(main, {path, query}) {
  const [name] = path;
  const state = badge('unknown');
  let views = VIEWS;
  let tiles = [];
  let kind = null;  // of the table, once it is known
  const why = h('p', {class: 'note', hidden: true});
  const buttons = h('div', {class: 'buttons', role: 'group', 'aria-label': `Actions on ${name}`});
  const description = h('p', {class: 'note'});
  const tabs = h('nav', {class: 'tabs', 'aria-label': `Views of ${name}`});
  const tileList = h('dl', {class: 'tiles small'});
  const place = h('div', {class: 'view'});
  const gone = empty(
      'There is no table ', h('code', {}, name), ', or none that you may read. ', h('a', {href: '#/'}, 'All tables'));
  const all = h('div', {}, tileList, why, tabs, place);
  main.replaceChildren(
      h('div', {class: 'head'},
        h('div', {}, h('p', {class: 'crumbs'}, h('a', {href: '#/'}, 'Tables'), ' /'),
          h('h1', {tabindex: '-1'}, name, ' ', state), description),
        buttons),
      gone, all);

  let rights = null;
  let asked = '';
  let view = null;
  let which = null;
  let shownState = '';
  let reasonAt = '';

  // What kind of table it is, is known once it is declared.
  function arrange(table) {
    if (kind === kindOf(table)) return;
    kind = kindOf(table);
    views = SHOWN[kind].views;
    tiles = SHOWN[kind].tiles.map(([figureName, label]) => ({name: figureName, ...tile(label)}));
    replace(tileList, tiles.map(({node}) => node));
    replace(
        tabs, views.map((one) => h('a', {href: link(['t', name, one.path].filter((part) => part !== ''))}, one.title)));
  }

  async function askRights() {
    const key = `${live.rights?.user ?? ''}|${live.rights?.rights ?? ''}|${live.rights?.grants ?? ''}`;
    if (key === asked || live.rights === null || !live.tables.has(name)) return;
    asked = key;
    try {
      rights = String((await call('RIGHTS', {table: name}))[0].rights ?? '').split(' ');
    } catch {
      asked = '';
      return;
    }
    shownState = '';
    view?.rights?.(rights);
    draw();
  }

  function offer(stats) {
    const now = `${asked}|${stateOf(stats)}|${stats.maintenance_running ?? ''}`;
    if (now === shownState) return;
    shownState = now;
    const held = stats.paused || stats.draining;
    const make = (label, right, run) => action(label, right, rights, run);
    const stop = (label, command) =>
        make(label, 'manage', () => halt(command, name, live.tables.get(name)?.stats, kind));
    const focused = buttons.contains(document.activeElement);
    if (kind === 'blobs')
      replace(
          buttons,
          make(
              stats.maintenance_running ? 'End maintenance …' : 'Maintain …', 'manage',
              () => blobs.maintain(name, live.tables.get(name)?.stats)));
    else if (kind === 'queues')
      replace(
          buttons, make('Send …', 'add', () => send(name, path[1] === 'queue' ? path[2] : '', () => view?.reload?.())));
    else if (kind === 'documents')
      replace(
          buttons, stats.draining ? stop('Resume …', 'RESUME') : null,
          stats.draining ? null : stop('Drain …', 'DRAIN'));
    else if (kind === 'pairs')
      replace(buttons, make('Store …', 'add', () => pairs.store(name, null, () => view?.reload?.())));
    else
      replace(
          buttons, make('Insert …', 'add', () => insert(live.tables.get(name))),
          held ? stop('Resume …', 'RESUME') : null, stats.paused ? null : stop('Pause …', 'PAUSE'),
          stats.draining ? null : stop('Drain …', 'DRAIN'));
    if (focused) buttons.querySelector('button')?.focus();
  }

  // Who paused it, and why, is what a refused NEXT is told; WHY of any row tells it too, but there may be none.
  async function explain(stats) {
    const key = `${stateOf(stats)}`;
    if (key === reasonAt) return;
    reasonAt = key;
    why.hidden = key === 'open';
    if (key === 'open') return;
    say(why,
        key === 'paused'      ? 'Paused: nothing is handed out until somebody resumes it.' :
            key === 'failing' ? 'Most attempts of the last minutes failed. What failed rests, and is tried again.' :
                                DRAINS[kind] ?? DRAINS.rows);
    if (key !== 'paused') return;
    try {
      const [one] = await call('LIST', {table: name, status: 'paused', count: 1});
      if (one.command !== 'ROW') return;
      const [reason] = await call('WHY', {table: name, row: one.row});
      if (reason.by && stateOf(live.tables.get(name)?.stats) === 'paused')
        say(why,
            `Paused by ${reason.by} since ${date(reason.since)}${
                reason.reason ? `: ${reason.reason}` : ''}. Nothing is handed out until somebody resumes it.`);
    } catch {
      // The sentence above is true without it.
    }
  }

  function draw() {
    const table = live.tables.get(name);
    gone.hidden = table !== undefined || live.state === 'connecting';
    all.hidden = table === undefined;
    buttons.hidden = table === undefined;
    if (!table) return;
    arrange(table);
    say(description, table.declared.description ?? '');
    askRights();
    if (table.stats) {
      offer(table.stats);
      explain(table.stats);
      setBadge(state, stateOf(table.stats));
      // Of others it is told when it is not the usual one.
      state.hidden = kind !== 'rows' && stateOf(table.stats) === 'open';
      for (const one of tiles) {
        const value = figure(table, one.name);
        say(one.value,
            one.name === 'first_due_age_ms' && !table.stats.rows_due ? '–' :
                /^(rows|aliases|tombstones|locked|watchers|maintenance|outside_damaged|queues)/.test(one.name) &&
                    value !== undefined ?
                                                                       number(value) :
                                                                       show(one.name, value));
        mark(one.node, 'title', help(one.name, kind));
        one.node.classList.toggle('bad', BAD.includes(one.name) && value > 0);
      }
    }
    if (which === null) show_view(path, query);
    view?.draw?.(clock());
    learn(name).then((is_new) => is_new && draw());
  }

  function show_view(nextPath, nextQuery) {
    const isOne = nextPath[1] in ONE_OF;
    const next = isOne ? ONE_OF[nextPath[1]] : views.find((one) => one.path === (nextPath[1] ?? '')) ?? views[0];
    tabs.querySelectorAll('a').forEach((one, at) => {
      if (views[at] === next)
        one.setAttribute('aria-current', 'page');
      else if (isOne && at === 0)
        one.setAttribute('aria-current', 'true');
      else
        one.removeAttribute('aria-current');
    });
    const key = isOne ? `${nextPath[1]} ${nextPath[2]}` : next.path;
    if (which === key && view?.navigate) return view.navigate(nextQuery);
    view?.close?.();
    place.replaceChildren();
    which = key;
    view = next.view.open(place, name, {row: nextPath[2], query: nextQuery, rights: () => rights});
    return view.draw?.(clock());
  }

  return {
    get title() { return path[1] in ONE_OF ? `${ONE_OF[path[1]].title(path[2])} of ${name}` : name; },
    draw,
    // True: the same table, with what was kept.
    navigate(next) {
      if (next.path[0] !== name) return false;
      ({path, query} = next);
      if (which !== null) show_view(path, query);
      return true;
    },
    close: () => view?.close?.(),
  };
}
