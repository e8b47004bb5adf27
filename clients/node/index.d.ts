// What `fastjournal` exports. Dates are milliseconds since 1970, spans are milliseconds, unless said otherwise. Names are
// those of doc/protocol.md in camel case. Every promise rejects with a FastjournalError; its codes are listed there, in
// section 7. These come from this library: `timed_out`, `unavailable` (no connection), `closed` (the connection was lost,
// or closed by this program: whether the command was carried out is not known), `over_limit` (too much in flight),
// `bad_parameter` (a value that cannot be sent, or an option that there is not).
import type { JournalCalls, RowFields } from './types/journal.js';
import type { MessageFields, QueueCalls } from './types/queue.js';
import type { DocumentCalls, Plan } from './types/pipeline.js';
import type { KeyValue } from './types/keyvalue.js';
import type { Blobs } from './types/blob.js';
import type { Daemon } from './types/daemon.js';

export * from './types/journal.js';
export * from './types/queue.js';
export * from './types/pipeline.js';
export * from './types/keyvalue.js';
export * from './types/blob.js';
export * from './types/daemon.js';

/** A parameter's value to send. Text columns take a string, `buffer` columns a Uint8Array. Integers: -2^63 to 2^64 - 1,
 * as bigint beyond 2^53. A Date is its milliseconds. `undefined` is left out; null is refused. */
export type Value = string | number | bigint | boolean | Date | Uint8Array;
/** A value that was received: integers beyond 2^53 are bigint, text is read as UTF-8. */
export type Received = string | number | bigint | boolean | Buffer;
/** The value of a key: null is of type void. */
export type TypedValue = string | number | bigint | boolean | Uint8Array | null;
/** An absolute date, or "+N": N milliseconds after the daemon reads it. */
export type DateValue = Date | number | `+${number}`;
/** The columns of a row, by name. Names are the table's own: they are not changed to camel case. */
export type Columns = Record<string, Value | undefined>;
/** Received parameters: an object without a prototype. */
export type Params = Record<string, Received>;

export interface Message {
  command: string;
  params: Params;
}

/** An answer: one message or, for NEXT, LIST, STATS, ..., several. */
export interface Reply {
  messages: Message[];
  first: Message;
  /** The command was sent again after a loss. */
  resent: boolean;
}

export interface Limits {
  /** From call to answer, reconnects included; the default is that of connect(). `wait` of a NEXT is added. */
  timeLimit?: number;
  /** Rejects the call with the signal's reason. The command may have been carried out all the same. */
  signal?: AbortSignal;
}

/** Of a call that changes something. */
export interface Numbered extends Limits {
  /** The program's name for its start, and the number of this call by it: both or none. What was carried out before is
   * a `duplicate`. Without them the connection numbers the call, but for changes of values that have a condition. */
  client?: string;
  sequence?: number | bigint;
}

/** What this library must know of a command of another table type; those of the types that come with the daemon are
 * known. */
export interface CommandRule {
  /** After a loss before the answer. Default: 'never'. 'numbered': if it has `client` and `sequence`. */
  resend?: 'never' | 'always' | 'numbered';
  /** The parameter by which the daemon waits: such an answer may be overtaken by others. */
  wait?: string;
  /** The answer to assume if a command that was sent again is refused with unknown_row. */
  doneBefore?: string;
  /** A message of this name, or of these, leases a row; if it comes too late, `giveBack` returns it. */
  leases?: string | string[];
  giveBack?: string;
}

