// The commands of a pipeline table as methods; index.d.ts says what they take and return.
import {setTimeout as pause} from 'node:timers/promises';

import {Calls, reasonOf} from './calls.js';
import {NotSent} from './errors.js';
import {errorText, isOf, report} from './failures.js';
import * as pipeline from './pipeline.js';
import {flag, namesOf, parametersOf} from './rows.js';
import {outages, RETRY_MS} from './worker.js';

const listenNames = namesOf('source mode credit worker');
const wishNames = {
  ...namesOf('document source destination status all dryRun'),
  kind: 'class'
};
const PAGE = 1000;

function numberOfDocument(document) { return document?.document ?? document; }

export class Documents {
  #calls;
  #link;

  constructor(link, table) {
    this.table = String(table);
    this.#calls = new Calls(link, this.table);
    this.#link = link;
  }

  // What a worker says of a document.
  #say(command, {table = this.table, document, token}, params, limits) {
    return report(this.#link, command, {...params, table, document, token}, limits);
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

  // ---- sources ----

  async found(source, uri, hash, {handOut = true, dryRun, gone, lease, worker, ...limits} = {}) {
    const hand_out = handOut ? undefined : 0;
    const of = {source, uri, hash: hash || undefined, gone: flag(gone)};
    const params = {...of, hand_out, dry_run: flag(dryRun), lease, worker};
    return pipeline.documentOf(await this.#calls.first('FOUND', params, limits));
  }

  // ---- workers ----

  async next({source, destination, count = 1, lease, wait, worker, ...limits} = {}) {
    const params = {source, destination, count, lease, wait, worker};
    return pipeline.handedOutOf(await this.#calls.call('NEXT', params, limits));
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

  async sent(document, destination, limits = {}) {
    return pipeline.recordedOf(await this.#say('SENT', document, {destination}, limits)).status;
  }

  async failed(document, destination, kind, {error, errorTrace, permanent, ...limits} = {}) {
    const params = {...pipeline.failureOf(kind, {error, errorTrace, permanent}), destination};
    return pipeline.recordedOf(await this.#say('FAILED', document, params, limits)).status;
  }

  async dropped(document, {destination, reason, ...limits} = {}) {
    pipeline.recordedOf(await this.#say('DROPPED', document, {destination, reason: errorText(reason)}, limits));
  }

  async routed(document, router, chosen, limits = {}) {
    return pipeline.droppedAtOf(await this.#say('ROUTED', document, {router, chosen: [...chosen].join(' ')}, limits));
  }

  async beginChild(parent, child, {step, again, lease, worker, ...limits} = {}) {
    const params = {child: String(child), step, again: flag(again), lease, worker};
    return pipeline.childOf(await this.#say('CHILD', parent, params, limits));
  }

  async childrenDone(parent, count, limits = {}) {
    pipeline.recordedOf(await this.#say('CHILDREN_DONE', parent, {count}, limits));
  }

  async heartbeat(document, {lease, worker, ...limits} = {}) {
    return pipeline.isAliveOf(await this.#say('HEARTBEAT', document, {lease, worker}, limits));
  }

  async release(document, limits = {}) { pipeline.recordedOf(await this.#say('RELEASE', document, {}, limits)); }

  listen(options = {}) { return this.#calls.listen(listenNames, 'wake', options); }

  // ---- looking ----

  #pages(command, answer, params, limits) {
    return this.#calls.pages(command, params, limits, (reply) => pipeline.listOf(answer, reply));
  }

  documents({status, source, destination, version, count = 100, ...limits} = {}) {
    return this.#pages('DOCUMENTS', 'DOCUMENT', {status, source, destination, version, count}, limits);
  }

  destinations({destination, source, version, ...limits} = {}) {
    return this.#pages('DESTINATIONS', 'DESTINATION', {destination, source, version}, limits);
  }

  async why(document, limits = {}) {
    return reasonOf(await this.#calls.first('WHY', {document: numberOfDocument(document)}, limits));
  }

  history({document, children, count = 100, ...limits} = {}) {
    const of = {document: numberOfDocument(document), children: flag(children)};
    return this.#pages('HISTORY', 'EVENT', {...of, count}, limits);
  }

  async plans(limits = {}) { return pipeline.listOf('PLAN', await this.#calls.call('PLANS', {}, limits)); }

  stats(limits = {}) { return this.#calls.stats(limits); }

  // ---- people ----

  // Page by page, until `count` are done.
  async #change(call, params, {count = Infinity, timeLimit, signal, ...wish}, names = wishNames) {
    const chosen = {...params, ...parametersOf(call, wish, names)};
    chosen.document = numberOfDocument(chosen.document);
    let done = 0;
    let after;
    do {
      const page = {...chosen, count: Math.min(PAGE, count - done), after};
      const changed = pipeline.changedOf(await this.#calls.call(call.toUpperCase(), page, {timeLimit, signal}));
      done += changed.count;
      ({after} = changed);
    } while (after !== undefined && done < count);
    return done;
  }

  retry(wish = {}) { return this.#change('retry', {}, wish, {...wishNames, ifChanged: 'if_changed'}); }

  force(wish = {}) { return this.#change('force', {}, wish); }

  drop(wish = {}) { return this.#change('drop', {}, wish); }

  resolve(outcome, wish = {}) { return this.#change('resolve', {outcome}, wish); }

  async pause(destination, {reason, ...limits} = {}) { await this.#calls.call('PAUSE', {destination, reason}, limits); }

  async resume(destination, limits = {}) { await this.#calls.call('RESUME', {destination}, limits); }
}
