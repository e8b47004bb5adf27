// The commands of a queue table as methods; index.d.ts says what they take and return.
import {Calls, reasonOf} from './calls.js';
import {failedWith, report} from './failures.js';
import {acquiredOf, fateOf, listOf, messageFrom, sentOf} from './messages.js';
import {numberOf} from './protocol.js';
import {flag, namesOf, parametersOf} from './rows.js';

const sendNames = namesOf('properties priority processDate expirationDate mandatory client sequence');
const queueNames = namesOf('temporary deadLetters maxDeliveries maxMessages maxBytes whenFull expires');
const listenNames = namesOf('queue mode credit lease worker');
const PAGE = 1000;

function contentOf(body) {
  if (body === undefined || body.length === 0) return {};
  return typeof body === 'string' ? {body} : {body_binary: body};
}

export class Queues {
  #calls;
  #link;

  constructor(link, table) {
    this.table = String(table);
    this.#calls = new Calls(link, this.table);
    this.#link = link;
  }

  #about(message) { return {table: message.table ?? this.table, message: message.message, epoch: message.epoch}; }

  async #result(command, params, limits) { return (await this.#calls.first(command, params, limits)).params.result; }

  // ---- producers ----

  numberSends(client) { this.#calls.number(client); }

  async #send(call, to, body, {timeLimit, signal, ...options}) {
    const params = {...to, ...contentOf(body), ...parametersOf(call, options, sendNames), table: this.table};
    if (typeof params.properties === 'object') params.properties = JSON.stringify(params.properties);
    return sentOf(await this.#calls.numbered('SEND', params, {timeLimit, signal}));
  }

  send(queue, body, options = {}) { return this.#send('send', {queue}, body, options); }

  publish(exchange, routingKey, body, options = {}) {
    return this.#send('publish', {exchange, routing_key: routingKey || undefined}, body, options);
  }

  // ---- consumers ----

  async acquire({queue, count = 1, lease, wait, accept, worker, timeLimit, signal} = {}) {
    const params = {queue, count, lease, wait, accept: flag(accept), worker};
    return acquiredOf(await this.#calls.call('ACQUIRE', params, {timeLimit, signal}));
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

  listen(options = {}) { return this.#calls.listen(listenNames, 'deliver', options); }

  // ---- looking ----

  #pages(command, answer, params, limits) {
    return this.#calls.pages(command, params, limits, (reply) => listOf(answer, reply));
  }

  browse({queue, status, body, count = 100, ...limits} = {}) {
    return this.#pages('BROWSE', 'MESSAGE', {queue, status, body: flag(body), count}, limits);
  }

  async read(message, {offset, length, ...limits} = {}) {
    const params = {message: message.message ?? message, offset, length};
    return messageFrom((await this.#calls.first('READ', params, limits)).params);
  }

  async why(message, limits = {}) {
    return reasonOf(await this.#calls.first('WHY', {message: message.message ?? message}, limits));
  }

  queues(limits = {}) { return this.#pages('QUEUES', 'QUEUE', {}, limits); }

  exchanges(limits = {}) { return this.#pages('EXCHANGES', 'EXCHANGE', {}, limits); }

  bindings({exchange, queue, ...limits} = {}) { return this.#pages('BINDINGS', 'BINDING', {exchange, queue}, limits); }

  stats(limits = {}) { return this.#calls.stats(limits); }

  // ---- queues and exchanges ----

  declare(queue, {timeLimit, signal, ...options} = {}) {
    return this.#result('DECLARE', {queue, ...parametersOf('declare', options, queueNames)}, {timeLimit, signal});
  }

  declareExchange(exchange, kind, limits = {}) { return this.#result('DECLARE', {exchange, kind}, limits); }

  async remove(queue, {ifEmpty, ...limits} = {}) {
    await this.#calls.call('REMOVE', {queue, if_empty: flag(ifEmpty)}, limits);
  }

  async removeExchange(exchange, limits = {}) { await this.#calls.call('REMOVE', {exchange}, limits); }

  bind(exchange, queue, {routingKey, declare, temporary, ...limits} = {}) {
    const params = {exchange, queue, routing_key: routingKey, declare: flag(declare), temporary: flag(temporary)};
    return this.#result('BIND', params, limits);
  }

  async unbind(exchange, queue, {routingKey, ...limits} = {}) {
    await this.#calls.call('UNBIND', {exchange, queue, routing_key: routingKey}, limits);
  }

  // Page by page, until `most` are done.
  async #paged(command, params, most, limits) {
    let done = 0;
    for (let more = true; more && done < most;) {
      const page = {...params, count: Math.min(PAGE, most - done)};
      const {count = 0, ...answer} = (await this.#calls.first(command, page, limits)).params;
      done += numberOf(count);
      more = answer.more !== undefined;
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
