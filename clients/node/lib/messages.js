// The messages of a queue table as objects of the program. Names are those of the protocol in camel case; dates are
// milliseconds since 1970.
import {numberOf} from './protocol.js';
import {camelCase, unexpected} from './rows.js';

const numbers = new Set([
  'message',         'epoch',          'bytes',        'offset',    'priority', 'process_date', 'sent_date',
  'expiration_date', 'lease_end',      'deliveries',   'origin',    'messages', 'due',          'acquired',
  'parked',          'max_deliveries', 'max_messages', 'max_bytes', 'expires',  'bindings',     'binding',
]);
const flags = new Set(['redelivered', 'temporary', 'declared', 'leaving']);
const notShown = new Set(['body', 'body_binary', 'properties', 'request', 'left', 'after']);

const ofMessages = {
  numbers,
  flags,
  notShown
};

/** Parameters as members, by their kinds; all others are text. */
export function assign(out, params, kinds = ofMessages) {
  for (const name in params) {
    if (kinds.notShown.has(name)) continue;
    const value = params[name];
    if (kinds.numbers.has(name))
      out[camelCase(name)] = numberOf(value);
    else
      out[camelCase(name)] = kinds.flags.has(name) ? numberOf(value) !== 0 : value;
  }
  return out;
}

class QueueMessage {
  constructor(params) {
    this.epoch = 0;
    this.bytes = 0;
    this.redelivered = false;
    assign(this, params);
    this.body = params.body ?? params.body_binary ?? (this.bytes === 0 ? '' : undefined);
    this.propertiesJson = params.properties ?? '';
  }

  get text() { return typeof this.body === 'string' ? this.body : Buffer.from(this.body ?? '').toString(); }

  get properties() { return this.propertiesJson === '' ? {} : JSON.parse(this.propertiesJson); }
}

/** From the parameters of a MESSAGE, or of a LISTEN about a message. */
export function messageFrom(params) { return new QueueMessage(params); }

const shownOf = {
  MESSAGE: messageFrom,
  QUEUE: (params) => assign({temporary: false, declared: false, leaving: false, deadLetters: ''}, params),
  EXCHANGE: (params) => assign({}, params),
  BINDING: (params) => assign({routingKey: ''}, params),
};

/** The messages of this name in an answer, as what `shown` makes of their parameters. */
export function listBy(shown, command, reply) {
  const out = [];
  for (const message of reply.messages) {
    if (message.command === command)
      out.push(shown(message.params));
    else if (message.command !== 'NOTHING')
      throw unexpected(message, `${command} or NOTHING`);
  }
  return out;
}

/** The messages of this name in an answer, as objects. */
export const listOf = (command, reply) => listBy(shownOf[command], command, reply);

const results = new Set(['sent', 'duplicate', 'expired']);

export function sentOf({command, params}) {
  if (command !== 'SENT' || !results.has(params.result)) throw unexpected({command}, 'SENT with a known result');
  return {
    message: params.message === undefined ? undefined : numberOf(params.message),
    queues: numberOf(params.queues ?? 0),
    result: params.result,
    processDate: numberOf(params.process_date ?? 0),
  };
}

export function acquiredOf(reply) {
  const {command, params} = reply.first;
  const nextDate = command === 'NOTHING' && params.next_date > 0 ? numberOf(params.next_date) : undefined;
  return {messages: listOf('MESSAGE', reply), nextDate};
}

const fates = {
  RELEASED: 'released',
  DEAD: 'dead',
  PARKED: 'parked',
  DELETED: 'deleted'
};

export function fateOf({first}) {
  if (!Object.hasOwn(fates, first.command)) throw unexpected(first, 'RELEASED, DEAD, PARKED or DELETED');
  const {process_date: date, queue} = first.params;
  return {fate: fates[first.command], processDate: date === undefined ? undefined : numberOf(date), queue};
}
