// A worker: leases rows or messages, has a function work on them, renews leases meanwhile, and tells the daemon what
// became of them.
import {BadParameterError, GiveUp, TimedOutError} from './errors.js';
import {isOf, stackOf, textOf} from './failures.js';

// After these a worker goes on: the daemon or the table's owner is away, or short of something, or the table rests.
export const outages = new Set(['unavailable', 'timed_out', 'closed', 'paused', 'over_limit', 'no_space', 'moved']);
const lost = new Set(['stale_epoch', 'not_leased', 'unknown_row']);
export const RETRY_MS = 1_000;
const options = new Set(['concurrency', 'lease', 'wait', 'worker', 'signal', 'stopOn', 'stopAfter', 'onError']);

class Worker {
  // `source`: where its tasks come from, and how they end; see work() and consume().
  constructor(link, source, handler, given) {
    for (const name in given)
      if (!options.has(name))
        throw new BadParameterError(`${source.call}() has no option '${name}'`, {parameter: name});
    if (typeof handler !== 'function')
      throw new BadParameterError(`${source.call}() needs a function that works on a ${source.what}`);
    this.link = link;
    this.source = source;
    this.handler = handler;
    const {concurrency = 1, lease = 60_000, wait = 30_000, stopOn = ['SIGTERM'], stopAfter = 5_000} = given;
    const {worker, signal} = given;
    // Without being asked, people are told.
    const log = (error, task) => console.error(`fastjournal: ${this.source.nameOf(task)}: ${stackOf(error)}`);
    const {onError = log} = given;
    if (!Number.isSafeInteger(concurrency) || concurrency < 1)
      throw new BadParameterError('option concurrency is an integer from 1', {parameter: 'concurrency'});
    if (!Number.isSafeInteger(lease) || lease < 1)
      throw new BadParameterError('option lease is milliseconds, 1 or more', {parameter: 'lease'});
    if (!(stopAfter >= 0))
      throw new BadParameterError('option stopAfter is milliseconds, 0 or more', {parameter: 'stopAfter'});
    Object.assign(this, {concurrency, lease, wait, name: worker, stopOn, stopAfter, signal});
    this.onError = (error, task) => {
      // What the program's own function throws must not end the worker, and leave the others leased.
      try {
        onError?.(error, task);
      } catch (why) {
        log(why, task);
      }
    };
    this.stopping = new AbortController();
    this.held = new Set();
    this.counts = {...source.counts};
  }

  async run() {
    const stop = () => this.stopping.abort();
    // The daemon returns what a connection had that is gone; a TOUCH from the new one adopts it.
    const adopt = () => {
      for (const one of this.held) one.renew();
    };
    for (const name of this.stopOn) process.on(name, stop);
    this.signal?.addEventListener('abort', stop, {once: true});
    if (this.signal?.aborted) stop();
    this.link.onReconnected.add(adopt);
    try {
      const ends = await Promise.allSettled(Array.from({length: this.concurrency}, () => this.serve()));
      for (const end of ends)
        if (end.status === 'rejected') throw end.reason;
      return this.counts;
    } finally {
      this.link.onReconnected.delete(adopt);
      this.signal?.removeEventListener('abort', stop);
      for (const name of this.stopOn) process.off(name, stop);
    }
  }

  // One of `concurrency`: task after task.
  async serve() {
    const {signal} = this.stopping;
    while (!signal.aborted) {
      let task;
      const asked = performance.now();
      try {
        const {lease, wait} = this;
        [task] = await this.source.next({lease, wait, worker: this.name, signal});
      } catch (error) {
        if (signal.aborted) break;
        if (!outages.has(error.code) || this.link.state === 'closed' || this.link.options.backOff.length === 0) {
          this.stopping.abort();
          throw error;
        }
        if (error.code !== 'paused') this.onError(error);
        await this.pause();
        continue;
      }
      if (task !== undefined) await this.handle(task, asked);
    }
  }

