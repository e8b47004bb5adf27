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
  /** 'waiting', 'due', 'processing', 'behind', 'blocked' or 'parked'. */
  status?: 'waiting' | 'due' | 'behind' | 'processing' | 'parked';
  /** How many rows and groups it waits for. */
  waitsFor?: number;
  /** Its group of jobs. */
  group?: string;
  /** How often it was merged. */
  merges?: number;
  /** Who has it. */
  worker?: string;
  /** What a worker said last. */
  error?: string;
  /** What kind of error that was. */
  errorClass?: string;
  /** Where it went wrong, as that worker said. */
  errorTrace?: string;
  /** Shown: when its lease began. */
  startedDate?: number;
  /** Its tags, with commas between them. */
  tags?: string;
  /** Its own, if it has one: given up after so many failures. */
  maxAttempts?: number;
  /** Its own, if it has one: how long it rests after a failed attempt. */
  backOff?: string;
  /** Its own, if it has one: how long the work may take, in ms. */
  lease?: number;
  /** Its own, if it has one: for so long after it is done no further row of its key is taken, in ms. */
  uniqueFor?: number;
  /** The schedule that made it. */
  schedule?: string;
  /** For which of its dates. */
  scheduleDate?: number;
  /** How far its worker is, in percent, if it said so. */
  progress?: number;
  /** What its worker is doing. */
  progressNote?: string;
  /** When its worker said so. */
  progressDate?: number;
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

/** The schedule is as it was given. */
export interface Scheduled {
  /** The table. */
  table: string;
  /** Its name. */
  schedule?: string;
  /** Its number. */
  number?: number;
  /** 'made', 'changed' or 'unchanged'. */
  result?: 'made' | 'changed' | 'unchanged';
  /** Its next date; absent: none comes any more. */
  nextDate?: number;
}

/** A schedule. */
export interface Schedule {
  /** The table. */
  table: string;
  /** Its name. */
  schedule?: string;
  /** Its number. */
  number?: number;
  /** 'over': no date comes any more. */
  state?: 'active' | 'paused' | 'over';
  /** Its dates; or else every. */
  cron?: string;
  /** So far apart. */
  every?: number;
  /** Whose clock cron is about. */
  timeZone?: string;
  /** Its rows are due up to so much later. */
  jitter?: number;
  /** No date before. */
  begins?: number;
  /** No date behind. */
  ends?: number;
  /** While a row of it has not ended. */
  overlap?: 'skip' | 'one' | 'all';
  /** Of dates that were missed. */
  catchUp?: 'none' | 'last' | 'all';
  /** Of these none that is older. */
  catchUpWindow?: number;
  /** Of these so many at most. */
  catchUpMax?: number;
  /** So many failures in a row pause it. */
  pauseAfter?: number;
  /** An alert is raised when nothing was done for so long. */
  alertAfter?: number;
  /** Of its rows. */
  priority?: number;
  /** Of its rows. */
  expiresIn?: number;
  /** Of its rows, as one object in JSON. */
  columns?: string;
  /** `true`: by the table's file. */
  declared: boolean;
  /** Its next date. */
  nextDate?: number;
  /** Its next dates, in milliseconds since 1970, between blanks. */
  dates?: string;
  /** This date waits for the end of the row before. */
  waitingDate?: number;
  /** The last date that is over. */
  lastDate?: number;
  /** The last row. */
  lastRow?: number;
  /** What became of it. */
  lastResult?: 'running' | 'done' | 'failed' | 'expired' | 'deleted';
  /** The last date whose row was done. */
  lastSuccess?: number;
  /** Rows that failed or expired since one was done. */
  failuresInRow?: number;
  /** Rows that have not ended. */
  running?: number;
  /** Rows that it made. */
  made?: number;
  /** Of these, rows that are done. */
  done?: number;
  /** Of these, rows that failed or expired. */
  failed?: number;
  /** Dates without a row, since one before had not ended. */
  skipped?: number;
  /** Dates without a row, since none could be made at the time; counted up to 1000 at once. */
  missed?: number;
  /** `true`: without success for longer than `alertAfter`. */
  late: boolean;
  /** Since when it is paused, or runs as it does. */
  since?: number;
  /** Who made, paused or resumed it last. */
  by?: string;
  /** Why it is paused. */
  reason?: string;
  /** Why it can make no rows here. */
  problem?: string;
}

