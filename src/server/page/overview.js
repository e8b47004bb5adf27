// All tables with their state and rates, and when the rows of one of them fall due.
import {sparkline} from './charts.js';
import {h, keyed, mark, say} from './dom.js';
import {help, learn, show} from './figures.js';
import {number, shortly} from './format.js';
import {alertsOf, figure, kindOf, live} from './live.js';
import {badge, empty, link, scrolled, setBadge, setWhen, stateOf, tile} from './parts.js';
import {timeline} from './timeline.js';

// In the order of the columns. narrow: shown on small screens too.
const COLUMNS = [
  {name: 'rows_due', head: 'Due', narrow: true},
  {name: 'first_due_age_ms', head: 'For', wide: true},
  {name: 'rows_processing', head: 'Processing'},
  {name: 'rows_future', head: 'Waiting'},
  {name: 'rows_parked', head: 'Parked', narrow: true},
  {name: 'in_per_s', head: 'In/s'},
  {name: 'leased_per_s', head: 'Leased/s', wide: true},
  {name: 'done_per_s', head: 'Done/s', narrow: true},
  {name: 'attempts_failed_per_s', head: 'Failed/s'},
  {name: 'lateness_ms_p99_minute', head: 'Late p99'},
];

// Of tables of key/value pairs.
const COLUMNS_OF_PAIRS = [
  {name: 'rows', head: 'Pairs', narrow: true},
  {name: 'memory_bytes', head: 'Memory', narrow: true},
  {name: 'hits_per_s', head: 'Hits/s', narrow: true},
  {name: 'misses_per_s', head: 'Misses/s'},
  {name: 'stored_per_s', head: 'Changes/s'},
  {name: 'expired_per_s', head: 'Ended/s', wide: true},
  {name: 'evicted_per_s', head: 'Dropped/s'},
  {name: 'locked', head: 'Locked', wide: true},
  {name: 'watchers', head: 'Watched', wide: true},
];

const COLUMNS_OF_BLOBS = [
  {name: 'rows', head: 'Blobs', narrow: true},
  {name: 'blob_bytes', head: 'Bytes', narrow: true},
  {name: 'garbage_bytes', head: 'Replaced'},
  {name: 'puts_per_s', head: 'Puts/s', narrow: true},
  {name: 'hits_per_s', head: 'Hits/s', narrow: true},
  {name: 'misses_per_s', head: 'Misses/s', wide: true},
  {name: 'maintenance_done_blobs', head: 'Copied'},
  {name: 'maintenance_total_blobs', head: 'of blobs'},
  {name: 'outside_damaged', head: 'Damaged', wide: true},
];

const COLUMNS_OF_QUEUES = [
  {name: 'rows', head: 'Messages', narrow: true},
  {name: 'rows_due', head: 'Due', narrow: true},
  {name: 'rows_processing', head: 'Acquired'},
  {name: 'rows_parked', head: 'Parked', narrow: true},
  {name: 'sent_per_s', head: 'Sent/s'},
  {name: 'accepted_per_s', head: 'Accepted/s'},
  {name: 'attempts_failed_per_s', head: 'Failed/s'},
  {name: 'dead_per_s', head: 'Dead/s', wide: true},
  {name: 'queues', head: 'Queues', wide: true},
];

const COLUMNS_OF_DOCUMENTS = [
  {name: 'rows', head: 'Documents', narrow: true},
  {name: 'documents_open', head: 'Open', narrow: true},
  {name: 'rows_due', head: 'Due'},
  {name: 'rows_future', head: 'Resting', wide: true},
  {name: 'rows_processing', head: 'With workers'},
  {name: 'rows_parked', head: 'Failed', narrow: true},
  {name: 'in_doubt', head: 'In doubt'},
  {name: 'destinations_paused', head: 'Paused'},
  {name: 'found_per_s', head: 'Found/s', wide: true},
  {name: 'sent_per_s', head: 'Sent/s'},
  {name: 'failures_per_s', head: 'Failed/s'},
];
const BAD = ['rows_parked', 'attempts_failed_per_s', 'failures_per_s', 'in_doubt', 'destinations_paused'];

