// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
// clang-format off
import {assign, foundOf} from '../answers.js';
import {failedWith} from '../failures.js';
import {numberOf} from '../protocol.js';
import {flag, namesOf, parametersOf, putOf, returnedOf, rowFrom, workOf} from '../rows.js';

import {journal as kinds} from './answers.js';

// What is leased, by its numbers.
const leaseOf = ({table, row, epoch}) => ({table, row, epoch});

// The options of calls that refuse others.
const names = {
  put: namesOf('priority processDate expirationDate insertionDate client sequence'),
  count: namesOf('status domain prefix error'),
  timeline: namesOf('domain'),
  domains: namesOf('count'),
  deleteMatching: namesOf('status domain prefix error'),
  kickMatching: namesOf('status domain prefix error'),
  pause: namesOf('reason worker'),
  resume: namesOf('reason worker'),
  drain: namesOf('reason worker'),
};

// Answers, and what the program gets of them.
const ROW = {name: 'ROW', shown: rowFrom};
const KICKED = {name: 'KICKED', shown: (params) => assign({}, params, kinds.KICKED)};
const DUE = {name: 'DUE', shown: (params) => assign({from: 0, to: 0, rows: 0}, params, kinds.DUE)};
const DOMAIN = {name: 'DOMAIN', shown: (params) => assign({domain: ''}, params, kinds.DOMAIN)};

/** The commands of a table, as types/journal.d.ts documents them. */
export class JournalCalls {
  #calls;

  constructor(calls) {
    this.table = calls.table;
    this.#calls = calls;
  }

  /** Its figures. */
  stats(limits = {}) { return this.#calls.stats(limits); }

  /** Adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one. */
  async put(columns, {timeLimit, signal, ...options} = {}) {
    const params = {...columns, ...parametersOf('put', options, names.put)};
    return putOf(await this.#calls.numbered('INSERT', params, {timeLimit, signal}));
  }

  /** Leases the next rows that are due; NOTHING gives the date of the next one. */
  async next({domain, count, lease, wait, worker, ...limits} = {}) {
    return workOf(await this.#calls.call('NEXT', {domain, count, lease, wait, worker}, limits));
  }

  /** Renews a lease, and takes it over on a new connection. */
  async touch(row, {lease, worker, ...limits} = {}) {
    return numberOf((await this.#calls.first('TOUCH', {...leaseOf(row), lease, worker}, limits)).params.lease_end);
  }

  /** The row is finished, and deleted. */
  async done(row, limits = {}) { await this.#calls.call('DONE', leaseOf(row), limits); }

  /** As done, and leases the next row in the same round trip. */
  async doneAndNext(row, {domain, worker, ...limits} = {}) {
    return workOf(await this.#calls.call('DONE', {...leaseOf(row), domain, worker, next: 1}, limits));
  }

  /** Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt: it
   * rests for the table's back-off, or is given up. */
  async release(row, {processDate, error, errorTrace, failed, ...limits} = {}) {
    const params = {...leaseOf(row), ...failedWith(error, errorTrace), process_date: processDate, failed: flag(failed)};
    return returnedOf(await this.#calls.report('RELEASE', params, limits));
  }

  /** This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt. */
  async fail(row, error, {errorTrace, ...limits} = {}) {
    return returnedOf(await this.#calls.report('FAIL', {...leaseOf(row), ...failedWith(error, errorTrace)}, limits));
  }

  /** Shows rows by their number. */
  list({status, domain, prefix, error, count = 1000, traces, ...limits} = {}) {
    const params = {status, domain, prefix, error, count, traces: flag(traces)};
    return this.#calls.pagesOf('LIST', ROW, params, limits);
  }

  /** How many rows fit a filter, counted page by page. Resolves with how many. */
  async count({count, timeLimit, signal, ...options} = {}) {
    return this.#calls.sum('COUNT', 'count', parametersOf('count', options, names.count), count, {timeLimit, signal});
  }

  /** Counts rows by when they fall due: those that are, and each second of the next minute, minute of the next hour,
   * hour of the next day; of a large table a page at a time. */
  timeline({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('timeline', options, names.timeline);
    return this.#calls.pagesOf('TIMELINE', DUE, params, {timeLimit, signal}, 'now');
  }

  /** Shows the domains that have rows, with their turns and limits. */
  domains({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('DOMAINS', DOMAIN, parametersOf('domains', options, names.domains), {timeLimit, signal});
  }

  /** Deletes a row, or all rows of a key, in whatever state. */
  async delete(what, limits = {}) { await this.#calls.call('DELETE', what, limits); }

  /** Deletes the rows that fit a filter, in whatever state. Without a filter it is refused. Resolves with how many. */
  async deleteMatching({count, timeLimit, signal, ...options} = {}) {
    const params = parametersOf('deleteMatching', options, names.deleteMatching);
    return this.#calls.sum('DELETE', 'count', params, count, {timeLimit, signal});
  }

  /** Makes a row, or the rows of a key, due now and resets their attempts; what became of the first. */
  async kick(what, limits = {}) { return foundOf(KICKED, await this.#calls.first('KICK', what, limits)); }

  /** Makes the rows that fit a filter due now and resets their attempts. Resolves with how many. */
  async kickMatching({count, timeLimit, signal, ...options} = {}) {
    const params = parametersOf('kickMatching', options, names.kickMatching);
    return this.#calls.sum('KICK', 'count', params, count, {timeLimit, signal});
  }

  /** Nothing is handed out any more; leases go on, inserts are taken. */
  async pause({timeLimit, signal, ...options} = {}) {
    await this.#calls.call('PAUSE', parametersOf('pause', options, names.pause), {timeLimit, signal});
  }

  /** Ends a PAUSE or DRAIN; who waits for work is told. */
  async resume({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('resume', options, names.resume);
    return (await this.#calls.first('RESUME', params, {timeLimit, signal})).params.was;
  }

  /** Inserts are refused; work goes on until the table is empty, and then until RESUME. */
  async drain({timeLimit, signal, ...options} = {}) {
    await this.#calls.call('DRAIN', parametersOf('drain', options, names.drain), {timeLimit, signal});
  }
}
