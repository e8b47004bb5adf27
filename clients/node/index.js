// Client of fastjournald. index.d.ts documents everything that is exported here; README.md begins with examples.
import {Calls} from './lib/calls.js';
import {Documents} from './lib/documents.js';
import {BadParameterError} from './lib/errors.js';
import {Journal} from './lib/journal.js';
import {Link} from './lib/link.js';
import {Blobs} from './lib/made/blob.js';
import {Daemon} from './lib/made/daemon.js';
import {KeyValue} from './lib/made/keyvalue.js';
import {framesOf} from './lib/protocol.js';
import {Queues} from './lib/queues.js';
import {consume, work} from './lib/worker.js';

class Connection {
  #link;

  constructor(link) { this.#link = link; }

  call(command, params = {}, limits = {}) { return this.#link.call(command, params, limits); }

  async transaction(commands, limits = {}) {
    const {messages} = await this.#link.call('TRANSACTION', {commands: framesOf(commands)}, limits);
    return messages.slice(1);
  }

  journal(table) { return new Journal(this.#link, table); }

  queues(table) { return new Queues(this.#link, table); }

  documents(table) { return new Documents(this.#link, table); }

  keyValue(table) { return new KeyValue(new Calls(this.#link, String(table))); }

  blobs(table) { return new Blobs(new Calls(this.#link, String(table))); }

  daemon() { return new Daemon(new Calls(this.#link)); }

  worker(table, handler, options = {}) { return work(this.#link, this.journal(table), handler, options); }

  consumer(table, queue, handler, options = {}) {
    return consume(this.#link, this.queues(table), queue, handler, options);
  }

  get connects() { return this.#link.connects; }

  get pushesDropped() { return this.#link.pushesDropped; }

  close() { return this.#link.close(); }
}

export async function connect(options = {}) {
  if (typeof options !== 'object' || options === null)
    throw new BadParameterError('connect() takes an object: connect({ server: "127.0.0.1:4050" })');
  const link = new Link(options);
  await link.open();
  return new Connection(link);
}

export {drawnName} from './lib/names.js';
export * from './lib/errors.js';
