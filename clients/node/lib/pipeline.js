// The messages of a pipeline table as objects of the program. Names are those of the protocol in camel case; dates are
// milliseconds since 1970.
import {GiveUp, NotSent} from './errors.js';
import {cut, failedWith, isOf, nameOf, stackOf, textOf} from './failures.js';
import {assign, listBy} from './messages.js';
import {numberOf} from './protocol.js';
import {unexpected} from './rows.js';

const CLASS_BYTES_MAX = 64;

const notShown = ['request', 'left', 'after', 'destinations', 'dropped_at', 'states', 'branches', 'class', 'chosen'];
const ofDocument = ['document', 'parent', 'original', 'newer'];
const handedOut = {
  numbers: new Set([...ofDocument, 'token', 'lease_end']),
  flags: new Set(['children', 'check']),
  notShown: new Set(notShown),
};
const shown = {
  numbers: new Set([
    ...ofDocument,
    ...wordsOf('children children_known children_not_done missing_below in_hands_below failed_below'),
  ]),
  flags: new Set(['done', 'orphan']),
  notShown: new Set(notShown),
};
const states = wordsOf('processing restart dirty force error batched sending sent dropped dead error_doc');
const counted = {
  numbers: new Set([...states, 'in_doubt', 'with_workers']),
  flags: new Set(),
  notShown: new Set(notShown),
};
const ofEvent = {
  numbers: new Set(['event', 'date', 'document', 'failures', 'generation', 'parent', 'original', 'children']),
  flags: new Set(),
  notShown: new Set(notShown),
};
const ofPlan = {
  numbers: new Set(['version', 'documents']),
  flags: new Set(['newest']),
  notShown: new Set(notShown),
};

function wordsOf(text) { return (text ?? '').split(' ').filter((word) => word !== ''); }

class PipelineDocument {
  constructor(params) {
    this.token = 0;
    this.source = '';
    this.uri = '';
    this.hash = '';
    this.children = false;
    this.check = false;
    assign(this, params, handedOut);
    this.destinations = wordsOf(params.destinations);
  }

  get isMine() { return this.token !== 0; }
}

/** From the parameters of a DOCUMENT, or of a LISTEN about a document. */
export function documentFrom(params) { return new PipelineDocument(params); }

const changes = new Set([undefined, 'new', 'changed', 'resume', 'processing', 'unchanged']);

export function documentOf({command, params}) {
  if (command !== 'DOCUMENT' || !changes.has(params.change))
    throw unexpected({command}, 'DOCUMENT with a known change');
  return documentFrom(params);
}

export function handedOutOf(reply) {
  const {command, params} = reply.first;
  if (command !== 'NOTHING') return {documents: reply.messages.map(documentOf), nextDate: undefined};
  return {documents: [], nextDate: params.next_date > 0 ? numberOf(params.next_date) : undefined};
}

export function sendingOf({first}) {
  const {command, params} = first;
  const sending = {verdict: 'run', why: '', attempt: 0, guarantee: '', key: '', deadline: 0};
  if (command === 'SKIP') return {...sending, verdict: 'skip', why: params.status ?? ''};
  if (command === 'CANCELLED') return {...sending, verdict: 'cancelled', why: params.reason ?? ''};
  if (command !== 'RUN') throw unexpected(first, 'RUN, SKIP or CANCELLED');
  const {guarantee = '', key = ''} = params;
  return {...sending, guarantee, key, attempt: numberOf(params.attempt), deadline: numberOf(params.deadline ?? 0)};
}

export function childOf({first}) {
  const {command, params} = first;
  if (command !== 'SKIP') return {document: documentOf(first), isSubtreeDone: false};
  const {table, document, subtree} = params;
  return {document: documentFrom({table, document}), isSubtreeDone: numberOf(subtree ?? 0) !== 0};
}

/** The parameters of a RECORDED. */
export function recordedOf({first}) {
  if (first.command !== 'RECORDED') throw unexpected(first, 'RECORDED');
  return first.params;
}

export function droppedAtOf(reply) { return wordsOf(recordedOf(reply).dropped_at); }

export function isAliveOf(reply) { return reply.first.command !== 'CANCELLED' && recordedOf(reply) !== undefined; }

/** The command that says how a function ended that sends, and what it says of it. `failed`: it threw `failure`. */
export function endingOf(failed, failure) {
  if (!failed) return ['SENT', {}];
  const text = textOf(failure) || undefined;
  const isNotSent = isOf(failure, NotSent);
  if (isNotSent && failure.drop) return ['DROPPED', {reason: text}];
  const kind = isNotSent && typeof failure.kind === 'string' ? failure.kind : nameOf(failure);
  const permanent = isOf(failure, GiveUp) || (isNotSent && failure.permanent);
  return ['FAILED', failureOf(kind, {error: text, errorTrace: stackOf(failure), permanent})];
}

/** What FAILED says of a failure. */
export function failureOf(kind, {error, errorTrace, permanent}) {
  return {
    class: typeof kind === 'string' ? cut(kind, CLASS_BYTES_MAX) || undefined : kind,
    ...failedWith(error, errorTrace),
    permanent: permanent ? 1 : undefined,
  };
}

const shownOf = {
  DOCUMENT: (params) => {
    const zero = {childrenKnown: 0, childrenNotDone: 0, missingBelow: 0, inHandsBelow: 0, failedBelow: 0};
    const out = assign({source: '', uri: '', hash: '', done: false, orphan: false, ...zero}, params, shown);
    out.states = {};
    for (const word of wordsOf(params.states)) {
      const at = word.lastIndexOf('=');
      out.states[word.slice(0, at)] = word.slice(at + 1);
    }
    return out;
  },
  DESTINATION: (params) => {
    const out = {branches: wordsOf(params.branches), reason: '', inDoubt: 0, withWorkers: 0};
    for (const state of states) assign(out, {[state]: 0}, counted);
    return assign(out, params, counted);
  },
  EVENT: (params) => assign({kind: params.class, chosen: wordsOf(params.chosen)}, params, ofEvent),
  PLAN: (params) => assign({newest: false, text: '', xml: ''}, params, ofPlan),
};

/** The messages of this name in an answer, as objects. */
export const listOf = (command, reply) => listBy(shownOf[command], command, reply);

/** Of a CHANGED: how many, and where the next page begins; undefined: nowhere. */
export function changedOf({first}) {
  if (first.command !== 'CHANGED') throw unexpected(first, 'CHANGED');
  return {count: numberOf(first.params.count ?? 0), after: first.params.after};
}