// Tables without rows, each kind in a panel of its own: a figure is named by its column.
function panelOf(kind, title, columns) {
  const body = h('tbody');
  const heads = columns.map((column) => h('th', {scope: 'col', class: classOf(column)}, column.head));
  const node =
      h('section', {class: 'panel', 'aria-label': `${title}s`},
        scrolled(
            `${title}s`,
            h('table', {class: 'tables'},
              h('thead', {},
                h('tr', {}, h('th', {scope: 'col'}, title), heads, h('th', {scope: 'col', class: 'n last'}, 'Alerts'))),
              body)));

  function make(one) {
    return h(
        'tr', {}, h('th', {scope: 'row'}, h('a', {href: link(['t', one.name])}, one.name), ' ', badge('failing')),
        columns.map((column) => h('td', {class: classOf(column)})), h('td', {class: 'n last'}));
  }

  function update(row, one) {
    row.firstChild.lastChild.hidden = stateOf(one.stats) !== 'failing';
    columns.forEach((column, at) => {
      const value = figure(one, column.name);
      say(row.children[at + 1], show(column.name, value));
      row.children[at + 1].classList.toggle('zero', !value);
      row.children[at + 1].classList.toggle('bad', BAD.includes(column.name) && value > 0);
    });
    const alerts = alertsOf(one.name).length;
    say(row.lastChild, alerts || '');
    row.lastChild.classList.toggle('bad', alerts > 0);
  }

  return {
    kind,
    node,
    draw(tables) {
      keyed(body, tables, (one) => one.name, make, update);
      node.hidden = tables.length === 0;
      columns.forEach((column, at) => mark(heads[at], 'title', help(column.name, kind)));
    },
  };
}

const classOf = (column) => `n${column.wide ? ' wide' : ''}${column.narrow ? '' : ' roomy'}`;

