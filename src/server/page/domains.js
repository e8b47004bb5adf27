// The domains of a table, in whose turns its rows are handed out.
import {h} from './dom.js';
import {number} from './format.js';
import {list} from './pages.js';
import {badge, link, when} from './parts.js';

const TURNS = {
  next: 'it is the next to be handed a row',
  waits: 'it waits for its turn'
};
const count = (name) => ({class: 'n', cell: (one) => (one[name] ? number(one[name]) : '')});

export function open(place, name) {
  const section =
      h('section', {class: 'panel'}, h('h2', {}, 'Domains'),
        h('p', {class: 'note'},
          'Domains with rows. Within a priority they take turns, so that many rows of one do not delay the others.'));
  place.append(section);
  return list(section, {
    command: 'DOMAINS',
    parameters: {table: name},
    answer: 'DOMAIN',
    label: `Domains of ${name}`,
    key: (one) => one.domain ?? '',
    nothing: (one) => one?.reason ?? 'No domain has rows now.',
    columns: [
      {
        head: 'Domain',
        class: 'key',
        cell: (one) => h('a', {href: link(['t', name], {domain: one.domain})}, one.domain || '(none)')
      },
      {head: 'Turn', cell: (one) => (one.turn ? badge(one.turn, TURNS[one.turn] ?? '') : '')},
      {head: 'Limited by', cell: (one) => one.limit ?? ''},
      {head: 'Rows', ...count('rows')},
      {head: 'Due', ...count('due')},
      {head: 'Waiting', ...count('waiting')},
      {head: 'Processing', ...count('processing')},
      {head: 'Weight', title: 'turns in a row', ...count('weight')},
      {head: 'First date', cell: (one) => when(one.first_date)},
      {head: 'Next date', cell: (one) => when(one.next_date)},
    ],
  });
}
