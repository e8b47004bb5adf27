// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.
import type {
  Columns,
  DateValue,
  Leased,
  Limits,
  Numbered,
  Params,
  Put,
  Returned,
  Row,
  What,
  Work,
} from '../index.js';

/** A row: leased (with epoch and `leaseEnd`) or shown. */
export interface RowFields {
  /** The table. */
  table: string;
  /** The row's number. */
  row: number | bigint;
  /** Of the lease. */
  epoch: number | bigint;
  /** When the lease is over. */
  leaseEnd: number;
  /** 0 to 255, the smallest first. */
  priority: number;
  /** Not handed out before. */
  processDate: number;
  /** The producer's date. */
  insertionDate: number;
  /** Not handed out from then on. */
  expirationDate?: number;
  /** Leases that timed out since the last merge. */
  timeouts: number;
  /** Time-outs and failures since the last merge or KICK. */
  attempts: number;
  /** 'waiting', 'due', 'processing', 'behind' or 'parked'. */
  status?: 'waiting' | 'due' | 'behind' | 'processing' | 'parked';
  /** How often it was merged. */
  merges?: number;
  /** Who has it. */
  worker?: string;
  /** What a worker said last. */
  error?: string;
  /** Where it went wrong, as that worker said. */
  errorTrace?: string;
}

/** The row is back at work. */
export interface KickedRow {
  /** The table. */
  table: string;
  /** The row's number. */
  row: number | bigint;
  /** Not handed out before. */
  processDate?: number;
}

/** Rows whose date is above `from`, and not above `to`. */
export interface DueRows {
  /** The table. */
  table: string;
  /** 0: any date. */
  from: number;
  /** 0: any date. */
  to: number;
  /** How many rows. */
  rows: number;
  /** The begin of the timeline. */
  now?: number;
}

/** A domain that has rows. */
export interface Domain {
  /** The table. */
  table: string;
  /** Its name; empty: rows without one. */
  domain: string;
  /** All its rows. */
  rows: number;
  /** Of these, rows that wait for their date. */
  waiting: number;
  /** Rows that are due. */
  due: number;
  /** Of these, as many as may be handed out now. */
  ready: number;
  /** Rows that are leased. */
  processing: number;
  /** Rows that it hands out in a turn. */
  weight: number;
  /** 'next', or 'waits'; absent: it has nothing to hand out. */
  turn?: 'next' | 'waits';
  /** What keeps its due rows: an option of the table, or pause. */
  limit?: string;
  /** The date of its first due row. */
  firstDate?: number;
  /** When it may have something to hand out. */
  nextDate?: number;
}

export interface PutOptions extends Numbered {
  /** The smallest is first. 0 to 255. Default: 100. */
  priority?: number;
  /** Not to be handed out before; now if absent; at least `insertionDate`. */
  processDate?: DateValue;
  /** Not to be handed out from then on, after `processDate`; 0 or absent: never. */
  expirationDate?: DateValue;
  /** The producer's date of this data; older than the one accepted last: nothing changes; further in the future than
   * max-clock-skew: refused. */
  insertionDate?: DateValue;
}

export interface NextOptions extends Limits {
  /** Rows of this domain only. At most 256 bytes. */
  domain?: string;
  /** How many rows at most. 1 to 1024. Default: 1. */
  count?: number;
  /** How long the work may take. From the table's processing-timeout-min to its processing-timeout-max. Default: the
   * table's processing-timeout. */
  lease?: number;
  /** How long to wait for a row when nothing is due; needs request. 0 to 86400000. Default: 0. */
  wait?: number;
  /** The worker's name, for people; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface JournalTouchOptions extends Limits {
  /** How long from now. From the table's processing-timeout-min to its processing-timeout-max. Default: the table's
   * processing-timeout. */
  lease?: number;
  /** The worker's name, for people. At most 256 bytes. */
  worker?: string;
}

export interface JournalDoneAndNextOptions extends Limits {
  /** A row of this domain only. At most 256 bytes. */
  domain?: string;
  /** The worker's name, with next=1. At most 256 bytes. */
  worker?: string;
}

export interface JournalReleaseOptions extends Limits {
  /** When it may be handed out again; if absent: now, or after the back-off of a failed attempt. */
  processDate?: DateValue;
  /** What went wrong, for people. Makes it a failed attempt. At most 1 KiB of it are kept. */
  error?: string;
  /** Where it went wrong, as a traceback, for people. Makes it a failed attempt. At most 16 KiB of it are kept. */
  errorTrace?: string;
  /** `true`: a failed attempt, also without error; `false`: none, also with one. */
  failed?: boolean;
}

export interface JournalFailOptions extends Limits {
  /** Where it went wrong, as a traceback, for people. At most 16 KiB of it are kept. */
  errorTrace?: string;
}

