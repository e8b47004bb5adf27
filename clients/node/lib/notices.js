// What listeners are told, whatever the type of their table.
import {errorOf} from './error_of.js';
import {isLease, Subscription} from './link.js';
import {messageFrom} from './messages.js';
import {documentFrom, documentOf} from './pipeline.js';
import {numberOf} from './protocol.js';
import {rowFrom} from './rows.js';

export function noticeOf({command, params}) {
  const {table, domain = '', queue = '', source = ''} = params;
  const ofRow = {table, domain, queue: '', source: ''};  // its columns have any names
  const notice = {...ofRow, kind: 'work', queue, source};
  if (command === 'ROW') return {...ofRow, kind: 'delivered', domain: '', row: rowFrom(params)};
  if (command === 'MESSAGE') return {...notice, kind: 'delivered', message: messageFrom(params)};
  if (command === 'DOCUMENT') return {...notice, kind: 'delivered', document: documentOf({command, params})};
  if (params.row !== undefined) return {...ofRow, kind: 'due', row: rowFrom(params)};
  if (params.message !== undefined) return {...notice, kind: 'due', message: messageFrom(params)};
  if (params.document !== undefined) return {...notice, kind: 'due', document: documentFrom(params)};
  if (params.missed !== undefined) return {...notice, kind: 'missed', missed: numberOf(params.missed)};
  return {...notice, ready: numberOf(params.ready ?? 0), date: numberOf(params.date ?? 0)};
}

/** What a LISTEN tells, one after the other. */
export class Notices {
  #link;
  #subscription;
  #listening;
  #signal;
  #onAbort;

  constructor(link, params, signal) {
    this.#link = link;
    this.#subscription = new Subscription(link, params);
    this.#signal = signal;
    signal?.throwIfAborted();
    for (const one of link.subscriptions)
      if (one.matches(params)) throw errorOf('wrong_state', `this connection listens to table ${params.table} already`);
    link.subscriptions.add(this.#subscription);
    this.#listening = link.call('LISTEN', params, {signal, subscription: this.#subscription}).catch((error) => {
      this.#subscription.end(error);
    });
    this.#onAbort = () => void this.return();
    signal?.addEventListener('abort', this.#onAbort, {once: true});
  }

  /** Resolves once the daemon has accepted the LISTEN, or with the refusal at next(). */
  get listening() { return this.#listening; }

  async next() {
    await this.#listening;
    const message = await this.#subscription.fetch();
    return message === undefined ? {value: undefined, done: true} : {value: noticeOf(message), done: false};
  }

  async return() {
    const subscription = this.#subscription;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (!subscription.ended) {
      const {table, domain, queue, source} = subscription.params;
      subscription.end(undefined);
      // Leases that nobody will fetch.
      for (const {message} of subscription.queue.splice(0))
        if (isLease(message)) this.#link.giveBack(message);
      // Where there is no connection there is no subscription; where it was refused, neither.
      if (subscription.line?.isOpen) await this.#link.call('UNLISTEN', {table, domain, queue, source}).catch(() => {});
    }
    return {value: undefined, done: true};
  }

  [Symbol.asyncIterator]() { return this; }
}
