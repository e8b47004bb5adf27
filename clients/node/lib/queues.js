// The commands of a queue table as methods; index.d.ts says what they take and return.
import {failedWith, report} from './failures.js';
import {acquiredOf, fateOf, listOf, messageFrom, sentOf} from './messages.js';
import {drawnName} from './names.js';
import {Notices} from './notices.js';
import {numberOf} from './protocol.js';
import {camelCase, flag, parametersOf} from './rows.js';

const sendNames = {
  properties: 'properties',
  priority: 'priority',
  processDate: 'process_date',
  expirationDate: 'expiration_date',
  mandatory: 'mandatory',
  client: 'client',
  sequence: 'sequence',
};
const queueNames = {
  temporary: 'temporary',
  deadLetters: 'dead_letters',
  maxDeliveries: 'max_deliveries',
  maxMessages: 'max_messages',
  maxBytes: 'max_bytes',
  whenFull: 'when_full',
  expires: 'expires',
};
const listenNames = {
  queue: 'queue',
  mode: 'mode',
  credit: 'credit',
  lease: 'lease',
  worker: 'worker'
};
const PAGE = 1000;

function contentOf(body) {
  if (body === undefined || body.length === 0) return {};
  return typeof body === 'string' ? {body} : {body_binary: body};
}

export class Queues {
  #link;
  #client = '';
  #sequence = 0;

  constructor(link, table) {
    this.#link = link;
    this.table = String(table);
  }

  #about(message) { return {table: message.table ?? this.table, message: message.message, epoch: message.epoch}; }

  #call(command, params, limits) { return this.#link.call(command, {...params, table: this.table}, limits); }

  async #result(command, params, limits) { return (await this.#call(command, params, limits)).first.params.result; }

  // ---- producers ----

  numberSends(client = drawnName()) {
    this.#client = client;
    this.#sequence = 0;
  }

  async #send(call, to, body, {timeLimit, signal, ...options}) {
    const params = {...to, ...contentOf(body), ...parametersOf(call, options, sendNames), table: this.table};
    if (typeof params.properties === 'object') params.properties = JSON.stringify(params.properties);
    const limits = {timeLimit, signal};
    if (params.client === undefined && params.sequence === undefined) {
      if (this.#client === '') return sentOf((await this.#link.callNumbered('SEND', params, limits)).first);
      Object.assign(params, {client: this.#client, sequence: ++this.#sequence});
    }
    return sentOf((await this.#link.call('SEND', params, limits)).first);
  }

  send(queue, body, options = {}) { return this.#send('send', {queue}, body, options); }

  publish(exchange, routingKey, body, options = {}) {
    return this.#send('publish', {exchange, routing_key: routingKey || undefined}, body, options);
  }

  // ---- consumers ----

  async acquire({queue, count = 1, lease, wait, accept, worker, timeLimit, signal} = {}) {
    const params = {queue, count, lease, wait, accept: flag(accept), worker};
    return acquiredOf(await this.#call('ACQUIRE', params, {timeLimit, signal}));
  }

  async touch(message, {lease, worker, timeLimit, signal} = {}) {
    const params = {...this.#about(message), lease, worker};
    return numberOf((await this.#link.call('TOUCH', params, {timeLimit, signal})).first.params.lease_end);
  }

  async accept(message, limits = {}) { await this.#link.call('ACCEPT', this.#about(message), limits); }

  async release(message, {error, errorTrace, processDate, failed, timeLimit, signal} = {}) {
    const params = {
      ...this.#about(message),
      ...failedWith(error, errorTrace),
      process_date: processDate,
      failed: flag(failed),
    };
    return fateOf(await report(this.#link, 'RELEASE', params, {timeLimit, signal}));
  }

  async reject(message, error, {errorTrace, ...limits} = {}) {
    const params = {...this.#about(message), ...failedWith(error, errorTrace)};
    return fateOf(await report(this.#link, 'REJECT', params, limits));
  }

  listen({signal, ...options} = {}) {
    const params = parametersOf('listen', options, listenNames);
    return new Notices(this.#link, {...params, table: this.table, mode: params.mode ?? 'deliver'}, signal);
  }

  // ---- looking ----

  async * #pages(command, answer, params, limits) {
    let after;
    do {
      const reply = await this.#call(command, {...params, after}, limits);
      yield* listOf(answer, reply);
      after = reply.messages[reply.messages.length - 1].params.after;
    } while (after !== undefined);
  }

  browse({queue, status, body, count = 100, ...limits} = {}) {
    return this.#pages('BROWSE', 'MESSAGE', {queue, status, body: flag(body), count}, limits);
  }

  async read(message, {offset, length, ...limits} = {}) {
    const params = {message: message.message ?? message, offset, length};
    return messageFrom((await this.#call('READ', params, limits)).first.params);
  }

  async why(message, limits = {}) {
    const {params} = (await this.#call('WHY', {message: message.message ?? message}, limits)).first;
    const reason = {};
    for (const name in params)
      if (!['request', 'left', 'table'].includes(name)) reason[camelCase(name)] = params[name];
    return reason;
  }

  queues(limits = {}) { return this.#pages('QUEUES', 'QUEUE', {}, limits); }

  exchanges(limits = {}) { return this.#pages('EXCHANGES', 'EXCHANGE', {}, limits); }

  bindings({exchange, queue, ...limits} = {}) { return this.#pages('BINDINGS', 'BINDING', {exchange, queue}, limits); }

  async stats(limits = {}) {
    const {request, left, ...figures} = (await this.#call('STATS', {}, limits)).first.params;
    return figures;
  }

  // ---- queues and exchanges ----

  declare(queue, {timeLimit, signal, ...options} = {}) {
    return this.#result('DECLARE', {queue, ...parametersOf('declare', options, queueNames)}, {timeLimit, signal});
  }

  declareExchange(exchange, kind, limits = {}) { return this.#result('DECLARE', {exchange, kind}, limits); }

  async remove(queue, {ifEmpty, ...limits} = {}) {
    await this.#call('REMOVE', {queue, if_empty: flag(ifEmpty)}, limits);
  }

  async removeExchange(exchange, limits = {}) { await this.#call('REMOVE', {exchange}, limits); }

  bind(exchange, queue, {routingKey, declare, temporary, ...limits} = {}) {
    const params = {exchange, queue, routing_key: routingKey, declare: flag(declare), temporary: flag(temporary)};
    return this.#result('BIND', params, limits);
  }

  async unbind(exchange, queue, {routingKey, ...limits} = {}) {
    await this.#call('UNBIND', {exchange, queue, routing_key: routingKey}, limits);
  }

  // Page by page, until `most` are done.
  async #paged(command, params, most, limits) {
    let done = 0;
    for (let more = true; more && done < most;) {
      const reply = await this.#call(command, {...params, count: Math.min(PAGE, most - done)}, limits);
      done += numberOf(reply.first.params.count ?? 0);
      more = reply.first.params.more !== undefined;
    }
    return done;
  }

  purge(queue, {status, count = Infinity, ...limits} = {}) {
    return this.#paged('PURGE', {queue, status}, count, limits);
  }

  move(queue, to, {status, count = Infinity, ...limits} = {}) {
    return this.#paged('MOVE', {queue, to, status}, count, limits);
  }
}