  pause() {
    const {signal} = this.stopping;
    return new Promise((resolve) => {
      const ended = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', ended);
        resolve();
      };
      const timer = setTimeout(ended, RETRY_MS);
      signal.addEventListener('abort', ended);
    });
  }

  async handle(task, asked) {
    const leaseLost = new AbortController();
    const half = this.lease / 2;
    let timer;
    let ended = false;
    let renewing = false;
    const one = {
      // Half of the lease before it ends, as the daemon counts it: from when it was asked for.
      plan: (after) => {
        clearTimeout(timer);
        if (!ended) timer = setTimeout(() => one.renew(), Math.max(after, 0));
      },
      renew: async () => {
        if (renewing || ended) return;
        renewing = true;
        const begun = performance.now();
        try {
          await this.source.touch(task, {lease: this.lease, worker: this.name, timeLimit: Math.max(this.lease, 1)});
          one.plan(half - (performance.now() - begun));
        } catch (error) {
          if (lost.has(error.code)) {
            ended = true;
            leaseLost.abort(error);
          } else if (error.code !== 'expired' && this.link.state !== 'closed') {
            // `expired`: it may be finished until the lease ends, but not longer.
            one.plan(Math.min(this.lease / 8, RETRY_MS));
          }
        } finally {
          renewing = false;
        }
      },
    };
    this.held.add(one);
    one.plan(half - (performance.now() - asked));
    let failed = false;
    let failure;
    try {
      await this.handler(task, {signal: leaseLost.signal, stopping: this.stopping.signal});
    } catch (error) {
      failed = true;
      failure = error ?? new Error('the handler was rejected without a reason');
    }
    ended = true;
    clearTimeout(timer);
    this.held.delete(one);
    if (leaseLost.signal.aborted) {
      // Another one may have it: nothing more is said about it.
      ++this.counts.lost;
      this.onError(leaseLost.signal.reason, task);
      return;
    }
    await this.tell(task, failed, failure);
  }

  async tell(task, failed, failure) {
    // A daemon that does not answer keeps nobody from ending.
    const enough = new AbortController();
    const {signal: stopped} = this.stopping;
    let timer;
    const limit = () => {
      const error = new TimedOutError(`no answer within ${this.stopAfter} ms after the stop`);
      timer = setTimeout(() => enough.abort(error), this.stopAfter);
    };
    if (stopped.aborted) limit();
    stopped.addEventListener('abort', limit, {once: true});
    const {signal} = enough;
    try {
      let fate = this.source.finished;
      if (!failed) {
        await this.source.finish(task, {signal});
      } else {
        const error = textOf(failure) || 'failed';
        const how = {errorTrace: stackOf(failure), signal};
        ({fate} = isOf(failure, GiveUp) ? await this.source.giveUp(task, error, how) :
                                          await this.source.release(task, {error, ...how}));
      }
      ++this.counts[fate];
    } catch (error) {
      // The lease ends by itself.
      ++this.counts.lost;
      this.onError(error, task);
    } finally {
      clearTimeout(timer);
      stopped.removeEventListener('abort', limit);
    }
    if (failed) this.onError(failure, task);
  }
}

/** As Connection.worker in index.d.ts. */
export async function work(link, journal, handler, {domain, ...given}) {
  const source = {
    call: 'worker',
    what: 'row',
    finished: 'done',
    counts: {done: 0, released: 0, parked: 0, deleted: 0, lost: 0},
    nameOf: (row) => `table ${journal.table}${row === undefined ? '' : `, row ${row.row}`}`,
    next: async (wish) => (await journal.next({...wish, domain})).rows,
    touch: (row, wish) => journal.touch(row, wish),
    finish: (row, limits) => journal.done(row, limits),
    release: (row, how) => journal.release(row, how),
    giveUp: (row, error, how) => journal.fail(row, error, how),
  };
  return new Worker(link, source, handler, given).run();
}

/** As Connection.consumer in index.d.ts. */
export async function consume(link, queues, queue, handler, given) {
  const source = {
    call: 'consumer',
    what: 'message',
    finished: 'accepted',
    counts: {accepted: 0, released: 0, dead: 0, parked: 0, deleted: 0, lost: 0},
    nameOf: (message) => `table ${queues.table}${message === undefined ? '' : `, message ${message.message}`}`,
    next: async (wish) => (await queues.acquire({...wish, queue})).messages,
    touch: (message, wish) => queues.touch(message, wish),
    finish: (message, limits) => queues.accept(message, limits),
    release: (message, how) => queues.release(message, how),
    giveUp: (message, error, how) => queues.reject(message, error, how),
  };
  return new Worker(link, source, handler, given).run();
}
