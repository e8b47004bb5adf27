// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
// clang-format off
import {assign, foundOf, recordOf} from '../answers.js';
import {failedWith} from '../failures.js';
import {numberOf} from '../protocol.js';
import {flag, namesOf, parametersOf, putOf, returnedOf, rowFrom, workOf} from '../rows.js';

import {journal as kinds} from './answers.js';

// What is leased, by its numbers.
const leaseOf = ({table, row, epoch}) => ({table, row, epoch});

// The options of calls that refuse others.
const names = {
  put: namesOf('priority processDate expirationDate insertionDate client sequence after afterKeys whenFailed group afterGroup afterGroupIs tags maxAttempts backOff lease uniqueFor'),
  take: namesOf('domain count wait worker'),
  progress: namesOf('note lease'),
  count: namesOf('status domain prefix error errorClass tag'),
  timeline: namesOf('domain'),
  domains: namesOf('count'),
  figures: namesOf('per since until count'),
  deleteMatching: namesOf('status domain prefix error errorClass tag'),
  kickMatching: namesOf('status domain prefix error errorClass tag'),
  pause: namesOf('reason worker schedule'),
  resume: namesOf('reason worker schedule'),
  drain: namesOf('reason worker'),
  group: namesOf('state'),
  groups: namesOf('group count'),
  cancel: namesOf('how'),
  graph: namesOf('group row count'),
  schedule: namesOf('cron every timeZone jitter begins ends overlap catchUp catchUpWindow catchUpMax pauseAfter alertAfter priority expiresIn worker'),
  schedules: namesOf('schedule dates count'),
  backfill: namesOf('fromDate toDate count'),
};