export interface ConnectOptions {
  /** "HOST:PORT", "[IPV6]:PORT", "unix:PATH" or "/PATH"; with "tls:" before it, encrypted: the daemon's certificate must
   * be for this name or address, or for "localhost" on a unix socket. Several, separated by commas, are daemons with the
   * same tables: the first that answers is home, and after a loss the next; no path may have a comma then. Tables that
   * move to other nodes are followed in any case. Default: "127.0.0.1:4050". */
  server?: string;
  /** For "tls:", PEM: a path, read at each attempt to connect, or the bytes. The authorities to trust (default: those of
   * Node), and this client's own certificate with its key (default: none). */
  ca?: string | Buffer;
  certificate?: string | Buffer;
  key?: string | Buffer;
  /** Of a user: shown to the daemon (AUTH) on each new connection before anything else. */
  token?: string;
  /** Of a command. Default: 30000. */
  timeLimit?: number;
  /** Of one attempt to connect. Default: 5000. */
  connectLimit?: number;
  /** Where there are several daemons: one that owes an answer and says nothing for so long is given up, as if the
   * connection had ended. None may take longer to connect, and for 5 s after it was given up no longer than 200 ms.
   * Commands that take longer, such as DIGEST, and BACKUP with `digest=1`, need more. Infinity: never.
   * Default: 2000. */
  silenceLimit?: number;
  /** Pauses before the attempts to connect again; the last one repeats. Each varies by up to a quarter. With several
   * servers the others are tried at once, and a pause is made when each was tried. Empty: never. Default: 1, 1, 1, 3, 5, 10, 20, 30, 60 s. */
  backOff?: number[];
  /** For people: the reason when a connection is lost, and undefined when it is back, or there is one to another node. */
  onConnection?: (error: FastjournalError | undefined) => void;
  /** Messages that belong to no command and no listener: the rounds of WATCH. */
  onPush?: (message: Message) => void;
  /** Commands in flight; one more is refused with over_limit. Default: 4096. */
  inFlightMax?: number;
  /** Their bytes, likewise. Default: 64 MiB. */
  inFlightBytesMax?: number;
  /** Notices of one listener that were not fetched yet. Beyond them announcements are dropped (pushesDropped), and rows
   * that were delivered are given back. Default: 65536. */
  pushesMax?: number;
  /** Of one answer. Default: 66 MiB, for a body of 64 MiB and what goes with it. */
  messageBytesMax?: number;
  commands?: Record<string, CommandRule>;
}

/** Connects, with one attempt for each server. Rejects with `unavailable`, or `not_allowed` if the token or certificate is refused.
 * Later losses are repaired by themselves: subscriptions are made again, commands that may be sent twice are sent again
 * (those that read, NEXT, TOUCH, DONE, ACQUIRE, ACCEPT, INSERT, SEND, PUT and changes of pairs with client and sequence,
 * DECLARE and others of queues, FOUND, SENDING, SENT and others of pipelines), all others reject with `closed`. What a daemon refuses because
 * another one decides for the table (`moved`), or nobody for now, is sent again whatever it is, until the time limit. */
export function connect(options?: ConnectOptions): Promise<Connection>;

export interface Connection {
  /** Sends a command and waits for its answer. */
  call(command: string, params?: Record<string, Value | undefined>, limits?: Limits): Promise<Reply>;
  /**
   * Carries out all of these commands, each `[name, parameters]`, or none (doc/transactions.md). The promise is their
   * answers, in their order. A refusal has the number of its command, from 1, as `facts.op`. After a ClosedError all was
   * done, or nothing; it is not sent again.
   */
  transaction(commands: Iterable<[string, Record<string, Value | undefined>]>, limits?: Limits): Promise<Message[]>;
  journal(table: string): Journal;
  /** Leases rows and has `handler` work on them, until `signal` or a signal of `stopOn` ends it: no further row is taken,
   * and those in work are finished. Rejects, when all handlers have ended, if an error will not pass (`unknown_table`,
   * `not_allowed`, ...). While the daemon is away, or the table paused, it waits.
   *
   * A resolved handler: DONE. A rejected one: RELEASE with the error, a failed attempt. GiveUp: FAIL. */
  worker(table: string, handler: Handler, options?: WorkerOptions): Promise<WorkerCounts>;
  queues(table: string): Queues;
  documents(table: string): Documents;
  keyValue(table: string): KeyValue;
  blobs(table: string): Blobs;
  daemon(): Daemon;
  /** As `worker`, for messages of a queue; undefined: of all queues of the table. A resolved handler: ACCEPT. A rejected
   * one: RELEASE with the error, a failed delivery. GiveUp: REJECT, the message is dead at once. */
  consumer(
    table: string,
    queue: string | undefined,
    handler: MessageHandler,
    options?: ConsumerOptions,
  ): Promise<ConsumerCounts>;
  /** Connections made to home, those to other nodes that were lost, and tables that moved. More than before: what belongs
   * to a connection, such as leases, may be over. */
  readonly connects: number;
  /** Notices that were dropped because pushesMax were not fetched. */
  readonly pushesDropped: number;
  /** Ends it for good. What is in flight rejects with `closed`; the daemon returns leased rows after the table's grace. */
  close(): Promise<void>;
}

