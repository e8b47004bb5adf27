// Who waits for messages of a queue table, and who has which of them.
import {h} from './dom.js';
import {number} from './format.js';
import {when} from './parts.js';
import {queueLink} from './queues.js';
import {panels} from './workers.js';

const REQUESTS_MAX = 100;  // each looks at 10,000 messages

export function open(place, name) {
  return panels(place, name, 'Messages with consumers', {
    command: 'BROWSE',
    parameters: {table: name, status: 'acquired'},
    answer: 'MESSAGE',
    label: `Messages of ${name} with consumers`,
    requests: REQUESTS_MAX,
    key: (one) => one.message,
    nothing: () => 'No consumer has a message.',
    columns: [
      {head: 'Message', class: 'n', cell: (one) => String(one.message)},
      {head: 'Queue', class: 'key', cell: (one) => h('a', {href: queueLink(name, one.queue)}, one.queue)},
      {head: 'Consumer', class: 'key', cell: (one) => one.worker ?? ''},
      {head: 'Lease ends', cell: (one) => when(one.lease_end)},
      {head: 'Failed before', class: 'n', cell: (one) => one.deliveries ? number(one.deliveries) : ''},
    ],
  });
}
