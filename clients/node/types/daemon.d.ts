// Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.
import type { Limits, Message } from '../index.js';

/** What a command takes and answers. */
export interface CommandHelp {
  /** The command. */
  command: string;
  /** The table type that has it; daemon: it is the daemon's own. */
  type: string;
  /** Read, add, change, remove or touch. */
  kind?: string;
  /** What its sender needs. */
  right: string;
  /** Each with its type; ! marks required ones. */
  parameters?: string;
  /** Their names. */
  answers?: string;
  /** What it does. */
  description: string;
}

/** Who the sender is, and what it may do. */
export interface OwnRights {
  /** The user; absent without a login. */
  user?: string;
  /** What it may do on all tables, or on the one that was named. */
  rights: string;
  /** In words, what it may do on some tables. */
  grants?: string;
  /** The table that the listener is bound to. */
  table?: string;
  /** The number of the connection. */
  connection: number;
}

/** A table. */
export interface ShownTable {
  /** Its name. */
  name: string;
  /** Its type. */
  type: string;
  /** `false`: it is not kept on disk. */
  persistent: boolean;
  /** The log of its records. */
  log: string;
  /** How many objects it has. */
  rows?: number;
  /** The columns of its key. */
  key: string;
  /** Its columns. */
  columns: string;
  /** Their types. */
  types: string;
  /** What its file says of it. */
  description: string;
}

/** An alert that is up. */
export interface Alert {
  /** Its table; absent: the daemon itself. */
  table?: string;
  /** Its name. */
  name: string;
  /** 0 to 100; 50 and above should reach an operator. */
  priority: number;
  /** For people, from the last time. */
  message: string;
  /** What it is about. */
  tags: string;
  /** How often its cause occurred. */
  count: number;
  /** The first time. */
  first: number;
  /** The last time. */
  last: number;
  /** `true`: it must be ended by LOWER. */
  manualDown: boolean;
}

/** A LISTEN of a connection, or its commands that wait. */
export interface Waiter {
  /** The table. */
  table: string;
  /** The number of the connection. */
  connection: number;
  /** Wake, row or deliver of LISTEN; next: commands wait. */
  mode: string;
  /** What it waits for; absent: all of the table. */
  topic?: string;
  /** The name of the worker. */
  worker?: string;
  /** The address of the connection. */
  peer?: string;
  /** Who is logged in there. */
  user?: string;
  /** Of the LISTEN, or of the oldest command. */
  since: number;
  /** `true`: the connection takes no bytes, and is told nothing. */
  stalled: boolean;
  /** Next: when the oldest wait ends. */
  until?: number;
  /** Next: how many commands wait. */
  waiting?: number;
  /** Wake: idle, woken or busy. */
  state?: string;
  /** Row: announcements that were left out. */
  missed?: number;
  /** Deliver: rows at once. */
  credit?: number;
  /** Deliver: rows that are leased to it. */
  leases?: number;
}

/** A branch of a distributed transaction. */
export interface Branch {
  /** Its name. */
  xid: string;
  /** Prepared, active, idle, suspended, `rollbackOnly`; committed or `rolledBack` by an administrator. */
  state: string;
  /** Whose it is: a user, or an address. */
  origin: string;
  /** Its number. */
  transaction?: number;
  /** How many commands it has. */
  ops?: number;
  /** Their tables, separated by commas. */
  tables?: string;
  /** When its time ends it. */
  endsDate?: number;
  /** Where it is prepared: logs separated by commas, home first. */
  log?: string;
  /** Lost: the log that has the outcome is not there. */
  home?: string;
  /** When it was prepared. */
  preparedDate?: number;
  /** How long it has been in doubt. */
  inDoubtFor?: number;
  /** When it was decided. */
  decidedDate?: number;
}

/** The digest of a table or of a log. */
export interface Digest {
  /** The table. */
  table?: string;
  /** The log. */
  log?: string;
  /** Of everything below this LSN. */
  lsn: number;
  /** In hexadecimal digits. */
  digest: string;
}

/** The folder was read. */
export interface Reloaded {
  /** A line for each change. */
  changes: string;
  /** How many. */
  count: number;
  /** `true`: none was made. */
  dryRun: boolean;
}

export interface DaemonRightsOptions extends Limits {
  /** What it may do on this table, which need not exist; on all tables if absent. */
  table?: string;
}

export interface DaemonStatsOptions extends Limits {
  /** Only this table; the daemon and all tables if absent. */
  table?: string;
}

export interface DaemonMetricsOptions extends Limits {
  /** 'text' is that of Prometheus; 'text' if absent. */
  format?: 'text' | 'openmetrics';
  /** Only this table; the daemon and all tables if absent. */
  table?: string;
}

export interface DaemonHealthOptions extends Limits {
  /** 'ready': all of its logs serve; 'live': it answers, whatever its logs do. 'ready' if absent. */
  what?: 'ready' | 'live';
}

export interface DaemonAlertsOptions extends Limits {
  /** Only those of this table. */
  table?: string;
}

export interface DaemonLowerOptions extends Limits {
  /** The table of the alert; one of the daemon itself if absent. */
  table?: string;
}

export interface DaemonWaitersOptions extends Limits {
  /** Of a page: how many entries at most, but those of one connection at least. 1 to 1000. Default: 100. */
  count?: number;
}