export interface Put {
  row: number | bigint;
  /** 'behind': a worker has the row of this key. 'duplicate': client and sequence are known, nothing changed. 'stale':
   * insertionDate is older than the row's, nothing changed. */
  result: 'inserted' | 'merged' | 'behind' | 'duplicate' | 'stale';
  /** Into this row, so far. */
  merges: number | bigint;
  /** 0: unknown. */
  processDate: number;
}

export interface PutManyOptions {
  /** A name of at most 128 bytes that no earlier run of a producer used. Default: a drawn one. */
  client?: string;
  /** Of the first row. Default: 1. */
  sequence?: number;
  /** Rows in flight; rows are read from the source only below that. Default: 4096. */
  depth?: number;
  /** Called for each row that is refused; `nr` counts rows from 0. Without it, the first refusal ends the putMany, with
   * the fact `nr`. */
  onRefused?: (row: Columns, error: FastjournalError, nr: number) => void;
  /** Of a batch of rows, reconnects included. */
  timeLimit?: number;
  signal?: AbortSignal;
}

export interface PutManyCounts {
  client: string;
  rows: number;
  refused: number;
  inserted: number;
  merged: number;
  behind: number;
  /** Rows that were sent again after a loss and had arrived the first time. */
  duplicate: number;
  stale: number;
}

/** A row as leased by NEXT or `deliver`, or as shown by PEEK and LIST (epoch 0, unless you may manage). */
export interface Row extends RowFields {
  /** Without absent values. */
  columns: Record<string, Received>;
  omitted: string;
}

/** A row that is leased: any object with its numbers. */
export type Leased = Pick<Row, 'row' | 'epoch'> & { table?: string };

export interface Work {
  /** Empty: no work. */
  rows: Row[];
  /** If empty: the date at which a row may become available, if the daemon knows it. */
  nextDate: number | undefined;
}

export interface Returned {
  /** 'parked': given up, for a person to look at. 'deleted': given up in a table that does not keep such rows, or
   * expired meanwhile. */
  fate: 'released' | 'parked' | 'deleted';
  /** Of a released row: the earliest date of its next lease. */
  processDate?: number;
}