/** So many rows are there. */
export interface Backfilled {
  /** The table. */
  table: string;
  /** Its name. */
  schedule?: string;
  /** Rows of this page. */
  count?: number;
  /** This date and those before have their rows. */
  until?: number;
  /** `true`: all dates of the range have their rows; `false`: the same command goes on. */
  complete: boolean;
}

/** A group of jobs. */
export interface JobGroup {
  /** The table. */
  table: string;
  /** Its name. */
  group?: string;
  /** Its number. */
  number?: number;
  /** 'open': it does not end; 'closed': it ends once all its rows have; 'ended'. */
  state?: 'open' | 'closed' | 'ended';
  /** Of the command GROUP. */
  result?: 'made' | 'opened' | 'closed' | 'unchanged';
  /** Rows that have not ended, parked ones apart. */
  rows?: number;
  /** Rows that are done. */
  done?: number;
  /** Rows that are gone without being done: deleted, expired. */
  failed?: number;
  /** Rows that were given up, and may be put back to work. */
  parked?: number;
  /** When it was made. */
  since?: number;
  /** When all its rows had ended. */
  endedDate?: number;
  /** Until when it is kept. */
  until?: number;
  /** Rows that wait for it, the first by number, with blanks between. */
  waiting?: string;
}

/** A row, and what it waits for. */
export interface Node {
  /** The table. */
  table: string;
  /** The row's number. */
  row?: number | bigint;
  /** Its state. */
  state?: 'waiting' | 'due' | 'processing' | 'behind' | 'blocked' | 'parked';
  /** Of a group: above that of all rows of the page that it waits for, from 0; of a row: so many steps behind it, below
   * 0 before it. */
  level?: number;
  /** Its key, for people. */
  text?: string;
  /** The rows that it waits for, with blanks between. */
  waitsFor?: string;
  /** Of what it waited for, that which failed. */
  broken?: string;
  /** The group of jobs that it waits for. */
  afterGroup?: string;
  /** Its group of jobs. */
  group?: string;
}

/** What happened in a minute or an hour in which something did. */
export interface Figure {
  /** The table. */
  table: string;
  /** Its begin. */
  date?: number;
  /** New rows. */
  inserted?: number;
  /** Rows handed out. */
  leased?: number;
  /** Rows done. */
  done?: number;
  /** Attempts that a worker called failed. */
  failed?: number;
  /** Leases that ran out. */
  timedOut?: number;
  /** Unleased rows at its end, whatever their date. */
  waiting?: number;
  /** Leased rows at its end. */
  processing?: number;
  /** From a row's date to its lease: half of them below; of an hour the mean of its minutes, by their leases. */
  latenessMsP50?: number;
  /** 99 of 100 below; of an hour the largest of its minutes. */
  latenessMsP99?: number;
}

