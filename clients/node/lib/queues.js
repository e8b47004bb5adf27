// The commands of a queue table as methods; index.d.ts says what they take and return.
import {Calls} from './calls.js';
import {QueueCalls} from './made/queue.js';
import {namesOf} from './rows.js';

const listenNames = namesOf('queue mode credit lease worker');

export class Queues extends QueueCalls {
  #calls;

  constructor(link, table) {
    const calls = new Calls(link, String(table));
    super(calls);
    this.#calls = calls;
  }

  numberSends(client) { this.#calls.number(client); }

  listen(options = {}) { return this.#calls.listen(listenNames, 'deliver', options); }
}