export interface ListenOptions {
  /** 'wake': one notice when there is work, to one idle listener. 'row': one for each row as it becomes due. 'deliver':
   * leased rows. Default: 'wake'. */
  mode?: 'wake' | 'row' | 'deliver';
  domain?: string;
  /** Of deliver: rows leased at once, 1 to 1024. Default: 1. */
  credit?: number;
  worker?: string;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/** `domain`, `queue`: of the LISTEN, if it has one. `source`: likewise, or that of the document. */
type NoticeOf<Of> = { table: string; domain: string; queue: string; source: string } & (
  | { kind: 'work'; ready: number; date: number }
  | ({ kind: 'due' } & Of)
  | { kind: 'missed'; missed: number }
  | ({ kind: 'delivered' } & Of)
);
export type Notice = NoticeOf<{ row: Row }>;
export type MessageNotice = NoticeOf<{ message: QueueMessage }>;
export type DocumentNotice = NoticeOf<{ document: PipelineDocument }>;

/** Notices until it is left or the connection is closed. Remains in force after a reconnect. next() rejects if the daemon
 * refuses the LISTEN. A connection has one for each table and domain, queue or source: a second one throws `wrong_state`. */
export interface Notices<N = Notice> extends AsyncIterableIterator<N> {
  /** Settled once the daemon has answered the LISTEN. */
  readonly listening: Promise<void>;
  return(): Promise<IteratorResult<N>>;
}

/** A row by its number, or rows by their key columns. */
export type What = { row: number | bigint } | Columns;

/** What WHY says: `state`, a sentence `text`, and what doc/protocol.md lists, in camel case. */
export interface Reason {
  row?: number | bigint;
  state: string;
  text: string;
  [name: string]: Received | undefined;
}

/** The commands of one journal table; types/journal.d.ts has those that are made of their declarations. */
export interface Journal extends JournalCalls {
  /** From now on each put() without a client of its own carries `client` and 1, 2, 3, ... The name must be new for each
   * start of the process. Default: a drawn one. */
  numberPuts(client?: string): void;
  /** Inserts each row once, whatever happens to the connection. A row has columns and, by their names in the protocol,
   * `priority`, `process_date`, `expiration_date`, `insertion_date`. If it rejects because of the connection, its facts
   * `client` and `sequence` tell where another putMany may continue, with the row `nr`: no row counts twice. */
  putMany(rows: Iterable<Columns> | AsyncIterable<Columns>, options?: PutManyOptions): Promise<PutManyCounts>;
  listen(options?: ListenOptions): Notices;
  /** The row, or all rows of the key. */
  peek(what: What, limits?: Limits): Promise<Row[]>;
  why(what: What, limits?: Limits): Promise<Reason[]>;
}

export interface WorkOn {
  /** Aborted when the lease is lost: another worker may have the row, and nothing more is said about it. */
  signal: AbortSignal;
  /** Aborted when the worker is to end. */
  stopping: AbortSignal;
}

export type Handler = (row: Row, on: WorkOn) => Promise<unknown> | unknown;

export interface WorkerOptions {
  /** Rows at once. Default: 1. */
  concurrency?: number;
  /** The length of a lease; renewed at half of it. Default: 60000. */
  lease?: number;
  /** How long one NEXT waits. Default: 30000. */
  wait?: number;
  domain?: string;
  /** A name, shown to people and other workers. */
  worker?: string;
  signal?: AbortSignal;
  /** Signals of the process that end it. Default: ['SIGTERM']. */
  stopOn?: NodeJS.Signals[];
  /** How long, after a stop and with a daemon that does not answer, it is tried to say how a row ended. Default: 5000. */
  stopAfter?: number;
  /** For people: failures of handlers and of the connection, lost leases. Default: they are written to the console, with
   * their stacks. */
  onError?: (error: Error, row?: Row) => void;
}

export interface WorkerCounts {
  done: number;
  released: number;
  parked: number;
  deleted: number;
  /** Rows whose end could not be told: the lease was lost, or there was no answer. */
  lost: number;
}

/** A message as leased by ACQUIRE or `deliver`, or as shown by BROWSE and READ (epoch 0, unless you may manage). */
export interface QueueMessage extends MessageFields {
  /** A string if it was sent as text, else bytes; undefined: it was not asked for. */
  body: string | Buffer | undefined;
  /** The body as text; bytes are read as UTF-8. */
  readonly text: string;
  /** What was sent with it, from its JSON. */
  readonly properties: Record<string, unknown>;
  propertiesJson: string;
}

/** A message that is leased: any object with its numbers. */
export type LeasedMessage = Pick<QueueMessage, 'message' | 'epoch'> & { table?: string };

export interface Acquired {
  messages: QueueMessage[];
  /** If there is none: the date at which there may be one, if the daemon knows it. */
  nextDate: number | undefined;
}

export interface ReturnedMessage {
  /** 'dead': it is on `queue`, its dead letters. 'parked': there are none, it is kept for a person. 'deleted': it has
   * expired. */
  fate: 'released' | 'dead' | 'parked' | 'deleted';
  processDate?: number;
  queue?: string;
}

export interface ListenToQueue {
  /** Default: all queues of the table. */
  queue?: string;
  /** 'deliver': leased messages. 'wake': one notice when there is something, to one idle listener. 'row': one for each
   * message as it becomes due. Default: 'deliver'. */
  mode?: 'deliver' | 'wake' | 'row';
  /** Of deliver: messages at once, 1 to 1024. Default: 1. */
  credit?: number;
  /** Of deliver. */
  lease?: number;
  worker?: string;
  /** Ends the iteration. */
  signal?: AbortSignal;
}

/** The commands of one queue table; types/queue.d.ts has those that are made of their declarations. */
export interface Queues extends QueueCalls {
  /** What is sent without a client of its own is numbered under a name that the connection drew: it counts once, and is
   * sent again after a loss. From now on it carries `client` and 1, 2, 3, ... The name must be new for each start of the
   * process. Default: a drawn one. */
  numberSends(client?: string): void;
  /** Messages delivered before a loss are handed out again once the table's grace (0) is over. */
  listen(options?: ListenToQueue): Notices<MessageNotice>;
}

export type MessageHandler = (message: QueueMessage, on: WorkOn) => Promise<unknown> | unknown;

export type ConsumerOptions = Omit<WorkerOptions, 'domain' | 'onError'> & {
  onError?: (error: Error, message?: QueueMessage) => void;
};

export interface ConsumerCounts {
  accepted: number;
  released: number;
  dead: number;
  parked: number;
  deleted: number;
  lost: number;
}

/** A document as FOUND, NEXT, CHILD or `deliver` hands it out, or as it is only known. */
export interface PipelineDocument {
  table: string;
  document: number | bigint;
  /** Of the lease. 0: nothing was handed out. */
  token: number | bigint;
  /** It has a token. */
  readonly isMine: boolean;
  source: string;
  uri: string;
  hash: string;
  /** Of found() and beginChild(). 'resume': it is missing somewhere. 'processing': likewise, and all of that is with
   * workers, rests, is in doubt or paused. */
  change?: 'new' | 'changed' | 'resume' | 'processing' | 'unchanged';
  /** Where it is missing. */
  destinations: string[];
  /** Something made of it is missing: it is to be taken apart again. */
  children: boolean;
  /** Call found() with its hash first: it need not be sent if it has not changed. */
  check: boolean;
  /** Its source does not have it any more: it is to be deleted at its destinations. */
  operation?: 'delete';
  /** The document that is a newer version of it, whose content its source has. */
  newer?: number | bigint;
  /** By the daemon's clock. */
  leaseEnd?: number;
  /** Of a child. */
  parent?: number | bigint;
  original?: number | bigint;
  child?: string;
}

/** A document that is leased: any object with its numbers. */
export type LeasedDocument = Pick<PipelineDocument, 'document' | 'token'> & { table?: string };

export interface HandedOut {
  documents: PipelineDocument[];
  /** If there is none: the date at which there may be one, if the daemon knows it. */
  nextDate: number | undefined;
}

/** The answer to SENDING. */
export interface Sending {
  /** 'run': send it now. 'skip': it is there already, or need not be. 'cancelled': it is not this worker's any more, or its
   * destination is paused. */
  verdict: 'run' | 'skip' | 'cancelled';
  /** Of the last two: the state, or the reason. */
  why: string;
  /** From 1. */
  attempt: number;
  guarantee: string;
  /** The same for each attempt with this version: for receivers that remember keys. */
  key: string;
  /** When to stop, by the daemon's clock. */
  deadline: number;
}

export interface Delivery {
  verdict: Sending['verdict'];
  /** As recorded: 'sent', 'error', 'dead', 'error_doc', 'dropped'; or 'sending' if nothing was said. If the function was
   * not called: why. */
  state: string;
  /** What the function threw. */
  failure: unknown;
}

/** A child is to be run, or passed: then its document has no token. */
export interface Child {
  document: PipelineDocument;
  /** All that was made of it has arrived, too. */
  isSubtreeDone: boolean;
}

export type DocumentState =
  | 'processing'
  | 'restart'
  | 'dirty'
  | 'force'
  | 'error'
  | 'batched'
  | 'sending'
  | 'sent'
  | 'dropped'
  | 'dead'
  | 'error_doc';

/** A document as DOCUMENTS shows it. */
export interface ShownDocument {
  table: string;
  document: number | bigint;
  source: string;
  uri: string;
  hash: string;
  parent?: number | bigint;
  original?: number | bigint;
  child?: string;
  /** By destination. */
  states: Record<string, DocumentState | 'in_doubt'>;
  /** Nothing more happens to it and its children. */
  done: boolean;
  /** Its original has changed, and it was not made since. */
  orphan: boolean;
  /** The document that is a newer version of it. */
  newer?: number | bigint;
  /** As childrenDone() said. */
  children?: number;
  childrenKnown: number;
  childrenNotDone: number;
  /** Deliveries of its children that are missing, that workers have, that failed for good. */
  missingBelow: number;
  inHandsBelow: number;
  failedBelow: number;
}

/** What people's commands are about: one of document, source, destination, kind and status, or all, is needed. */
export interface Wish extends Limits {
  document?: Pick<PipelineDocument, 'document'> | number | bigint;
  source?: string;
  destination?: string;
  /** The class of the last failure. */
  kind?: string;
  status?: DocumentState;
  all?: boolean;
  /** At most so many. Default: all. */
  count?: number;
  /** Only counts. */
  dryRun?: boolean;
}

/** The commands of one pipeline table; types/pipeline.d.ts has those that are made of their declarations. They reject with
 * `stale_epoch` where the lease is over. Leases belong to the connection: after a loss they last for the table's grace
 * (10 s), and heartbeat() moves them to the new one. */
export interface Documents extends DocumentCalls {
  /**
   * begin(), then `send`, then sent(), failed() or dropped(), so that the order of record and send is that of the
   * destination's guarantee. `send` is called at most once, and not where there is nothing to do.
   *
   * It resolves: the document has arrived. It rejects: it did not, and is tried again after a rest; the class of the
   * failure is the error's name. GiveUp: likewise, for good. NotSent: as that says. `signal` ends the beginning only.
   *
   * After a loss a heartbeat() moves the lease to the new connection while `send` runs.
   */
  deliver(
    document: LeasedDocument,
    destination: string,
    send: (sending: Sending) => unknown,
    limits?: Limits,
  ): Promise<Delivery>;
  /** SENDING. `batched`: it goes into a batch, and begin() without it follows when that is sent. */
  begin(
    document: LeasedDocument,
    destination: string,
    options?: { batched?: boolean; worker?: string } & Limits,
  ): Promise<Sending>;
  /** It did not arrive: it rests and is tried again, or is given up ('dead', 'error_doc'). `kind`: the class of the failure,
   * at most 64 bytes; failures of one class are counted together. Of `error` 1 KiB is kept, of `errorTrace` 16.
   * `permanent`: it would fail again each time. Resolves with the state that is recorded, as sent() does. */
  failed(
    document: LeasedDocument,
    destination: string,
    kind: string,
    options?: { error?: string; errorTrace?: string; permanent?: boolean } & Limits,
  ): Promise<string>;
  /** A document is made of `parent`. `child`: what tells it from its siblings, the same each time: its number, or a key.
   * `step`: the one that makes it; default: the source. `again`: the call is repeated, as its answer was lost. */
  beginChild(
    parent: LeasedDocument,
    child: string | number,
    options?: { step?: string; again?: boolean; lease?: number; worker?: string } & Limits,
  ): Promise<Child>;
  /** The worker lives: its leases of the document last, and move to this connection. false: it is to stop. */
  heartbeat(document: LeasedDocument, options?: { lease?: number; worker?: string } & Limits): Promise<boolean>;
  /** 'wake': one notice when a document is to be handed out, to one idle listener. 'deliver': documents, up to `credit` at
   * once (1 to 1024; default 1). 'row': one for each that is to be handed out. Default: 'wake'. */
  listen(options?: {
    /** Default: all sources of the plan. */
    source?: string;
    mode?: 'wake' | 'deliver' | 'row';
    credit?: number;
    worker?: string;
    /** Ends the iteration. */
    signal?: AbortSignal;
  }): Notices<DocumentNotice>;
  /** The versions of the plan that have documents. */
  plans(limits?: Limits): Promise<Plan[]>;
}

/** "client-" and 32 digits: 128 random bits. */
export function drawnName(): string;

/** Thrown by a handler for a row that can never succeed, and by the function of a deliver() for such a document. */
export class GiveUp extends Error {
  constructor(message: string);
}

/** Thrown by the function of a deliver() for a document that did not arrive. */
export class NotSent extends Error {
  constructor(message?: string, options?: { kind?: string; permanent?: boolean; drop?: boolean; mayHaveArrived?: boolean });
  /** The class of the failure, at most 64 bytes. Default: 'error'. */
  readonly kind: string;
  /** It would fail again each time. */
  readonly permanent: boolean;
  /** This is no failure: it need not arrive there. */
  readonly drop: boolean;
  /** Nobody knows, as no answer came: where it may arrive once at most, nothing is said, and it is in doubt when the lease
   * is over. */
  readonly mayHaveArrived: boolean;
}

/** A refusal by the daemon, or a failure of the connection. A code that this version does not know makes one of this
 * class; all others have the class of their code. */
export class FastjournalError extends Error {
  constructor(code: string, message: string, facts?: Record<string, Received>);
  readonly code: string;
  /** The further parameters of the ERROR, by their names in the protocol: `parameter`, `holder`, `epoch`, ... */
  readonly facts: Record<string, Received>;
}

declare class CodeError extends FastjournalError {
  constructor(message: string, facts?: Record<string, Received>);
}
export class InvalidError extends CodeError {}
export class UnknownCommandError extends CodeError {}
export class UnknownTableError extends CodeError {}
export class UnknownRowError extends CodeError {}
export class MissingParameterError extends CodeError {}
export class UnknownParameterError extends CodeError {}
export class BadParameterError extends CodeError {}
export class TooLargeError extends CodeError {}
export class OverLimitError extends CodeError {}
export class StaleEpochError extends CodeError {}
export class StaleSequenceError extends CodeError {}
export class NotLeasedError extends CodeError {}
export class ExpiredError extends CodeError {}
export class WrongStateError extends CodeError {}
export class PausedError extends CodeError {}
export class NoSpaceError extends CodeError {}
export class NotSupportedError extends CodeError {}
export class NotAllowedError extends CodeError {}
export class UnavailableError extends CodeError {}
export class TimedOutError extends CodeError {}
export class ClosedError extends CodeError {}
export class InUseError extends CodeError {}
export class NotFoundError extends CodeError {}
export class BadConfigurationError extends CodeError {}
export class DamagedError extends CodeError {}
export class IoError extends CodeError {}
export class InTransactionError extends CodeError {}
export class RolledBackError extends CodeError {}
export class MovedError extends CodeError {}
