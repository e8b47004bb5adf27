// The exchanges of a queue table, and the bindings by which they route.
import {h} from './dom.js';
import {number} from './format.js';
import {list} from './pages.js';
import {badge} from './parts.js';
import {queueLink} from './queues.js';

const KINDS = {
  direct: 'routes to the queues whose bindings have the routing key of the message',
  fanout: 'routes to all queues that are bound',
  topic: 'routes to the queues whose bindings fit: * stands for a word, # for any number of words',
};

export function open(place, name) {
  const exchanges = h('section', {class: 'panel'}, h('h2', {}, 'Exchanges'));
  const bindings = h('section', {class: 'panel'}, h('h2', {}, 'Bindings'));
  place.append(exchanges, bindings);
  const parts = [
    list(exchanges, {
      command: 'EXCHANGES',
      parameters: {table: name},
      answer: 'EXCHANGE',
      label: `Exchanges of ${name}`,
      key: (one) => one.exchange,
      nothing: () => 'This table has no exchanges. Messages are sent to its queues.',
      columns: [
        {head: 'Exchange', class: 'key', cell: (one) => one.exchange},
        {head: 'Kind', cell: (one) => badge(one.kind, KINDS[one.kind] ?? '')},
        {head: 'Bindings', class: 'n', cell: (one) => number(one.bindings)},
      ],
    }),
    list(bindings, {
      command: 'BINDINGS',
      parameters: {table: name},
      answer: 'BINDING',
      label: `Bindings of ${name}`,
      key: (one) => one.binding,
      nothing: () => 'No queue is bound to an exchange.',
      columns: [
        {head: 'Exchange', class: 'key', cell: (one) => one.exchange},
        {
          head: 'Routing key',
          class: 'key',
          title: 'or the pattern, of a topic exchange',
          cell: (one) => one.routing_key ?? ''
        },
        {head: 'Queue', class: 'key', cell: (one) => h('a', {href: queueLink(name, one.queue)}, one.queue)},
      ],
    }),
  ];
  return {draw: () => parts.forEach((one) => one.draw()), close: () => parts.forEach((one) => one.close())};
}
