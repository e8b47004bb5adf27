// The queues of a queue table, in the order of their names; one of them is in queue.js.
import {h} from './dom.js';
import {bytes, number} from './format.js';
import {list} from './pages.js';
import {badge, link} from './parts.js';

// What is to be known of a queue beside its messages; also of one that is looked at alone.
export function marks(one) {
  return [
    one.paused ? badge('paused', 'nothing of it is handed out; messages are taken') : null,
    one.temporary ? badge('temporary', 'it ends with the connection that made it') : null,
    one.leaving ? badge('leaving', 'it was removed, and its messages go') : null
  ];
}

export const queueLink = (table, queue) => link(['t', table, 'queue', queue]);

export function open(place, name) {
  const panel = h('section', {class: 'panel', 'aria-label': 'Queues'});
  place.append(panel);
  return list(panel, {
    command: 'QUEUES',
    parameters: {table: name},
    answer: 'QUEUE',
    label: `Queues of ${name}`,
    kind: 'queues',
    key: (one) => one.queue,
    nothing: () => 'This table has no queues: DECLARE makes one, and so does a name in <queues> of its file.',
    columns: [
      {
        head: 'Queue',
        class: 'key',
        cell: (one) => [h('a', {href: queueLink(name, one.queue)}, one.queue), ' ', marks(one)]
      },
      {head: 'Messages', class: 'n', cell: (one) => number(one.messages)},
      {head: 'Due', class: 'n', title: 'ready to be handed out', cell: (one) => one.due ? number(one.due) : ''},
      {
        head: 'Acquired',
        class: 'n roomy',
        title: 'with consumers',
        cell: (one) => one.acquired ? number(one.acquired) : ''
      },
      {
        head: 'Parked',
        class: 'n',
        title: 'they wait for an operator: kick, move or drop them',
        cell: (one) => one.parked ? h('strong', {class: 'bad'}, number(one.parked)) : ''
      },
      {head: 'Bytes', class: 'n roomy', title: 'of the bodies', cell: (one) => bytes(one.bytes)},
      {
        head: 'Dead letters',
        class: 'roomy',
        title: 'the queue that gets what cannot be dealt with',
        cell: (one) => one.dead_letters ? h('a', {href: queueLink(name, one.dead_letters)}, one.dead_letters) : ''
      },
      {head: 'Limits', class: 'wide', cell: (one) => limits(one).join(', ')},
    ],
  });
}

// Those that a queue has, in words.
export function limits(one) {
  return [
    one.max_messages ? `${number(one.max_messages)} messages` : null, one.max_bytes ? bytes(one.max_bytes) : null,
    one.when_full === 'drop' ? 'the first are dropped' : null,
    one.max_deliveries ? `${number(one.max_deliveries)} deliveries` : null
  ].filter((text) => text !== null);
}