export interface JournalListOptions extends Limits {
  /** Rows in this state only. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'parked' | 'paused';
  /** Rows of this domain only. At most 256 bytes. */
  domain?: string;
  /** Rows whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Rows whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** Of a page: how many rows at most. 1 to 1000. Default: 1000. */
  count?: number;
  /** `true`: with the traces of last errors. */
  traces?: boolean;
}

export interface JournalCountOptions extends Limits {
  /** Rows in this state only. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'parked' | 'paused';
  /** Rows of this domain only. At most 256 bytes. */
  domain?: string;
  /** Rows whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Rows whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** So many at most. Default: all. */
  count?: number;
}

export interface JournalTimelineOptions extends Limits {
  /** Rows of this domain only. At most 256 bytes. */
  domain?: string;
}

export interface JournalDomainsOptions extends Limits {
  /** Of a page: how many domains at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface JournalDeleteMatchingOptions extends Limits {
  /** In this state only. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'parked' | 'paused';
  /** Of this domain only. At most 256 bytes. */
  domain?: string;
  /** Whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** So many at most. Default: all. */
  count?: number;
}

export interface JournalKickMatchingOptions extends Limits {
  /** In this state only; 'parked' if absent. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'parked' | 'paused';
  /** Of this domain only. At most 256 bytes. */
  domain?: string;
  /** Whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** So many at most. Default: all. */
  count?: number;
}

export interface JournalPauseOptions extends Limits {
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
  /** Who pauses; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface JournalResumeOptions extends Limits {
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
  /** Who resumes. At most 256 bytes. */
  worker?: string;
}

export interface JournalDrainOptions extends Limits {
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
  /** Who drains; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

/** The commands of one journal table. */
export interface JournalCalls {
  readonly table: string;
  /** Adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one.
   * Without a client of its own it is numbered under a name that the connection drew: it counts once, and is sent
   * again after a loss. */
  put(columns: Columns, options?: PutOptions): Promise<Put>;
  /** Leases the next rows that are due; NOTHING gives the date of the next one. */
  next(options?: NextOptions): Promise<Work>;
  /** Renews a lease, and takes it over on a new connection. Resolves with the date: when the lease is over. The lease
   * moves to this connection. */
  touch(row: Leased, options?: JournalTouchOptions): Promise<number>;
  /** The row is finished, and deleted. */
  done(row: Leased, limits?: Limits): Promise<void>;
  /** As done, and leases the next row in the same round trip. */
  doneAndNext(row: Leased, options?: JournalDoneAndNextOptions): Promise<Work>;
  /** Gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt: it
   * rests for the table's back-off, or is given up. */
  release(row: Leased, options?: JournalReleaseOptions): Promise<Returned>;
  /** This row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt. */
  fail(row: Leased, error: string, options?: JournalFailOptions): Promise<Returned>;
  /** Shows rows by their number. */
  list(options?: JournalListOptions): AsyncGenerator<Row, void, void>;
  /** How many rows fit a filter, counted page by page. Resolves with how many. */
  count(options?: JournalCountOptions): Promise<number>;
  /** Counts rows by when they fall due: those that are, and each second of the next minute, minute of the next hour,
   * hour of the next day; of a large table a page at a time. */
  timeline(options?: JournalTimelineOptions): AsyncGenerator<DueRows, void, void>;
  /** Shows the domains that have rows, with their turns and limits. */
  domains(options?: JournalDomainsOptions): AsyncGenerator<Domain, void, void>;
  /** Deletes a row, or all rows of a key, in whatever state. */
  delete(what: What, limits?: Limits): Promise<void>;
  /** Deletes the rows that fit a filter, in whatever state. Without a filter it is refused. Resolves with how many. */
  deleteMatching(options?: JournalDeleteMatchingOptions): Promise<number>;
  /** Makes a row, or the rows of a key, due now and resets their attempts; what became of the first. Undefined: it had
   * expired, and is gone. */
  kick(what: What, limits?: Limits): Promise<KickedRow | undefined>;
  /** Makes the rows that fit a filter due now and resets their attempts. Resolves with how many. */
  kickMatching(options?: JournalKickMatchingOptions): Promise<number>;
  /** Nothing is handed out any more; leases go on, inserts are taken. */
  pause(options?: JournalPauseOptions): Promise<void>;
  /** Ends a PAUSE or DRAIN; who waits for work is told. Resolves with: 'paused', 'draining' or 'open'. */
  resume(options?: JournalResumeOptions): Promise<'paused' | 'draining' | 'open'>;
  /** Inserts are refused; work goes on until the table is empty, and then until RESUME. */
  drain(options?: JournalDrainOptions): Promise<void>;
  /** Figures by their names in STATS (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
}