export interface PutOptions extends Numbered {
  /** The smallest is first; or a word of the option priority-words, as NOW. 0 to 255. Default: 100. */
  priority?: number;
  /** Not to be handed out before; now if absent; at least `insertionDate`. */
  processDate?: DateValue;
  /** Not to be handed out from then on, after `processDate`; 0 or absent: never. */
  expirationDate?: DateValue;
  /** The producer's date of this data; older than the one accepted last: nothing changes; further in the future than
   * max-clock-skew: refused. */
  insertionDate?: DateValue;
  /** Rows of this table that it waits for, up to 1000: their numbers, with blanks between; those that have ended are
   * not waited for. At most 24000 bytes. */
  after?: string;
  /** The same by the keys of a table whose row-key is one column, all rows of each key: keys with blanks between, or
   * each on a line of its own. At most 65536 bytes. */
  afterKeys?: string;
  /** What it does when one of these fails (is parked, deleted or expires): it waits on ('wait', if absent), it fails
   * too, or it runs all the same. */
  whenFailed?: 'wait' | 'fail' | 'go-on';
  /** It is of this group of jobs, which is made if it is not there; without open it ends once all its rows have. At
   * most 128 bytes. */
  group?: string;
  /** It waits for this group of jobs. At most 128 bytes. */
  afterGroup?: string;
  /** Until all rows of that group have 'ended' ('ended', if absent), until all have been 'done', or until one has
   * 'failed'. */
  afterGroupIs?: 'ended' | 'done' | 'failed';
  /** Words that find the row, with commas between them: at most 16 of 64 bytes, of letters, digits and . _ : / @ + # -.
   * At most 1039 bytes. */
  tags?: string;
  /** Of this row, in place of the option max-attempts. 0 to 250. */
  maxAttempts?: number;
  /** How long this row rests after a failed attempt, in place of the option back-off: doubling, linear, sidekiq, or
   * durations as in 10s,1m,10m. At most 256 bytes. */
  backOff?: string;
  /** How long the work on this row may take, unless NEXT says it; within processing-timeout-min and -max. 1 to
   * 31536000000. */
  lease?: number;
  /** For so long after this row is done no further row of its key is taken; 0 or absent: as the option unique-for says;
   * not without row-key. 0 to 31536000000. */
  uniqueFor?: number;
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

export interface JournalTakeOptions extends Limits {
  /** Rows of this domain only. At most 256 bytes. */
  domain?: string;
  /** How many rows at most. 1 to 1024. Default: 1. */
  count?: number;
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

export interface JournalProgressOptions extends Limits {
  /** What is being done, for people; empty while memory is short. At most 1 KiB of it are kept. */
  note?: string;
  /** How long from now; if absent the lease ends as before. From the table's processing-timeout-min to its
   * processing-timeout-max. */
  lease?: number;
}

export interface JournalDoneOptions extends Limits {
  /** What came of it, for who waits for the row (WAIT) and for HISTORY. At most 64 KiB of it are kept. */
  result?: string;
}

export interface JournalDoneAndNextOptions extends Limits {
  /** A row of this domain only. At most 256 bytes. */
  domain?: string;
  /** The worker's name, with next=1. At most 256 bytes. */
  worker?: string;
  /** What came of it, for who waits for the row (WAIT) and for HISTORY. At most 64 KiB of it are kept. */
  result?: string;
}

export interface JournalReleaseOptions extends Limits {
  /** When it may be handed out again; if absent: now, or after the back-off of a failed attempt. */
  processDate?: DateValue;
  /** What went wrong, for people. Makes it a failed attempt. At most 1 KiB of it are kept. */
  error?: string;
  /** Where it went wrong, as a traceback, for people. Makes it a failed attempt. At most 64 KiB of it are kept. */
  errorTrace?: string;
  /** What kind of error it is, for programs: TimeoutError, a code; rows are found by it. At most 0 KiB of it are
   * kept. */
  errorClass?: string;
  /** `true`: a failed attempt, also without error; `false`: none, also with one. */
  failed?: boolean;
}

export interface JournalFailOptions extends Limits {
  /** Where it went wrong, as a traceback, for people. At most 64 KiB of it are kept. */
  errorTrace?: string;
  /** What kind of error it is, for programs: TimeoutError, a code; rows are found by it. At most 0 KiB of it are
   * kept. */
  errorClass?: string;
}

export interface JournalListOptions extends Limits {
  /** Rows in this state only. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'blocked' | 'parked' | 'paused';
  /** Rows of this domain only. At most 256 bytes. */
  domain?: string;
  /** Rows whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Rows whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** Rows whose last error is of this class. At most 128 bytes. */
  errorClass?: string;
  /** Rows with this tag only. At most 64 bytes. */
  tag?: string;
  /** Of a page: how many rows at most. 1 to 1000. Default: 1000. */
  count?: number;
  /** `true`: with the traces of last errors. */
  traces?: boolean;
}

export interface JournalCountOptions extends Limits {
  /** Rows in this state only. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'blocked' | 'parked' | 'paused';
  /** Rows of this domain only. At most 256 bytes. */
  domain?: string;
  /** Rows whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Rows whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** Rows whose last error is of this class. At most 128 bytes. */
  errorClass?: string;
  /** Rows with this tag only. At most 64 bytes. */
  tag?: string;
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

export interface JournalFiguresOptions extends Limits {
  /** How long each is; a 'minute' if absent. */
  per?: 'minute' | 'hour';
  /** Those that begin at this date or later. */
  since?: DateValue;
  /** Those that begin before this date. */
  until?: DateValue;
  /** Of a page: how many at most. 1 to 1500. Default: 100. */
  count?: number;
}

export interface JournalDeleteMatchingOptions extends Limits {
  /** In this state only. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'blocked' | 'parked' | 'paused';
  /** Of this domain only. At most 256 bytes. */
  domain?: string;
  /** Whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** Whose last error is of this class. At most 128 bytes. */
  errorClass?: string;
  /** With this tag only. At most 64 bytes. */
  tag?: string;
  /** So many at most. Default: all. */
  count?: number;
}

export interface JournalKickMatchingOptions extends Limits {
  /** In this state only; 'parked' if absent. */
  status?: 'waiting' | 'due' | 'processing' | 'behind' | 'blocked' | 'parked' | 'paused';
  /** Of this domain only. At most 256 bytes. */
  domain?: string;
  /** Whose first key column begins so; not without row-key. */
  prefix?: string;
  /** Whose last error contains this. At most 1024 bytes. */
  error?: string;
  /** Whose last error is of this class. At most 128 bytes. */
  errorClass?: string;
  /** With this tag only. At most 64 bytes. */
  tag?: string;
  /** So many at most. Default: all. */
  count?: number;
}

export interface JournalPauseOptions extends Limits {
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
  /** Who pauses; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
  /** This schedule of the table, and not the table. At most 64 bytes. */
  schedule?: string;
}

export interface JournalResumeOptions extends Limits {
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
  /** Who resumes. At most 256 bytes. */
  worker?: string;
  /** This schedule of the table, and not the table. At most 64 bytes. */
  schedule?: string;
}

export interface JournalDrainOptions extends Limits {
  /** Why, for people. At most 1 KiB of it are kept. */
  reason?: string;
  /** Who drains; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface JournalGroupOptions extends Limits {
  /** 'open', if absent: it is made, or opened again before it has ended; 'closed': it ends once all its rows have. */
  state?: 'open' | 'closed';
}

export interface JournalGroupsOptions extends Limits {
  /** This one only. At most 128 bytes. */
  group?: string;
  /** Of a page: how many groups at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface JournalCancelOptions extends Limits {
  /** 'delete', if absent; or 'fail': they are parked, or deleted (when-failed). */
  how?: 'delete' | 'fail';
  /** So many at most. Default: all. */
  count?: number;
}

export interface JournalGraphOptions extends Limits {
  /** The rows of this group; or else row. At most 128 bytes. */
  group?: string;
  /** This row and those around it. */
  row?: number | bigint;
  /** Of a page: how many rows at most. 1 to 1000. Default: 200. */
  count?: number;
}

export interface JournalScheduleOptions extends Limits {
  /** Its dates, as a cron expression of five or six fields; or else every. At most 256 bytes. */
  cron?: string;
  /** Its dates are so far apart; the first is at begins, or they are a whole number of these behind 1970. */
  every?: number;
  /** Whose clock cron is about: UTC if absent, or Europe/Berlin. At most 64 bytes. */
  timeZone?: string;
  /** Its rows are due up to so much later, always the same for a date. 0 to 86400000. Default: 0. */
  jitter?: number;
  /** No date before this one; 0 or absent: from now on. */
  begins?: DateValue;
  /** No date behind this one; 0 or absent: for ever. */
  ends?: DateValue;
  /** While a row of it has not ended, the next date makes none ('skip', if absent); or 'one' waits for the end of that
   * row; or all make theirs. */
  overlap?: 'skip' | 'one' | 'all';
  /** Which dates that came while 'none' could be made make a row after all; 'last' if absent. */
  catchUp?: 'none' | 'last' | 'all';
  /** Of these dates none that is older; 0: however old. Default: 86400000. */
  catchUpWindow?: number;
  /** With `catchUp`=all: the last so many of them. 1 to 1000. Default: 100. */
  catchUpMax?: number;
  /** It pauses itself when so many of its rows failed or expired one after the other; 0: never. 0 to 1000000. Default:
   * 0. */
  pauseAfter?: number;
  /** The alert schedule-late is raised when no row of it was done for so long; 0: never. Default: 0. */
  alertAfter?: number;
  /** Of its rows. 0 to 255. Default: 100. */
  priority?: number;
  /** Its rows expire so long after their dates; 0: never. Default: 0. */
  expiresIn?: number;
  /** Who makes it; peer address and connection if absent. At most 256 bytes. */
  worker?: string;
}

export interface JournalSchedulesOptions extends Limits {
  /** This one only. At most 64 bytes. */
  schedule?: string;
  /** With so many of the next dates of each. 0 to 100. Default: 0. */
  dates?: number;
  /** Of a page: how many schedules at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface JournalBackfillOptions extends Limits {
  /** The first date, at the earliest. */
  fromDate?: DateValue;
  /** The last date, at the latest; not in the future. */
  toDate?: DateValue;
  /** How many rows at most. 1 to 500. Default: 100. */
  count?: number;
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
  /** The next rows that are due, which are done at once: none is given out twice, and one that is lost is lost. */
  take(options?: JournalTakeOptions): Promise<Work>;
  /** Renews a lease, and takes it over on a new connection. Resolves with the date: when the lease is over. The lease
   * moves to this connection. */
  touch(row: Leased, options?: JournalTouchOptions): Promise<number>;
  /** Says how far the work on a leased row is, for all who look at it; replaces what was said before under this lease,
   * and ends with it. With lease it renews the lease as well. `percent`: how much of it is done. 0 to 100. Resolves
   * with the date: when the lease is over. */
  progress(row: Leased, percent: number, options?: JournalProgressOptions): Promise<number>;
  /** The row is finished, and deleted. */
  done(row: Leased, options?: JournalDoneOptions): Promise<void>;
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
  /** Shows what happened in each minute of the last day, or each hour of the last 31 days, the oldest first; of a table
   * with keep-figures. What did not happen is left out. */
  figures(options?: JournalFiguresOptions): AsyncGenerator<Figure, void, void>;
  /** Deletes a row, or all rows of a key, in whatever state. */
  delete(what: What, limits?: Limits): Promise<void>;
  /** Deletes the rows that fit a filter, in whatever state. Without a filter it is refused. Resolves with how many. */
  deleteMatching(options?: JournalDeleteMatchingOptions): Promise<number>;
  /** Makes a row, or the rows of a key, due now and resets their attempts; what became of the first. Undefined: it had
   * expired, and is gone. */
  kick(what: What, limits?: Limits): Promise<KickedRow | undefined>;
  /** Makes the rows that fit a filter due now and resets their attempts. Resolves with how many. */
  kickMatching(options?: JournalKickMatchingOptions): Promise<number>;
  /** Nothing is handed out any more; leases go on, inserts are taken. With schedule: its dates make no rows. */
  pause(options?: JournalPauseOptions): Promise<void>;
  /** Ends a PAUSE or DRAIN; who waits for work is told. With schedule: of the dates that it missed it does what its
   * `catchUp` says. Resolves with: 'paused', 'draining' or 'open'. */
  resume(options?: JournalResumeOptions): Promise<'paused' | 'draining' | 'open'>;
  /** Inserts are refused; work goes on until the table is empty, and then until RESUME. */
  drain(options?: JournalDrainOptions): Promise<void>;
  /** Makes a group of jobs that stays open, and so does not end, until it is closed; or closes it. */
  group(group: string, options?: JournalGroupOptions): Promise<JobGroup>;
  /** Shows groups of jobs with the counts of their rows, oldest first. */
  groups(options?: JournalGroupsOptions): AsyncGenerator<JobGroup, void, void>;
  /** Ends the rows of a group of jobs that have not ended, page by page, and closes it. Resolves with how many. */
  cancel(group: string, options?: JournalCancelOptions): Promise<number>;
  /** Shows rows with what they wait for: those of a group of jobs, by number; or a row, what it waits for and what
   * waits for it, step by step. */
  graph(options?: JournalGraphOptions): AsyncGenerator<Node, void, void>;
  /** Makes a schedule, which inserts a row at each of its dates, or changes the one of this name to what is given; with
   * the columns of its rows. */
  schedule(schedule: string, options?: JournalScheduleOptions): Promise<Scheduled>;
  /** Removes a schedule; its rows stay. */
  unschedule(schedule: string, limits?: Limits): Promise<void>;
  /** Shows the schedules with their next dates and what became of the last one, by their numbers. */
  schedules(options?: JournalSchedulesOptions): AsyncGenerator<Schedule, void, void>;
  /** A row of a schedule at once, whatever its dates and its overlap say; also of one that is paused. Resolves with:
   * the row's number. */
  trigger(schedule: string, limits?: Limits): Promise<number | bigint>;
  /** A row for each date of a schedule in a range that is past: a page, and the same call goes on behind it. */
  backfill(schedule: string, options?: JournalBackfillOptions): Promise<Backfilled>;
  /** Figures by their names in STATS (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
}
