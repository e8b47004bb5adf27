// Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.
// clang-format off
import {assign, recordOf, textOf} from '../answers.js';
import {numberOf} from '../protocol.js';
import {namesOf, parametersOf} from '../rows.js';

import {daemon as kinds} from './answers.js';

// The options of calls that refuse others.
const names = {
  rights: namesOf('table'),
  stats: namesOf('table'),
  metrics: namesOf('format table'),
  health: namesOf('what'),
  alerts: namesOf('table'),
  lower: namesOf('table'),
  waiters: namesOf('count'),
  fetch: namesOf('from to count bytes snapshot cursor'),
  xaCommit: namesOf('onePhase'),
  xaRecover: namesOf('all count'),
  digest: namesOf('table stale'),
  backup: namesOf('digest'),
  stepDown: namesOf('for'),
  reload: namesOf('table dryRun'),
};

// Answers, and what the program gets of them.
const HELP = {name: 'HELP', shown: (params) => assign({}, params, kinds.HELP)};
const RIGHTS = {name: 'RIGHTS', shown: (params) => assign({}, params, kinds.RIGHTS)};
const TABLE = {name: 'TABLE', shown: (params) => assign({persistent: true}, params, kinds.TABLE)};
const ALERT = {name: 'ALERT', shown: (params) => assign({manualDown: false}, params, kinds.ALERT)};
const WAITER = {name: 'WAITER', shown: (params) => assign({stalled: false}, params, kinds.WAITER)};
const BRANCH = {name: 'BRANCH', shown: (params) => assign({}, params, kinds.BRANCH)};
const DIGEST = {name: 'DIGEST', shown: (params) => assign({}, params, kinds.DIGEST)};
const RELOADED = {name: 'RELOADED', shown: (params) => assign({dryRun: false}, params, kinds.RELOADED)};

/** The commands of the daemon itself, as types/daemon.d.ts documents them. */
export class Daemon {
  #calls;

