// The commands of a pipeline table as methods; index.d.ts says what they take and return.
import {setTimeout as pause} from 'node:timers/promises';

import {listOf} from './answers.js';
import {Calls} from './calls.js';
import {NotSent} from './errors.js';
import {isOf} from './failures.js';
import {DocumentCalls} from './made/pipeline.js';
import * as pipeline from './pipeline.js';
import {flag, namesOf} from './rows.js';
import {outages, RETRY_MS} from './worker.js';

const listenNames = namesOf('source mode credit worker');

export class Documents extends DocumentCalls {
  #calls;
  #link;

  constructor(link, table) {
    const calls = new Calls(link, String(table));
    super(calls);
    this.#calls = calls;
    this.#link = link;
  }

  // What a worker says of a document.
  #say(command, {table, document, token}, params, limits) {
    return this.#calls.report(command, {...params, table, document, token}, limits);
  }

  // After a loss the lease ends with the grace: said again, it moves to the new connection. Without regular ones, which
  // would move the deadline of a function that hangs.
  #adopting(document, signal) {
    let adopting = false;
    return async () => {
      if (adopting) return;
      adopting = true;
      for (let goesOn = true; goesOn;)
        goesOn = await this.heartbeat(document, {signal}).then(() => false, (error) => this.#pauseAfter(error, signal));
      adopting = false;
    };
  }

  // After a new connection the leases of the other destinations move to it; what is begun or ended over it needs no
  // heartbeat. Resolves with the number of connections so far.
  async #adopt(document, since, timeLimit) {
    const hasMore = (document.destinations?.length ?? 2) > 1 || document.children;
    // Too late: what is said next is refused.
    if (this.#link.connects !== since && hasMore) await this.heartbeat(document, {timeLimit}).catch(() => {});
    return this.#link.connects;
  }

  // Whether to try again: it may pass.
  async #pauseAfter(error, signal) {
    const {options, state} = this.#link;
    if (!outages.has(error.code) || state === 'closed' || options.backOff.length === 0) return false;
    return pause(RETRY_MS, true, {signal}).catch(() => false);
  }

  async deliver(document, destination, send, {timeLimit, signal} = {}) {
    let {connects} = this.#link;
    const sending = await this.begin(document, destination, {timeLimit, signal});
    if (sending.verdict !== 'run') return {verdict: sending.verdict, state: sending.why, failure: undefined};
    connects = await this.#adopt(document, connects, timeLimit);
    let failed = false;
    let failure;
    const ended = new AbortController();
    const adopt = this.#adopting(document, ended.signal);
    this.#link.onReconnected.add(adopt);
    try {
      await send(sending);
    } catch (error) {
      failed = true;
      failure = error;
    } finally {
      this.#link.onReconnected.delete(adopt);
      ended.abort();
    }
    // It may have arrived, and must not arrive twice.
    if (isOf(failure, NotSent) && failure.mayHaveArrived && sending.guarantee === 'at-most-once')
      return {verdict: 'run', state: 'sending', failure};
    const [command, params] = pipeline.endingOf(failed, failure);
    // Also if `signal` is aborted by now: what was done is said.
    const reply = await this.#say(command, document, {...params, destination}, {timeLimit});
    await this.#adopt(document, connects, timeLimit);
    return {verdict: 'run', state: pipeline.recordedOf(reply).status, failure};
  }

  async begin(document, destination, {batched, worker, ...limits} = {}) {
    return pipeline.sendingOf(
        await this.#say('SENDING', document, {destination, batched: flag(batched), worker}, limits));
  }

  async failed(document, destination, kind, {error, errorTrace, permanent, ...limits} = {}) {
    const params = {...pipeline.failureOf(kind, {error, errorTrace, permanent}), destination};
    return pipeline.recordedOf(await this.#say('FAILED', document, params, limits)).status;
  }

  async beginChild(parent, child, {step, again, lease, worker, ...limits} = {}) {
    const params = {child: String(child), step, again: flag(again), lease, worker};
    return pipeline.childOf(await this.#say('CHILD', parent, params, limits));
  }

  async heartbeat(document, {lease, worker, ...limits} = {}) {
    return pipeline.isAliveOf(await this.#say('HEARTBEAT', document, {lease, worker}, limits));
  }

  listen(options = {}) { return this.#calls.listen(listenNames, 'wake', options); }

  async plans(limits = {}) {
    return listOf({name: 'PLAN', shown: pipeline.planFrom}, await this.#calls.call('PLANS', {}, limits));
  }
}
