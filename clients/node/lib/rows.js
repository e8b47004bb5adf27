// The messages of a journal as objects of the program: rows, fates. Names are those of the protocol in camel
// case; dates are milliseconds since 1970.
import {errorOf} from './error_of.js';
import {InvalidError} from './errors.js';
import {numberOf, Params} from './protocol.js';

const rowParameters = new Set([
  'accepted_date',   'after',          'attempts',  'domain', 'epoch',  'error',    'error_trace',
  'expiration_date', 'insertion_date', 'lease_end', 'left',   'merges', 'omitted',  'priority',
  'process_date',    'request',        'row',       'status', 'table',  'timeouts', 'worker',
]);

export function unexpected(message, wanted) {
  return new InvalidError(`the daemon answered ${message.command} where ${wanted} was expected`);
}

export function camelCase(name) { return name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase()); }

/** A row from the parameters of a ROW, or of a LISTEN about a row. */
export function rowFrom(params) {
  const row = {
    table: params.table,
    row: numberOf(params.row),
    epoch: numberOf(params.epoch ?? 0),
    columns: new Params(),
    priority: numberOf(params.priority ?? 0),
    processDate: numberOf(params.process_date ?? 0),
    insertionDate: numberOf(params.insertion_date ?? 0),
    leaseEnd: numberOf(params.lease_end ?? 0),
    timeouts: numberOf(params.timeouts ?? 0),
    attempts: numberOf(params.attempts ?? 0),
    omitted: params.omitted ?? '',
  };
  // Only of PEEK and LIST.
  if (params.status !== undefined) {
    row.status = params.status;
    for (const name of ['merges', 'expiration_date', 'worker', 'error', 'error_trace'])
      if (params[name] !== undefined) row[camelCase(name)] = params[name];
  }
  for (const name in params)
    if (!rowParameters.has(name)) row.columns[name] = params[name];
  return row;
}

export function rowOf(message) {
  if (message.command !== 'ROW') throw unexpected(message, 'ROW');
  return rowFrom(message.params);
}

/** ROWs or NOTHING, possibly after a COMPLETED. */
export function workOf(reply) {
  const work = {rows: [], nextDate: undefined};
  for (const message of reply.messages) {
    if (message.command === 'COMPLETED') continue;
    if (message.command === 'NOTHING') {
      if (message.params.next_date > 0) work.nextDate = numberOf(message.params.next_date);
      continue;
    }
    work.rows.push(rowOf(message));
  }
  return work;
}

const results = new Set(['inserted', 'merged', 'behind', 'duplicate', 'stale']);

export function putOf({command, params}) {
  if (command !== 'INSERTED' || !results.has(params.result))
    throw unexpected({command}, 'INSERTED with a known result');
  return {
    row: numberOf(params.row),
    result: params.result,
    merges: numberOf(params.merges ?? 0),
    processDate: numberOf(params.process_date ?? 0),
  };
}

export function returnedOf({first}) {
  if (first.command === 'PARKED') return {fate: 'parked'};
  if (first.command === 'DELETED') return {fate: 'deleted'};
  if (first.command !== 'RELEASED') throw unexpected(first, 'RELEASED, PARKED or DELETED');
  const {process_date: date} = first.params;
  return {fate: 'released', processDate: date === undefined ? undefined : numberOf(date)};
}

/** Of options: their names in the protocol, by those that a program gives. */
export function namesOf(words) {
  const inProtocol = (word) => word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(words.split(' ').map((word) => [word, inProtocol(word)]));
}

/** A boolean as a message has it. */
export function flag(given) { return given === undefined ? undefined : Number(given); }

/** The parameters that stand for options of a call; throws bad_parameter for an option that there is not. */
export function parametersOf(call, options, names) {
  const params = {};
  for (const name in options) {
    if (!Object.hasOwn(names, name))
      throw errorOf('bad_parameter', `${call}() has no option '${name}'`, {parameter: name});
    params[names[name]] = typeof options[name] === 'boolean' ? Number(options[name]) : options[name];
  }
  return params;
}