  constructor(calls) { this.#calls = calls; }

  /** Lists all commands. */
  async commands(limits = {}) { return (await this.#calls.first('HELP', {}, limits)).params.list; }

  /** Tells what a command takes and answers, of each type of tables that has it. */
  help(command, limits = {}) { return this.#calls.pagesOf('HELP', HELP, {command}, limits); }

  /** Tells who the sender is, and what it may do. */
  async rights({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('rights', options, names.rights);
    return recordOf(RIGHTS, await this.#calls.first('RIGHTS', params, {timeLimit, signal}));
  }

  /** Lists the tables with their columns. */
  tables(limits = {}) { return this.#calls.pagesOf('TABLES', TABLE, {}, limits); }

  /** Tells the figures of the daemon and of each table. */
  async stats({timeLimit, signal, ...options} = {}) {
    return (await this.#calls.call('STATS', parametersOf('stats', options, names.stats), {timeLimit, signal})).messages;
  }

  /** Tells the figures of STATS with their meanings, as text for a monitoring system. */
  async metrics({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('metrics', options, names.metrics);
    return textOf(await this.#calls.call('METRICS', params, {timeLimit, signal}), 'text');
  }

  /** Tells whether the daemon is of use: refused if a log does not serve. */
  async health({timeLimit, signal, ...options} = {}) {
    await this.#calls.call('HEALTH', parametersOf('health', options, names.health), {timeLimit, signal});
  }

  /** Describes the HTTP door as an OpenAPI document. */
  async openapi(limits = {}) { return (await this.#calls.first('OPENAPI', {}, limits)).params.text; }

  /** Lists the alerts that are up. */
  alerts({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('ALERTS', ALERT, parametersOf('alerts', options, names.alerts), {timeLimit, signal});
  }

  /** Ends an alert by hand. */
  async lower(name, {timeLimit, signal, ...options} = {}) {
    await this.#calls.call('LOWER', {name, ...parametersOf('lower', options, names.lower)}, {timeLimit, signal});
  }

  /** Shows who listens and waits at a table, by connection. */
  waiters(table, {timeLimit, signal, ...options} = {}) {
    const params = {table, ...parametersOf('waiters', options, names.waiters)};
    return this.#calls.pagesOf('WAITERS', WAITER, params, {timeLimit, signal});
  }

  /** Gets records of a table, or all of its objects, for a follower. */
  async fetch(table, {timeLimit, signal, ...options} = {}) {
    const params = {table, ...parametersOf('fetch', options, names.fetch)};
    return (await this.#calls.call('FETCH', params, {timeLimit, signal})).messages;
  }

  /** Prepares a branch: from then on it stays, with all that it holds, until it is committed or rolled back. */
  async xaPrepare(xid, limits = {}) {
    return numberOf((await this.#calls.first('XA_PREPARE', {xid}, limits)).params.ops);
  }

  /** Carries out a prepared branch. The answers of its commands follow the first message. */
  async xaCommit(xid, {timeLimit, signal, ...options} = {}) {
    const params = {xid, ...parametersOf('xaCommit', options, names.xaCommit)};
    return (await this.#calls.call('XA_COMMIT', params, {timeLimit, signal})).messages;
  }

  /** Gives up a branch. */
  async xaRollback(xid, limits = {}) { await this.#calls.call('XA_ROLLBACK', {xid}, limits); }

  /** Forgets a branch that an administrator has decided. */
  async xaForget(xid, limits = {}) { await this.#calls.call('XA_FORGET', {xid}, limits); }

  /** Lists the branches that are in doubt. */
  xaRecover({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('xaRecover', options, names.xaRecover);
    return this.#calls.pagesOf('XA_RECOVER', BRANCH, params, {timeLimit, signal});
  }

  /** Decides a branch in doubt in place of its manager. */
  async xaDecide(xid, outcome, limits = {}) {
    return numberOf((await this.#calls.first('XA_DECIDE', {xid, outcome}, limits)).params.ops);
  }

  /** Computes a digest of a table, or of each log, for comparisons. */
  digest({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('DIGEST', DIGEST, parametersOf('digest', options, names.digest), {timeLimit, signal});
  }

  /** Keeps the files of all logs unchanged until BACKUP_DONE or the end of the connection, and tells which ones to
   * copy. */
  async backup({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('backup', options, names.backup);
    return (await this.#calls.call('BACKUP', params, {timeLimit, signal})).messages;
  }

  /** The files of the backup are copied: they may change again. */
  async backupDone(limits = {}) { await this.#calls.call('BACKUP_DONE', {}, limits); }

  /** Shows the logs that are shared with other nodes, who owns each, and which nodes there are. */
  async cluster(limits = {}) { return (await this.#calls.call('CLUSTER', {}, limits)).messages; }

  /** This node gives a log to another one. */
  async stepDown(log, {timeLimit, signal, ...options} = {}) {
    const params = {log, ...parametersOf('stepDown', options, names.stepDown)};
    await this.#calls.call('STEP_DOWN', params, {timeLimit, signal});
  }

  /** Brings a table to the log that its file names, while it serves. */
  async moveTable(table, limits = {}) { return (await this.#calls.call('MOVE_TABLE', {table}, limits)).messages; }

  /** Reads the tables folder again, and without a table also users and certificates; a bad file changes nothing. */
  async reload({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('reload', options, names.reload);
    return recordOf(RELOADED, await this.#calls.first('RELOAD', params, {timeLimit, signal}));
  }

  /** Ends the daemon. */
  async stop(limits = {}) { await this.#calls.call('STOP', {}, limits); }

  /** Ends the daemon so that its supervisor starts it again. */
  async restart(limits = {}) { await this.#calls.call('RESTART', {}, limits); }

  /** Opens the log file for people again. */
  async logRotate(limits = {}) { await this.#calls.call('LOG_ROTATE', {}, limits); }
}
