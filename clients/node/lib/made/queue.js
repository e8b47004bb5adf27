// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.
// clang-format off
import {assign, leasedOf, recordOf} from '../answers.js';
import {contentOf, jsonOf} from '../arguments.js';
import {reasonOf} from '../calls.js';
import {failedWith} from '../failures.js';
import {fateOf, messageFrom, sentOf} from '../messages.js';
import {numberOf} from '../protocol.js';
import {flag, namesOf, parametersOf} from '../rows.js';

import {queue as kinds} from './answers.js';

// What is leased, by its numbers.
const leaseOf = ({table, message, epoch}) => ({table, message, epoch});

// The options of calls that refuse others.
const names = {
  send: namesOf('group priority lease processDate expirationDate deduplication client sequence mandatory'),
  publish: namesOf('group priority lease processDate expirationDate mandatory client sequence'),
  acquireMessage: namesOf('lease worker'),
  park: namesOf('priority'),
  count: namesOf('queue status'),
  peek: namesOf('status'),
  declare: namesOf('temporary deadLetters maxDeliveries maxMessages maxBytes whenFull lease expires delay maxMessageBytes'),
  moveBack: namesOf('status'),
  kick: namesOf('status'),
  kickQueue: namesOf(''),
  pause: namesOf('until reason'),
};

// Answers, and what the program gets of them.
const MESSAGE = {name: 'MESSAGE', shown: messageFrom};
const QUEUE = {
  name: 'QUEUE',
  shown: (params) => assign({temporary: false, declared: false, leaving: false, deadLetters: '', paused: false}, params, kinds.QUEUE),
};
const EXCHANGE = {name: 'EXCHANGE', shown: (params) => assign({}, params, kinds.EXCHANGE)};
const BINDING = {name: 'BINDING', shown: (params) => assign({routingKey: ''}, params, kinds.BINDING)};

/** The commands of a table, as types/queue.d.ts documents them. */
export class QueueCalls {
  #calls;

  constructor(calls) {
    this.table = calls.table;
    this.#calls = calls;
  }