export interface DaemonFetchOptions extends Limits {
  /** The LSN of the first record; or else snapshot. */
  from?: number;
  /** Only records below this LSN; up to the end if absent. */
  to?: number;
  /** How many records at most. 1 to 4096. Default: 256. */
  count?: number;
  /** About how many bytes of bodies at most. 1 to 1048576. Default: 1048576. */
  bytes?: number;
  /** `true`: the objects of the table, a page at a time. */
  snapshot?: boolean;
  /** Of a snapshot: go on behind the page before, as it said. */
  cursor?: string;
}

export interface DaemonXaCommitOptions extends Limits {
  /** `true`: one that was not prepared. */
  onePhase?: boolean;
}

export interface DaemonXaRecoverOptions extends Limits {
  /** `true`: all branches; `false`: those that are prepared and not ended. */
  all?: boolean;
  /** Of a page: how many branches at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface DaemonDigestOptions extends Limits {
  /** Only this table; each log if absent. */
  table?: string;
  /** `true`: also what this node has followed of the logs of other nodes. */
  stale?: boolean;
}

export interface DaemonBackupOptions extends Limits {
  /** `true`: with the digest of each log. */
  digest?: boolean;
}

export interface DaemonStepDownOptions extends Limits {
  /** So long this node does not take it again, in milliseconds. 0 to 3600000. Default: 10000. */
  for?: number;
}

export interface DaemonReloadOptions extends Limits {
  /** Only this table. */
  table?: string;
  /** `true`: tells the changes and makes none. */
  dryRun?: boolean;
}

/** The commands of the daemon itself. */
export interface Daemon {
  /** Lists all commands. Resolves with: their names, separated by commas. */
  commands(limits?: Limits): Promise<string>;
  /** Tells what a command takes and answers, of each type of tables that has it. */
  help(command: string, limits?: Limits): AsyncGenerator<CommandHelp, void, void>;
  /** Tells who the sender is, and what it may do. */
  rights(options?: DaemonRightsOptions): Promise<OwnRights>;
  /** Lists the tables with their columns. */
  tables(limits?: Limits): AsyncGenerator<ShownTable, void, void>;
  /** Tells the figures of the daemon and of each table. */
  stats(options?: DaemonStatsOptions): Promise<Message[]>;
  /** Tells the figures of STATS with their meanings, as text for a monitoring system. Resolves with: whole lines. */
  metrics(options?: DaemonMetricsOptions): Promise<string>;
  /** Tells whether the daemon is of use: refused if a log does not serve. */
  health(options?: DaemonHealthOptions): Promise<void>;
  /** Describes the HTTP door as an OpenAPI document. Resolves with: in JSON. */
  openapi(limits?: Limits): Promise<string>;
  /** Lists the alerts that are up. */
  alerts(options?: DaemonAlertsOptions): AsyncGenerator<Alert, void, void>;
  /** Ends an alert by hand. */
  lower(name: string, options?: DaemonLowerOptions): Promise<void>;
  /** Shows who listens and waits at a table, by connection. */
  waiters(table: string, options?: DaemonWaitersOptions): AsyncGenerator<Waiter, void, void>;
  /** Gets records of a table, or all of its objects, for a follower. */
  fetch(table: string, options?: DaemonFetchOptions): Promise<Message[]>;
  /** Prepares a branch: from then on it stays, with all that it holds, until it is committed or rolled back. Resolves
   * with: how many commands it has. */
  xaPrepare(xid: string, limits?: Limits): Promise<number>;
  /** Carries out a prepared branch. The answers of its commands follow the first message. */
  xaCommit(xid: string, options?: DaemonXaCommitOptions): Promise<Message[]>;
  /** Gives up a branch. */
  xaRollback(xid: string, limits?: Limits): Promise<void>;
  /** Forgets a branch that an administrator has decided. */
  xaForget(xid: string, limits?: Limits): Promise<void>;
  /** Lists the branches that are in doubt. */
  xaRecover(options?: DaemonXaRecoverOptions): AsyncGenerator<Branch, void, void>;
  /** Decides a branch in doubt in place of its manager. Resolves with: how many commands it had. */
  xaDecide(xid: string, outcome: 'commit' | 'rollback', limits?: Limits): Promise<number>;
  /** Computes a digest of a table, or of each log, for comparisons. */
  digest(options?: DaemonDigestOptions): AsyncGenerator<Digest, void, void>;
  /** Keeps the files of all logs unchanged until BACKUP_DONE or the end of the connection, and tells which ones to
   * copy. */
  backup(options?: DaemonBackupOptions): Promise<Message[]>;
  /** The files of the backup are copied: they may change again. */
  backupDone(limits?: Limits): Promise<void>;
  /** Shows the logs that are shared with other nodes, who owns each, and which nodes there are. */
  cluster(limits?: Limits): Promise<Message[]>;
  /** This node gives a log to another one. */
  stepDown(log: string, options?: DaemonStepDownOptions): Promise<void>;
  /** Brings a table to the log that its file names, while it serves. */
  moveTable(table: string, limits?: Limits): Promise<Message[]>;
  /** Reads the tables folder again, and without a table also users and certificates; a bad file changes nothing. */
  reload(options?: DaemonReloadOptions): Promise<Reloaded>;
  /** Ends the daemon. */
  stop(limits?: Limits): Promise<void>;
  /** Ends the daemon so that its supervisor starts it again. */
  restart(limits?: Limits): Promise<void>;
  /** Opens the log file for people again. */
  logRotate(limits?: Limits): Promise<void>;
}
