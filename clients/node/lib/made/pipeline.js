// Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.
// clang-format off
import {assign, recordOf} from '../answers.js';
import {reasonOf} from '../calls.js';
import {errorText} from '../failures.js';
import {
  destinationFrom,
  documentOf,
  eventFrom,
  handedOutOf,
  numberOfDocument,
  shownFrom,
  wordsOf,
} from '../pipeline.js';
import {flag, namesOf, parametersOf} from '../rows.js';

import {pipeline as kinds} from './answers.js';

// What is leased, by its numbers.
const leaseOf = ({table, document, token}) => ({table, document, token});

// The options of calls that refuse others.
const names = {
  steps: namesOf('version count'),
  retry: {...namesOf('source destination status all dryRun ifChanged'), kind: 'class'},
  force: {...namesOf('source destination status all dryRun'), kind: 'class'},
  drop: {...namesOf('source destination status all dryRun'), kind: 'class'},
  resolve: {...namesOf('source destination status all dryRun'), kind: 'class'},
  kick: namesOf('destination'),
};

// Answers, and what the program gets of them.
const DOCUMENT = {name: 'DOCUMENT', shown: shownFrom};
const DESTINATION = {name: 'DESTINATION', shown: destinationFrom};
const EVENT = {name: 'EVENT', shown: eventFrom};
const STEP = {name: 'STEP', shown: (params) => assign({anyPath: false}, params, kinds.STEP)};
const KICKED = {name: 'KICKED', shown: (params) => assign({count: 0}, params, kinds.KICKED)};

/** The commands of a table, as types/pipeline.d.ts documents them. */
export class DocumentCalls {
  #calls;

  constructor(calls) {
    this.table = calls.table;
    this.#calls = calls;
  }

  /** Its figures. */
  stats(limits = {}) { return this.#calls.stats(limits); }

  /** A source has a document: it is new, has changed, is missing somewhere, or is complete. What is missing is handed
   * to whoever found it. */
  async found(source, uri, hash, {gone, handOut = true, dryRun, lease, worker, ...limits} = {}) {
    const params = {
      source,
      uri,
      hash: hash || undefined,
      gone: flag(gone),
      hand_out: handOut ? undefined : 0,
      dry_run: flag(dryRun),
      lease,
      worker,
    };
    return documentOf(await this.#calls.first('FOUND', params, limits));
  }

  /** Hands out documents that are missing somewhere and that nobody has: after a crash, after a rest, or as their
   * finder left them. */
  async next({source, destination, count, lease, wait, worker, ...limits} = {}) {
    return handedOutOf(await this.#calls.call('NEXT', {source, destination, count, lease, wait, worker}, limits));
  }

  /** The document has arrived at a destination. */
  async sent(document, destination, limits = {}) {
    return (await this.#calls.first('SENT', {...leaseOf(document), destination}, limits)).params.status;
  }

  /** The document is not to be brought to a destination, or to none of those that the worker has it for. */
  async dropped(document, {destination, reason, ...limits} = {}) {
    const params = {...leaseOf(document), destination, reason: errorText(reason)};
    await this.#calls.call('DROPPED', params, limits);
  }

  /** A router chose where the document goes: destinations that it cannot reach any more are dropped. */
  async routed(document, router, chosen, limits = {}) {
    const params = {...leaseOf(document), router, chosen: [...chosen].join(' ')};
    return wordsOf((await this.#calls.first('ROUTED', params, limits)).params.dropped_at);
  }

  /** So many children were made of a document, and there are no more: without this it is not done. */
  async childrenDone(document, count, limits = {}) {
    await this.#calls.call('CHILDREN_DONE', {...leaseOf(document), count}, limits);
  }

  /** The worker gives a document back, but for what it is sending: it is handed out to another, and nothing is
   * counted. */
  async release(document, limits = {}) { await this.#calls.call('RELEASE', leaseOf(document), limits); }

  /** Shows documents and what is known of them at each destination. */
  documents({status, source, destination, version, count, ...limits} = {}) {
    return this.#calls.pagesOf('DOCUMENTS', DOCUMENT, {status, source, destination, version, count}, limits);
  }

  /** Shows the destinations with their documents by state. */
  destinations({destination, source, version, ...limits} = {}) {
    return this.#calls.pagesOf('DESTINATIONS', DESTINATION, {destination, source, version}, limits);
  }

  /** Says in sentences why a document is where it is. */
  async why(document, limits = {}) {
    return reasonOf(await this.#calls.first('WHY', {document: numberOfDocument(document)}, limits));
  }

  /** Shows what has become of documents, one event after the other, as far as `history` reaches back. */
  history({document, children, count, ...limits} = {}) {
    const params = {document: numberOfDocument(document), children: flag(children), count};
    return this.#calls.pagesOf('HISTORY', EVENT, params, limits);
  }

  /** Shows the sources and steps of the plan, in the order of its file. */
  steps({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('STEPS', STEP, parametersOf('steps', options, names.steps), {timeLimit, signal});
  }

  /** Tries again what failed, with its failures forgotten: what is dead or failed for good, and what rests if its
   * document or status=error is given. Resolves with how many. */
  async retry({document, count, timeLimit, signal, ...options} = {}) {
    const params = {document: numberOfDocument(document), ...parametersOf('retry', options, names.retry)};
    return this.#calls.sum('RETRY', 'count', params, count, {timeLimit, signal});
  }

  /** Sends again, whatever the state: also what has arrived. Resolves with how many. */
  async force({document, count, timeLimit, signal, ...options} = {}) {
    const params = {document: numberOfDocument(document), ...parametersOf('force', options, names.force)};
    return this.#calls.sum('FORCE', 'count', params, count, {timeLimit, signal});
  }

  /** Drops what has not arrived. Resolves with how many. */
  async drop({document, count, timeLimit, signal, ...options} = {}) {
    const params = {document: numberOfDocument(document), ...parametersOf('drop', options, names.drop)};
    return this.#calls.sum('DROP', 'count', params, count, {timeLimit, signal});
  }

  /** Says of what is in doubt whether it arrived: sent, or failed, and then it is sent again. Resolves with how
   * many. */
  async resolve(outcome, {document, count, timeLimit, signal, ...options} = {}) {
    const params = {outcome, document: numberOfDocument(document), ...parametersOf('resolve', options, names.resolve)};
    return this.#calls.sum('RESOLVE', 'count', params, count, {timeLimit, signal});
  }

  /** Shuts a destination: nothing is handed out for it. */
  async pause(destination, {reason, ...limits} = {}) { await this.#calls.call('PAUSE', {destination, reason}, limits); }

  /** Opens a destination that was shut, or that was paused as too much failed there; without one it ends a DRAIN. */
  async resume(destination, limits = {}) { await this.#calls.call('RESUME', {destination}, limits); }

  /** Takes a document from the workers that have it: it is handed out again, and nothing is counted; their reports are
   * refused from then on. What is being sent where it may arrive once at most is in doubt. */
  async kick(document, {timeLimit, signal, ...options} = {}) {
    const params = {document: numberOfDocument(document), ...parametersOf('kick', options, names.kick)};
    return recordOf(KICKED, await this.#calls.first('KICK', params, {timeLimit, signal}));
  }
}
