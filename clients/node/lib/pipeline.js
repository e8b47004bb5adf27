// The messages of a pipeline table as objects of the program. Names are those of the protocol in camel case; dates are
// milliseconds since 1970.
import {assign} from './answers.js';
import {GiveUp, NotSent} from './errors.js';
import {cut, failedWith, isOf, nameOf, stackOf, textOf} from './failures.js';
import {pipeline as kinds} from './made/answers.js';
import {numberOf} from './protocol.js';
import {camelCase, unexpected} from './rows.js';

const CLASS_BYTES_MAX = 64;

const notShown = new Set(['destinations', 'dropped_at', 'states', 'branches', 'class', 'chosen']);
// Of one that is handed out `children` is a flag.
const handedOut = {
  numbers: new Set(['document', 'parent', 'original', 'newer', 'token', 'lease_end']),
  flags: new Set(['children', 'check']),
};
const STATES = wordsOf('processing restart dirty force error batched sending sent dropped dead error_doc');

/** A document, or its number. */
export function numberOfDocument(document) { return document?.document ?? document; }

export function wordsOf(text) { return (text ?? '').split(' ').filter((word) => word !== ''); }

class PipelineDocument {
  constructor(params) {
    this.token = 0;
    this.source = '';
    this.uri = '';
    this.hash = '';
    this.children = false;
    this.check = false;
    assign(this, params, handedOut, notShown);
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

/** As people look at it. */
export function shownFrom(params) {
  const zero = {childrenKnown: 0, childrenNotDone: 0, missingBelow: 0, inHandsBelow: 0, failedBelow: 0};
  const whole = {source: '', uri: '', hash: '', done: false, orphan: false, ...zero};
  const out = assign(whole, params, kinds.DOCUMENT, notShown);
  out.states = {};
  for (const word of wordsOf(params.states)) {
    const at = word.lastIndexOf('=');
    out.states[word.slice(0, at)] = word.slice(at + 1);
  }
  return out;
}

export function destinationFrom(params) {
  const out = {branches: wordsOf(params.branches), reason: '', inDoubt: 0, withWorkers: 0};
  for (const state of STATES) out[camelCase(state)] = 0;
  return assign(out, params, kinds.DESTINATION, notShown);
}

export function eventFrom(params) {
  return assign({kind: params.class, chosen: wordsOf(params.chosen)}, params, kinds.EVENT, notShown);
}

export function planFrom(params) { return assign({newest: false, text: '', xml: ''}, params, kinds.PLAN); }