// Answers, and what the program gets of them.
const ROW = {name: 'ROW', shown: rowFrom};
const KICKED = {name: 'KICKED', shown: (params) => assign({}, params, kinds.KICKED)};
const DUE = {name: 'DUE', shown: (params) => assign({from: 0, to: 0, rows: 0}, params, kinds.DUE)};
const DOMAIN = {name: 'DOMAIN', shown: (params) => assign({domain: ''}, params, kinds.DOMAIN)};
const SCHEDULED = {
  name: 'SCHEDULED',
  shown: (params) => assign({}, params, kinds.SCHEDULED),
  results: ['made', 'changed', 'unchanged'],
};
const SCHEDULE = {name: 'SCHEDULE', shown: (params) => assign({declared: false, late: false}, params, kinds.SCHEDULE)};
const BACKFILLED = {name: 'BACKFILLED', shown: (params) => assign({complete: false}, params, kinds.BACKFILLED)};
const GROUP = {
  name: 'GROUP',
  shown: (params) => assign({}, params, kinds.GROUP),
  results: ['made', 'opened', 'closed', 'unchanged'],
};
const NODE = {name: 'NODE', shown: (params) => assign({}, params, kinds.NODE)};
const FIGURE = {name: 'FIGURE', shown: (params) => assign({}, params, kinds.FIGURE)};

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

  /** The next rows that are due, which are done at once: none is given out twice, and one that is lost is lost. */
  async take({timeLimit, signal, ...options} = {}) {
    const params = {done: 1, ...parametersOf('take', options, names.take)};
    return workOf(await this.#calls.call('NEXT', params, {timeLimit, signal}));
  }

  /** Renews a lease, and takes it over on a new connection. */
  async touch(row, {lease, worker, ...limits} = {}) {
    return numberOf((await this.#calls.first('TOUCH', {...leaseOf(row), lease, worker}, limits)).params.lease_end);
  }

  /** Says how far the work on a leased row is, for all who look at it; replaces what was said before under this lease,
   * and ends with it. With lease it renews the lease as well. */
  async progress(row, percent, {timeLimit, signal, ...options} = {}) {
    const params = {...leaseOf(row), percent, ...parametersOf('progress', options, names.progress)};
    return numberOf((await this.#calls.first('PROGRESS', params, {timeLimit, signal})).params.lease_end);
  }

  /** The row is finished, and deleted. */
  async done(row, {result, ...limits} = {}) { await this.#calls.call('DONE', {...leaseOf(row), result}, limits); }

  /** As done, and leases the next row in the same round trip. */
  async doneAndNext(row, {domain, worker, result, ...limits} = {}) {
    return workOf(await this.#calls.call('DONE', {...leaseOf(row), domain, worker, result, next: 1}, limits));
  }

  /** Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt: it
   * rests for the table's back-off, or is given up. */
  async release(row, {processDate, error, errorTrace, errorClass, failed, ...limits} = {}) {
    const params = {
      ...leaseOf(row),
      ...failedWith(error, errorTrace),
      process_date: processDate,
      error_class: errorClass,
      failed: flag(failed),
    };
    return returnedOf(await this.#calls.report('RELEASE', params, limits));
  }

  /** This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt. */
  async fail(row, error, {errorTrace, errorClass, ...limits} = {}) {
    const params = {...leaseOf(row), ...failedWith(error, errorTrace), error_class: errorClass};
    return returnedOf(await this.#calls.report('FAIL', params, limits));
  }

  /** Shows rows by their number. */
  list({status, domain, prefix, error, errorClass, tag, count = 1000, traces, ...limits} = {}) {
    const params = {status, domain, prefix, error, error_class: errorClass, tag, count, traces: flag(traces)};
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

  /** Shows what happened in each minute of the last day, or each hour of the last 31 days, the oldest first; of a table
   * with keep-figures. What did not happen is left out. */
  figures({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('FIGURES', FIGURE, parametersOf('figures', options, names.figures), {timeLimit, signal});
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

  /** Nothing is handed out any more; leases go on, inserts are taken. With schedule: its dates make no rows. */
  async pause({timeLimit, signal, ...options} = {}) {
    await this.#calls.call('PAUSE', parametersOf('pause', options, names.pause), {timeLimit, signal});
  }

  /** Ends a PAUSE or DRAIN; who waits for work is told. With schedule: of the dates that it missed it does what its
   * `catchUp` says. */
  async resume({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('resume', options, names.resume);
    return (await this.#calls.first('RESUME', params, {timeLimit, signal})).params.was;
  }

  /** Inserts are refused; work goes on until the table is empty, and then until RESUME. */
  async drain({timeLimit, signal, ...options} = {}) {
    await this.#calls.call('DRAIN', parametersOf('drain', options, names.drain), {timeLimit, signal});
  }

  /** Makes a group of jobs that stays open, and so does not end, until it is closed; or closes it. */
  async group(group, {timeLimit, signal, ...options} = {}) {
    const params = {group, ...parametersOf('group', options, names.group)};
    return recordOf(GROUP, await this.#calls.first('GROUP', params, {timeLimit, signal}));
  }

  /** Shows groups of jobs with the counts of their rows, oldest first. */
  groups({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('GROUPS', GROUP, parametersOf('groups', options, names.groups), {timeLimit, signal});
  }

  /** Ends the rows of a group of jobs that have not ended, page by page, and closes it. Resolves with how many. */
  async cancel(group, {count, timeLimit, signal, ...options} = {}) {
    const params = {group, ...parametersOf('cancel', options, names.cancel)};
    return this.#calls.sum('CANCEL', 'count', params, count, {timeLimit, signal});
  }

  /** Shows rows with what they wait for: those of a group of jobs, by number; or a row, what it waits for and what
   * waits for it, step by step. */
  graph({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('GRAPH', NODE, parametersOf('graph', options, names.graph), {timeLimit, signal});
  }

  /** Makes a schedule, which inserts a row at each of its dates, or changes the one of this name to what is given; with
   * the columns of its rows. */
  async schedule(schedule, {timeLimit, signal, ...options} = {}) {
    const params = {schedule, ...parametersOf('schedule', options, names.schedule)};
    return recordOf(SCHEDULED, await this.#calls.first('SCHEDULE', params, {timeLimit, signal}));
  }

  /** Removes a schedule; its rows stay. */
  async unschedule(schedule, limits = {}) { await this.#calls.call('UNSCHEDULE', {schedule}, limits); }

  /** Shows the schedules with their next dates and what became of the last one, by their numbers. */
  schedules({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('schedules', options, names.schedules);
    return this.#calls.pagesOf('SCHEDULES', SCHEDULE, params, {timeLimit, signal});
  }

  /** A row of a schedule at once, whatever its dates and its overlap say; also of one that is paused. */
  async trigger(schedule, limits = {}) {
    return numberOf((await this.#calls.first('TRIGGER', {schedule}, limits)).params.row);
  }

  /** A row for each date of a schedule in a range that is past: a page, and the same call goes on behind it. */
  async backfill(schedule, {timeLimit, signal, ...options} = {}) {
    const params = {schedule, ...parametersOf('backfill', options, names.backfill)};
    return recordOf(BACKFILLED, await this.#calls.first('BACKFILL', params, {timeLimit, signal}));
  }
}
