// The messages of a queue table as objects of the program.
import {assign} from './answers.js';
import {queue as kinds} from './made/answers.js';
import {numberOf} from './protocol.js';
import {unexpected} from './rows.js';

const notShown = new Set(['body', 'body_binary', 'properties']);

class QueueMessage {
  constructor(params) {
    this.epoch = 0;
    this.bytes = 0;
    this.redelivered = false;
    assign(this, params, kinds.MESSAGE, notShown);
    this.body = params.body ?? params.body_binary ?? (this.bytes === 0 ? '' : undefined);
    this.propertiesJson = params.properties ?? '';
  }

  get text() { return typeof this.body === 'string' ? this.body : Buffer.from(this.body ?? '').toString(); }

  get properties() { return this.propertiesJson === '' ? {} : JSON.parse(this.propertiesJson); }
}

/** From the parameters of a MESSAGE, or of a LISTEN about a message. */
export function messageFrom(params) { return new QueueMessage(params); }

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
