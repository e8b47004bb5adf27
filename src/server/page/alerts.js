// The alerts that are up, and the button that ends one.
import {action, lower} from './actions.js';
import {call} from './api.js';
import {h, keyed, replace} from './dom.js';
import {plural} from './format.js';
import {kindOf, live, refreshAlerts, rightsOnAll} from './live.js';
import {badge, empty, link, when} from './parts.js';

// The alerts of rows and documents, and which of them they are about; the number is in their words.
const ABOUT = {
  'row-failed': {words: 'Parked rows', query: {status: 'parked'}, one: /^row (\d+) of table /},
  'row-times-out': {one: /^row (\d+) of table /},
  'document-failed': {words: 'Failed documents', view: 'documents', query: {status: 'failed'}},
  'document-in-doubt': {words: 'Documents in doubt', view: 'documents', query: {status: 'in_doubt'}},
};
const ON_QUEUE = /^message \d+ is parked on queue (.+) of table (\S+) after /;

// Links from an alert to what it is about.
function linksOf({name, table, message}) {
  if (!table) return [];
  const queue = name === 'message-failed' ? ON_QUEUE.exec(message)?.[1] : undefined;
  if (queue !== undefined)
    return [h(
        'a', {class: 'button', href: link(['t', table, 'queue', queue], {status: 'parked'})},
        `Parked messages of ${queue}`)];
  if (name === 'failing' && live.tables.has(table) && kindOf(live.tables.get(table)) === 'rows')
    return [h('a', {class: 'button', href: link(['t', table], {status: 'waiting'})}, 'Rows that rest')];
  const about = ABOUT[name] ?? {};
  const row = about.one?.exec(message)?.[1];
  return [
    row === undefined ? null : h('a', {class: 'button', href: link(['t', table, 'row', row])}, `Row ${row}`),
    about.words === undefined ?
        null :
        h('a', {class: 'button', href: link(['t', table, about.view ?? ''].filter((part) => part !== ''), about.query)},
          about.words)
  ];
}

export function open(main) {
  const items = h('ul', {class: 'alerts'});
  const none = empty('No alert is up.');
  main.replaceChildren(h('div', {class: 'head'}, h('h1', {tabindex: '-1'}, 'Alerts')), none, items);
  const rights = new Map();  // of a table; '' for the daemon

  function allowed(alert) {
    const table = alert.table ?? '';
    if (table === '') return rightsOnAll();
    if (!rights.has(table)) {
      rights.set(table, null);
      call('RIGHTS', {table}).then(([answer]) => {
        rights.set(table, String(answer.rights ?? '').split(' '));
        draw();
      }, () => rights.delete(table));
    }
    return rights.get(table);
  }

  function fill(item, alert) {
    const may = allowed(alert);
    const now = JSON.stringify([alert, may]);
    if (item.shown === now) return;
    item.shown = now;
    const focused = item.contains(document.activeElement);
    replace(
        item,
        h('div', {class: 'alert-head'},
          badge(
              alert.priority >= 50 ? 'urgent' : 'notice',
              `priority ${alert.priority} of 100; from 50 on it should reach an operator`),
          h('strong', {}, alert.name),
          alert.table ? h('a', {href: link(['t', alert.table])}, alert.table) : h('span', {class: 'note'}, 'daemon'),
          h('span', {class: 'note'}, `priority ${alert.priority}`)),
        h('p', {}, alert.message),
        h('p', {class: 'note'}, plural(alert.count, 'time'), ', first ', when(alert.first), ', last ', when(alert.last),
          alert.manual_down ? '. It stays until it is lowered.' : '. It ends with its cause.',
          alert.tags ? ` ${alert.tags}` : ''),
        h('div', {class: 'buttons'}, linksOf(alert),
          action('Lower …', 'manage', may, () => lower(alert, refreshAlerts))));
    if (focused) item.querySelector('button')?.focus();
  }

  function draw() {
    keyed(items, live.alerts, (one) => `${one.table ?? ''} ${one.name}`, () => h('li', {class: 'panel'}), fill);
    none.hidden = live.alerts.length > 0 || live.state === 'connecting';
  }

  return {title: 'Alerts', draw};
}