export function open(main) {
  const tiles = {
    rows: tile('Rows'), due: tile('Due'), processing: tile('Processing'), parked: tile('Parked'),
    in: tile('In/s', 'in_per_s of all tables'), done: tile('Done/s', 'done_per_s of all tables'),
    failed: tile('Failed/s', 'attempts_failed_per_s of all tables, failures_per_s of pipelines'),
    late: tile(
        'Late p99',
        'lateness_ms_p99_minute of the latest table: 99 of 100 rows that were leased in the last minute were less late'),
    sync: tile('Sync p99', 'sync_us_p99: 99 of 100 syncs of the slowest log since the start were quicker'),
  };
  const heads = COLUMNS.map((column) => h('th', {scope: 'col', class: classOf(column)}, column.head));
  const body = h('tbody');
  const nothing = empty(
      'There is no table. A table is a file in the tables folder (', h('code', {}, 'conf/tables.d/NAME.xml'),
      '); then: ', h('code', {}, 'fastjournal reload'), '.');
  const table =
      h('table', {class: 'tables'},
        h('thead', {},
          h('tr', {}, h('th', {scope: 'col'}, 'Table'), h('th', {scope: 'col'}, 'State'), heads,
            h('th', {scope: 'col', class: 'wide'}, 'Done, last minute'),
            h('th', {scope: 'col', class: 'wide'}, 'Next date'), h('th', {scope: 'col', class: 'n last'}, 'Alerts'))),
        body);
  const list = scrolled('Tables', table);
  const others = [
    panelOf('pairs', 'Key/value table', COLUMNS_OF_PAIRS),
    panelOf('blobs', 'Blob table', COLUMNS_OF_BLOBS),
    panelOf('queues', 'Queue table', COLUMNS_OF_QUEUES),
    panelOf('documents', 'Pipeline table', COLUMNS_OF_DOCUMENTS),
  ];
  const rowsPanel = h('section', {class: 'panel', 'aria-label': 'Tables'}, list, nothing);
  const select = h('select', {id: 'due-of', on: {change: () => choose(select.value)}});
  const due = timeline();
  const later =
      h('section', {class: 'panel due', 'aria-labelledby': 'due-head'},
        h('div', {class: 'panel-head'}, h('h2', {id: 'due-head'}, 'Due dates'), h('label', {for: 'due-of'
          }, 'of'), select), due.node);
  main.replaceChildren(
      h('h1', {class: 'hidden-text', tabindex: '-1'}, 'Tables'),
      h('dl', {class: 'tiles'}, Object.values(tiles).map(({node}) => node)),
      h('div', {class: 'columns'}, h('div', {}, rowsPanel, others.map(({node}) => node)), later));

  function choose(name) { due.of(name); }

  function make(one) {
    const row =
        h('tr', {}, h('th', {scope: 'row'}, h('a', {href: link(['t', one.name])}, one.name)),
          h('td', {}, badge('unknown')), COLUMNS.map((column) => h('td', {class: classOf(column)})));
    row.parts = {spark: sparkline(), next: h('td', {class: 'wide'}), alerts: h('td', {class: 'n last'})};
    row.append(h('td', {class: 'wide'}, row.parts.spark.node), row.parts.next, row.parts.alerts);
    return row;
  }

  function update(row, one) {
    setBadge(row.children[1].firstChild, stateOf(one.stats));
    COLUMNS.forEach((column, at) => {
      const cell = row.children[at + 2];
      const value = figure(one, column.name);
      const is_none = column.name === 'first_due_age_ms' && !one.stats?.rows_due;
      say(cell, is_none ? '' : column.name.startsWith('rows') ? shown(value) : show(column.name, value));
      cell.classList.toggle('zero', !value);
      cell.classList.toggle('bad', BAD.includes(column.name) && value > 0);
    });
    row.parts.spark.set(one.history);
    const next = one.stats?.next_date ?? 0;
    setWhen(row.parts.next, one.stats?.rows_due > 0 ? 0 : next);
    const alerts = alertsOf(one.name).length;
    say(row.parts.alerts, alerts || '');
    row.parts.alerts.classList.toggle('bad', alerts > 0);
  }

  function draw() {
    const all = [...live.tables.values()].sort((a, b) => a.name.localeCompare(b.name));
    const tables = all.filter((one) => kindOf(one) === 'rows');
    keyed(body, tables, (one) => one.name, make, update);
    for (const other of others) other.draw(all.filter((one) => kindOf(one) === other.kind));
    list.hidden = tables.length === 0;
    later.hidden = tables.length === 0;
    nothing.hidden = all.length > 0 || live.state === 'connecting';
    rowsPanel.hidden = list.hidden && nothing.hidden;
    const sum = (name) => tables.reduce((all, one) => all + (figure(one, name) || 0), 0);
    const known = tables.some((one) => one.stats);
    say(tiles.rows.value, known ? number(sum('rows')) : '–');
    say(tiles.due.value, known ? number(sum('rows_due')) : '–');
    say(tiles.processing.value, known ? number(sum('rows_processing')) : '–');
    say(tiles.parked.value, known ? number(sum('rows_parked')) : '–');
    tiles.parked.node.classList.toggle('bad', sum('rows_parked') > 0);
    say(tiles.in.value, known ? shortly(sum('in_per_s')) : '–');
    say(tiles.done.value, known ? shortly(sum('done_per_s')) : '–');
    // Of a pipeline, whose attempts are deliveries, it has another name.
    const failedOf = (one) => figure(one, 'attempts_failed_per_s') || figure(one, 'failures_per_s') || 0;
    const failed = all.reduce((sum, one) => sum + failedOf(one), 0);
    say(tiles.failed.value, all.some((one) => one.stats) ? shortly(failed) : '–');
    tiles.failed.node.classList.toggle('bad', failed > 0);
    say(tiles.late.value,
        show(
            'lateness_ms_p99_minute',
            tables.map((one) => one.stats?.lateness_ms_p99_minute)
                .reduce((most, one) => (one !== undefined && !(one <= most) ? one : most), undefined)));
    say(tiles.sync.value, live.daemon ? show('sync_us_p99', live.daemon.sync_us_p99) : '–');
    COLUMNS.forEach((column, at) => mark(heads[at], 'title', help(column.name)));
    keyed(select, tables, (one) => one.name, (one) => h('option', {value: one.name}, one.name), () => {});
    if (tables.length > 0 && !tables.some((one) => one.name === due.table()))
      choose(tables.reduce((most, one) => ((one.stats?.rows ?? 0) > (most.stats?.rows ?? 0) ? one : most)).name);
    if (select.value !== due.table()) select.value = due.table();
    for (const kind of ['rows', 'pairs', 'blobs', 'queues', 'documents']) {
      const one = all.find((table) => kindOf(table) === kind);
      if (one) learn(one.name).then((is_new) => is_new && draw());
    }
    due.look();
  }

  return {title: 'Tables', draw, close: () => due.close()};
}

const shown = (value) => (value === undefined ? '–' : number(value));
