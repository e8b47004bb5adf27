// Who waits for work of a table, and who has which of its rows.
import {underWay} from './actions.js';
import {h} from './dom.js';
import {list} from './pages.js';
import {badge, courseOf, link, when} from './parts.js';

const MODES = {
  wake: 'LISTEN: is told that there is work',
  row: 'LISTEN mode=row: is told of each row or message',
  deliver: 'LISTEN mode=deliver: is sent what is due',
  next: 'a NEXT or ACQUIRE that waits',
};

// Of any table that can be listened to.
function waiters(place, name) {
  return list(place, {
    command: 'WAITERS',
    parameters: {table: name},
    answer: 'WAITER',
    label: `Waiting for ${name}`,
    key: (one) => `${one.connection} ${one.mode} ${one.topic ?? ''} ${one.since}`,
    nothing: () => 'Nobody waits for work of this table. Workers that are busy are listed below.',
    columns: [
      {head: 'Worker', class: 'key', cell: (one) => one.worker || one.peer || `connection ${one.connection}`},
      {head: 'Waits by', cell: (one) => badge(one.mode, MODES[one.mode] ?? '')},
      {head: 'State', cell: (one) => one.state ?? ''},
      {head: 'Of', title: 'a domain or a queue; empty: the whole table', cell: (one) => one.topic ?? ''},
      {head: 'User', cell: (one) => one.user ?? ''},
      {head: 'Peer', class: 'roomy', cell: (one) => one.peer ?? ''},
      {head: 'Credit', class: 'n', title: 'rows or messages it may have at once', cell: (one) => one.credit ?? ''},
      {head: 'Has', class: 'n', title: 'sent to it and not done', cell: (one) => one.leases ?? ''},
      {head: 'Since', cell: (one) => when(one.since)},
      {head: 'Until', class: 'roomy', cell: (one) => when(one.until)},
    ],
  });
}

// Both panels; `leases`: the list of who has what.
export function panels(place, name, title, leases) {
  const waiting = h('section', {class: 'panel'}, h('h2', {}, 'Listeners and waiting commands'));
  const leased = h('section', {class: 'panel'}, h('h2', {}, title));
  place.append(waiting, leased);
  const parts = [waiters(waiting, name), list(leased, leases)];
  return {
    leases: parts[1],
    draw: () => parts.forEach((one) => one.draw()),
    close: () => parts.forEach((one) => one.close())
  };
}

export function open(place, name, {rights}) {
  let rows = null;
  const both = panels(place, name, 'Rows being processed', {
    command: 'LIST',
    parameters: {table: name, status: 'processing'},
    answer: 'ROW',
    label: `Rows of ${name} being processed`,
    key: (one) => one.row,
    nothing: () => 'No row is being processed.',
    columns: [
      {head: 'Row', class: 'n', cell: (one) => h('a', {href: link(['t', name, 'row', one.row])}, one.row)},
      {head: 'Worker', class: 'key', cell: (one) => one.worker ?? ''},
      {head: 'Progress', cell: (one) => courseOf(one) ?? ''},
      {head: 'Lease ends', cell: (one) => when(one.lease_end)},
      {head: 'Attempts before', class: 'n roomy', cell: (one) => one.attempts || ''},
      {
        head: 'End it',
        class: 'roomy',
        cell: (one) =>
            h('div', {class: 'buttons', role: 'group', 'aria-label': `Actions on row ${one.row}`},
              underWay(name, one.row, rights(), () => rows.reload()))
      },
    ],
  });
  rows = both.leases;
  return {...both, rights: () => rows.redraw()};
}