  /** Its figures. */
  stats(limits = {}) { return this.#calls.stats(limits); }

  /** Puts a message on a queue, or by an exchange on each queue that it routes to. */
  async send(queue, body, {properties, timeLimit, signal, ...options} = {}) {
    const params = {
      queue,
      ...contentOf(body),
      properties: jsonOf(properties),
      ...parametersOf('send', options, names.send),
    };
    return sentOf(await this.#calls.numbered('SEND', params, {timeLimit, signal}));
  }

  /** Sends a message to the queues that the exchange routes it to. */
  async publish(exchange, routingKey, body, {properties, timeLimit, signal, ...options} = {}) {
    const params = {
      exchange,
      routing_key: routingKey || undefined,
      ...contentOf(body),
      properties: jsonOf(properties),
      ...parametersOf('publish', options, names.publish),
    };
    return sentOf(await this.#calls.numbered('SEND', params, {timeLimit, signal}));
  }

  /** Hands out the next messages of a queue, each to one consumer until it ends its lease. */
  async acquire({queue, queues, count, lease, wait, accept, worker, ...limits} = {}) {
    const params = {queue, queues, count, lease, wait, accept: flag(accept), worker};
    return leasedOf('messages', MESSAGE, await this.#calls.call('ACQUIRE', params, limits));
  }

  /** Hands out this message, also before its date, parked, or on a paused queue. */
  async acquireMessage(message, {timeLimit, signal, ...options} = {}) {
    const params = {
      message: message.message ?? message,
      ...parametersOf('acquireMessage', options, names.acquireMessage),
    };
    return leasedOf('messages', MESSAGE, await this.#calls.call('ACQUIRE', params, {timeLimit, signal}));
  }

  /** Renews a lease, and takes it over on a new connection. */
  async touch(message, {lease, worker, ...limits} = {}) {
    return numberOf((await this.#calls.first('TOUCH', {...leaseOf(message), lease, worker}, limits)).params.lease_end);
  }

  /** The message is dealt with: it leaves its queue. */
  async accept(message, limits = {}) { await this.#calls.call('ACCEPT', leaseOf(message), limits); }

  /** Gives a message back to its place in the queue, as redelivered. With an error it is a failed delivery: after the
   * last one it is dead. */
  async release(message, {processDate, priority, error, errorTrace, failed, ...limits} = {}) {
    const params = {
      ...leaseOf(message),
      ...failedWith(error, errorTrace),
      process_date: processDate,
      priority,
      failed: flag(failed),
    };
    return fateOf(await this.#calls.report('RELEASE', params, limits));
  }

  /** The message can never be dealt with: it goes to the queue's dead letters at once, or is parked where there are
   * none. */
  async reject(message, error, {errorTrace, ...limits} = {}) {
    return fateOf(await this.#calls.report('REJECT', {...leaseOf(message), ...failedWith(error, errorTrace)}, limits));
  }

  /** Puts a message aside: it stays on its queue, parked, until somebody kicks, moves or removes it. No failed delivery
   * is counted. */
  async park(message, {error, errorTrace, timeLimit, signal, ...options} = {}) {
    const params = {
      ...leaseOf(message),
      ...failedWith(error, errorTrace),
      ...parametersOf('park', options, names.park),
    };
    return fateOf(await this.#calls.report('PARK', params, {timeLimit, signal}));
  }

  /** Shows messages of a queue by their number, without taking them. */
  browse({queue, status, body, count, ...limits} = {}) {
    return this.#calls.pagesOf('BROWSE', MESSAGE, {queue, status, body: flag(body), count}, limits);
  }

  /** How many messages of a queue, or of the table, are in a state, counted page by page. Resolves with how many. */
  async count({count, timeLimit, signal, ...options} = {}) {
    return this.#calls.sum('COUNT', 'count', parametersOf('count', options, names.count), count, {timeLimit, signal});
  }

  /** Shows one message, or a part of its body. */
  async read(message, {offset, length, ...limits} = {}) {
    const params = {message: message.message ?? message, offset, length};
    return recordOf(MESSAGE, await this.#calls.first('READ', params, limits));
  }

  /** Shows the first message of a queue in a state, without taking it: the one that would be handed out, come to its
   * date, or be kicked next. */
  peek(queue, {timeLimit, signal, ...options} = {}) {
    const params = {queue, ...parametersOf('peek', options, names.peek)};
    return this.#calls.pagesOf('PEEK', MESSAGE, params, {timeLimit, signal});
  }

  /** Says in a sentence, and in parameters for programs, why a message is where it is. */
  async why(message, limits = {}) {
    return reasonOf(await this.#calls.first('WHY', {message: message.message ?? message}, limits));
  }

  /** Shows the queues with what is on them, in the order of their names. */
  queues({count, ...limits} = {}) { return this.#calls.pagesOf('QUEUES', QUEUE, {count}, limits); }

  /** Shows the exchanges, in the order of their names. */
  exchanges({count, ...limits} = {}) { return this.#calls.pagesOf('EXCHANGES', EXCHANGE, {count}, limits); }

  /** Shows the bindings by their number. */
  bindings({exchange, queue, count, ...limits} = {}) {
    return this.#calls.pagesOf('BINDINGS', BINDING, {exchange, queue, count}, limits);
  }

  /** Makes a queue, or changes its options; or makes an exchange. What is absent stays as it is. */
  async declare(queue, {properties, timeLimit, signal, ...options} = {}) {
    const params = {queue, properties: jsonOf(properties), ...parametersOf('declare', options, names.declare)};
    return (await this.#calls.first('DECLARE', params, {timeLimit, signal})).params.result;
  }

  /** Makes an exchange of this kind. */
  async declareExchange(exchange, kind, limits = {}) {
    return (await this.#calls.first('DECLARE', {exchange, kind}, limits)).params.result;
  }

  /** Removes a queue with its messages and bindings, or an exchange with its bindings. */
  async remove(queue, {ifEmpty, ...limits} = {}) {
    await this.#calls.call('REMOVE', {queue, if_empty: flag(ifEmpty)}, limits);
  }

  /** Removes an exchange with its bindings. */
  async removeExchange(exchange, limits = {}) { await this.#calls.call('REMOVE', {exchange}, limits); }

  /** From now on the exchange routes to the queue what fits. */
  async bind(exchange, queue, {routingKey, declare, temporary, ...limits} = {}) {
    const params = {exchange, queue, routing_key: routingKey, declare: flag(declare), temporary: flag(temporary)};
    return (await this.#calls.first('BIND', params, limits)).params.result;
  }

  /** Ends a binding; messages on the queue stay. */
  async unbind(exchange, queue, {routingKey, ...limits} = {}) {
    await this.#calls.call('UNBIND', {exchange, queue, routing_key: routingKey}, limits);
  }

  /** Drops messages of a queue that are not acquired. Resolves with how many. */
  async purge(queue, {status, count, ...limits} = {}) {
    return this.#calls.sum('PURGE', 'count', {queue, status}, count, limits);
  }

  /** Moves messages of a queue that are not acquired to another queue, in their order and with their attempts reset:
   * dead letters back to work; or parked ones of a queue back to its front. Without `to` each dead letter goes back to
   * the queue on which it died, in the order of their numbers; others stay. Resolves with how many. */
  async move(queue, to, {status, count, ...limits} = {}) {
    return this.#calls.sum('MOVE', 'count', {queue, to, status}, count, limits);
  }

  /** Moves dead letters of a queue back to the queues on which they died, with their attempts reset. Resolves with how
   * many. */
  async moveBack(queue, {count, timeLimit, signal, ...options} = {}) {
    const params = {queue, ...parametersOf('moveBack', options, names.moveBack)};
    return this.#calls.sum('MOVE', 'count', params, count, {timeLimit, signal});
  }

  /** Puts a message back to work: a parked one, with its attempts reset; one that waits for its date; or one that a
   * consumer has, whose lease is taken back and who is refused from then on. Or so many of a queue: the parked ones;
   * those that wait for their date only if none is parked. */
  async kick(message, {timeLimit, signal, ...options} = {}) {
    const params = {message: message.message ?? message, ...parametersOf('kick', options, names.kick)};
    await this.#calls.call('KICK', params, {timeLimit, signal});
  }

  /** Puts messages of a queue back to work: the parked ones; those that wait for their date only if none is parked.
   * Resolves with how many. */
  async kickQueue(queue, {count, timeLimit, signal, ...options} = {}) {
    const params = {queue, ...parametersOf('kickQueue', options, names.kickQueue)};
    return this.#calls.sum('KICK', 'count', params, count, {timeLimit, signal});
  }

  /** Removes a message that no consumer has. */
  async delete(message, limits = {}) {
    await this.#calls.call('DELETE', {message: message.message ?? message}, limits);
  }

  /** Nothing of a queue is handed out any more; leases go on, messages are taken. A queue that is paused already gets
   * the new date; one that its first use makes is made. */
  async pause(queue, {timeLimit, signal, ...options} = {}) {
    const params = {queue, ...parametersOf('pause', options, names.pause)};
    return (await this.#calls.first('PAUSE', params, {timeLimit, signal})).params.result;
  }

  /** Ends a PAUSE; who waits for messages is told. */
  async resume(queue, limits = {}) { return (await this.#calls.first('RESUME', {queue}, limits)).params.result; }
}
