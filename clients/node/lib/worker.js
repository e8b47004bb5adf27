// A worker: leases rows, has a function work on them, renews leases meanwhile, and tells the daemon what became of them.
import {BadParameterError, GiveUp} from './errors.js';

// After these a worker goes on: the daemon is away, or short of something, or the table rests.
const outages = new Set(['unavailable', 'timed_out', 'closed', 'paused', 'over_limit', 'no_space']);
const lost = new Set(['stale_epoch', 'not_leased', 'unknown_row']);
const RETRY_MS = 1_000;
const options = new Set(['concurrency', 'lease', 'wait', 'domain', 'worker', 'signal', 'stopOn', 'onError']);

class Worker {
  constructor(link, journal, handler, given) {
    for (const name in given)
      if (!options.has(name)) throw new BadParameterError(`worker() has no option '${name}'`, {parameter: name});
    if (typeof handler !== 'function') throw new BadParameterError('worker() needs a function that works on a row');
    this.link = link;
    this.journal = journal;
    this.handler = handler;
    const {concurrency = 1, lease = 60_000, wait = 30_000, stopOn = ['SIGTERM']} = given;
    const {domain, worker, onError, signal} = given;
    if (!Number.isSafeInteger(concurrency) || concurrency < 1)
      throw new BadParameterError('option concurrency is an integer from 1', {parameter: 'concurrency'});
    if (!Number.isSafeInteger(lease) || lease < 1)
      throw new BadParameterError('option lease is milliseconds, 1 or more', {parameter: 'lease'});
    Object.assign(this, {concurrency, lease, wait, domain, name: worker, stopOn, onError, signal});
    this.stopping = new AbortController();
    this.held = new Set();
    this.counts = {done: 0, released: 0, parked: 0, deleted: 0, lost: 0};
  }

  async run() {
    const stop = () => this.stopping.abort();
    // The daemon returns the rows of a connection that is gone; a TOUCH from the new one adopts them.
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

  // One of `concurrency`: row after row.
  async serve() {
    const {signal} = this.stopping;
    while (!signal.aborted) {
      let row;
      const asked = performance.now();
      try {
        const {lease, wait, domain} = this;
        const work = await this.journal.next({lease, wait, domain, worker: this.name, signal});
        [row] = work.rows;
      } catch (error) {
        if (signal.aborted) break;
        if (!outages.has(error.code) || this.link.state === 'closed' || this.link.options.backOff.length === 0) {
          this.stopping.abort();
          throw error;
        }
        if (error.code !== 'paused') this.onError?.(error);
        await this.pause();
        continue;
      }
      if (row !== undefined) await this.handle(row, asked);
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

  async handle(row, asked) {
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
          await this.journal.touch(row, {lease: this.lease, worker: this.name, timeLimit: Math.max(this.lease, 1)});
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
    let failure;
    try {
      await this.handler(row, {signal: leaseLost.signal, stopping: this.stopping.signal});
    } catch (error) {
      failure = error ?? new Error('the handler was rejected without a reason');
    }
    ended = true;
    clearTimeout(timer);
    this.held.delete(one);
    if (leaseLost.signal.aborted) {
      // Another worker may have the row: nothing more is said about it.
      ++this.counts.lost;
      this.onError?.(leaseLost.signal.reason, row);
      return;
    }
    await this.tell(row, failure);
  }

  async tell(row, failure) {
    try {
      if (failure === undefined) {
        await this.journal.done(row);
        ++this.counts.done;
        return;
      }
      const text = String(failure.message ?? failure);
      const {fate} = failure instanceof GiveUp ? await this.journal.fail(row, text) :
                                                 await this.journal.release(row, {error: text || 'failed'});
      ++this.counts[fate];
      this.onError?.(failure, row);
    } catch (error) {
      // The lease ends by itself.
      ++this.counts.lost;
      this.onError?.(error, row);
    }
  }
}

/** As Connection.worker in index.d.ts. */
export async function work(link, journal, handler, given) { return new Worker(link, journal, handler, given).run(); }
