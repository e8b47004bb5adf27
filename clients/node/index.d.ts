// What `fastjournal` exports. Dates are milliseconds since 1970, spans are milliseconds, unless said otherwise. Names are
// those of doc/protocol.md in camel case. Every promise rejects with a FastjournalError; its codes are listed there, in
// section 7. These come from this library: `timed_out`, `unavailable` (no connection), `closed` (the connection was lost,
// or closed by this program: whether the command was carried out is not known), `over_limit` (too much in flight),
// `bad_parameter` (a value that cannot be sent, or an option that there is not).

/** A parameter's value to send. Text columns take a string, `buffer` columns a Uint8Array. Integers: -2^63 to 2^64 - 1,
 * as bigint beyond 2^53. A Date is its milliseconds. `undefined` is left out; null is refused. */
export type Value = string | number | bigint | boolean | Date | Uint8Array;
/** A value that was received: integers beyond 2^53 are bigint, text is read as UTF-8. */
export type Received = string | number | bigint | boolean | Buffer;
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

/** What this library must know of a command of another table type; those of journals, queue and pipeline tables are
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
 * (those that read, NEXT, TOUCH, DONE, ACQUIRE, ACCEPT, INSERT and SEND with client and sequence, DECLARE and others of
 * queues, FOUND, SENDING, SENT and others of pipelines), all others reject with `closed`. What a daemon refuses because
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

export interface PutOptions extends Limits {
  /** 0 to 255, the smallest first. Default: 100. */
  priority?: number;
  processDate?: DateValue;
  /** 0: never. */
  expirationDate?: DateValue;
  insertionDate?: DateValue;
  /** Both or none. Without them an INSERT whose answer was lost is not sent again. */
  client?: string;
  sequence?: number | bigint;
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
export interface Row {
  table: string;
  row: number | bigint;
  /** Of the lease. */
  epoch: number | bigint;
  /** Without absent values. */
  columns: Record<string, Received>;
  priority: number;
  processDate: number;
  insertionDate: number;
  /** By the daemon's clock. */
  leaseEnd: number;
  timeouts: number;
  /** Failed ones since the last merge: time-outs, and releases with an error. */
  attempts: number;
  omitted: string;
  /** Only of PEEK and LIST. */
  status?: 'waiting' | 'due' | 'behind' | 'processing' | 'parked';
  merges?: number;
  expirationDate?: number;
  worker?: string;
  error?: string;
  /** Only of PEEK: where it went wrong, as a worker said. */
  errorTrace?: string;
}

/** A row that is leased: any object with its numbers. */
export type Leased = Pick<Row, 'row' | 'epoch'> & { table?: string };

export interface NextOptions extends Limits {
  /** 1 to 1024. Default: 1. */
  count?: number;
  /** Default: the table's processing-timeout. */
  lease?: number;
  /** For the first row, up to a day. Default: no waiting. */
  wait?: number;
  domain?: string;
  worker?: string;
}

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

/** The commands of one journal table. */
export interface Journal {
  readonly table: string;
  put(columns: Columns, options?: PutOptions): Promise<Put>;
  /** Each put() without a client of its own is numbered under a name that the connection drew: it counts once, and is sent
   * again after a loss. From now on it carries `client` and 1, 2, 3, ... The name must be new for each start of the
   * process. Default: a drawn one. */
  numberPuts(client?: string): void;
  /** Inserts each row once, whatever happens to the connection. A row has columns and, by their names in the protocol,
   * `priority`, `process_date`, `expiration_date`, `insertion_date`. If it rejects because of the connection, its facts
   * `client` and `sequence` tell where another putMany may continue, with the row `nr`: no row counts twice. */
  putMany(rows: Iterable<Columns> | AsyncIterable<Columns>, options?: PutManyOptions): Promise<PutManyCounts>;
  next(options?: NextOptions): Promise<Work>;
  /** Renews the lease, and moves it to this connection. Resolves with its new end. */
  touch(row: Leased, options?: { lease?: number; worker?: string } & Limits): Promise<number>;
  done(row: Leased, limits?: Limits): Promise<void>;
  /** DONE and NEXT in one round trip. */
  doneAndNext(row: Leased, options?: { domain?: string; worker?: string } & Limits): Promise<Work>;
  /** With an error it is a failed attempt: counted, and the row rests for the table's back-off or until the date. Without,
   * nothing is counted, and the row is due at once or at the date. At most 16 KiB of `errorTrace` are kept. */
  release(
    row: Leased,
    options?: { error?: string; errorTrace?: string; processDate?: DateValue } & Limits,
  ): Promise<Returned>;
  /** For a row that can never succeed. At most 1 KiB of `error` is kept. */
  fail(row: Leased, error: string, options?: { errorTrace?: string } & Limits): Promise<Returned>;
  listen(options?: ListenOptions): Notices;
  /** The row, or all rows of the key. */
  peek(what: What, limits?: Limits): Promise<Row[]>;
  /** Rows by number, all pages. `count`: rows of a page, 1 to 1000. */
  list(
    filter?: {
      status?: NonNullable<Row['status']> | 'paused';
      domain?: string;
      prefix?: string;
      error?: string;
      count?: number;
    } & Limits,
  ): AsyncGenerator<Row, void, void>;
  why(what: What, limits?: Limits): Promise<Reason[]>;
  /** Figures by their names in doc/operations.md (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
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

export interface SendOptions extends Limits {
  /** An object, given back as it is; a string is its JSON. */
  properties?: object | string;
  /** 0 to 255, the smallest first. Default: 100. */
  priority?: number;
  /** Not handed out before. */
  processDate?: DateValue;
  /** Not handed out from then on. Default: as the queue says. */
  expirationDate?: DateValue;
  /** Both or none. Without them a SEND whose answer was lost is not sent again. */
  client?: string;
  sequence?: number | bigint;
}

export interface PublishOptions extends SendOptions {
  /** Whether a message that is routed to no queue is refused (`not_found`), or dropped. Default: as the exchange's kind
   * says. */
  mandatory?: boolean;
}

export interface Sent {
  /** Its number on the first of its queues; undefined: it is on none. */
  message: number | bigint | undefined;
  queues: number;
  /** 'duplicate': client and sequence are known, nothing changed. 'expired': only in a transaction. */
  result: 'sent' | 'duplicate' | 'expired';
  processDate: number;
}

/** A message as leased by ACQUIRE or `deliver`, or as shown by BROWSE and READ (epoch 0, unless you may manage). */
export interface QueueMessage {
  table: string;
  message: number | bigint;
  /** Of the lease. */
  epoch: number | bigint;
  queue: string;
  /** A string if it was sent as text, else bytes; undefined: it was not asked for. */
  body: string | Buffer | undefined;
  /** The body as text; bytes are read as UTF-8. */
  readonly text: string;
  /** The length of the body. */
  bytes: number;
  /** Of a part that read() has brought. */
  offset?: number;
  /** What was sent with it, from its JSON. */
  readonly properties: Record<string, unknown>;
  propertiesJson: string;
  exchange?: string;
  routingKey?: string;
  priority: number;
  processDate: number;
  sentDate: number;
  expirationDate?: number;
  /** By the daemon's clock. */
  leaseEnd?: number;
  /** It was handed out before. */
  redelivered: boolean;
  /** Those that failed or timed out. */
  deliveries: number;
  /** The queue on which it died. */
  deadOf?: string;
  /** Messages of several queues that came as one have the same. */
  origin?: number | bigint;
  status?: 'waiting' | 'due' | 'acquired' | 'parked';
  worker?: string;
  error?: string;
  /** Only of READ: where it went wrong, as a consumer said. */
  errorTrace?: string;
}

/** A message that is leased: any object with its numbers. */
export type LeasedMessage = Pick<QueueMessage, 'message' | 'epoch'> & { table?: string };

export interface AcquireOptions extends Limits {
  /** Default: all queues of the table. */
  queue?: string;
  /** 1 to 1024. Default: 1. */
  count?: number;
  /** Default: the table's processing-timeout. */
  lease?: number;
  /** For the first message, up to a day. Default: no waiting. */
  wait?: number;
  /** They are gone with the answer, without a lease: at most once. */
  accept?: boolean;
  worker?: string;
}

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

export interface QueueOptions {
  /** It ends with the connection, and is not there again after a reconnect. */
  temporary?: boolean;
  /** The queue that gets dead messages; '': they are parked. */
  deadLetters?: string;
  /** 0: as the table says. */
  maxDeliveries?: number;
  /** 0: no limit. */
  maxMessages?: number;
  maxBytes?: number;
  whenFull?: 'refuse' | 'drop';
  /** How long messages last. 0: for ever. */
  expires?: number;
}

export interface Queue {
  queue: string;
  messages: number;
  due: number;
  acquired: number;
  parked: number;
  bytes: number;
  temporary: boolean;
  /** In the table's file. */
  declared: boolean;
  /** It was removed, and its messages go. */
  leaving: boolean;
  deadLetters: string;
  /** Limits that it has. */
  maxDeliveries?: number;
  maxMessages?: number;
  maxBytes?: number;
  whenFull?: 'refuse' | 'drop';
  expires?: number;
}

export interface Exchange {
  exchange: string;
  kind: 'direct' | 'fanout' | 'topic';
  bindings: number;
}

export interface Binding {
  binding: number;
  exchange: string;
  queue: string;
  routingKey: string;
}

/** The commands of one queue table. */
export interface Queues {
  readonly table: string;
  /** What is sent without a client of its own is numbered under a name that the connection drew: it counts once, and is
   * sent again after a loss. From now on it carries `client` and 1, 2, 3, ... The name must be new for each start of the
   * process. Default: a drawn one. */
  numberSends(client?: string): void;
  /** Puts a message on a queue. */
  send(queue: string, body?: string | Uint8Array, options?: SendOptions): Promise<Sent>;
  /** Sends it to the queues that an exchange routes it to. */
  publish(exchange: string, routingKey: string, body?: string | Uint8Array, options?: PublishOptions): Promise<Sent>;
  acquire(options?: AcquireOptions): Promise<Acquired>;
  /** Renews the lease, and moves it to this connection. Resolves with its new end. */
  touch(message: LeasedMessage, options?: { lease?: number; worker?: string } & Limits): Promise<number>;
  /** It is dealt with, and leaves its queue. */
  accept(message: LeasedMessage, limits?: Limits): Promise<void>;
  /** With an error it is a failed delivery, and after too many of them dead. Without, nothing is counted. `failed` says it
   * otherwise. */
  release(
    message: LeasedMessage,
    options?: { error?: string; errorTrace?: string; processDate?: DateValue; failed?: boolean } & Limits,
  ): Promise<ReturnedMessage>;
  /** It can never be dealt with: it goes to the dead letters, or is parked. */
  reject(message: LeasedMessage, error?: string, options?: { errorTrace?: string } & Limits): Promise<ReturnedMessage>;
  /** Messages delivered before a loss are handed out again once the table's grace (0) is over. */
  listen(options?: ListenToQueue): Notices<MessageNotice>;
  /** Messages by their numbers, all pages, without taking them. `body`: with their bodies. `count`: of a page. */
  browse(
    filter?: { queue?: string; status?: NonNullable<QueueMessage['status']>; body?: boolean; count?: number } & Limits,
  ): AsyncGenerator<QueueMessage, void, void>;
  /** A message, or a part of its body: then as bytes. */
  read(
    message: Pick<QueueMessage, 'message'> | number | bigint,
    options?: { offset?: number; length?: number } & Limits,
  ): Promise<QueueMessage>;
  why(message: Pick<QueueMessage, 'message'> | number | bigint, limits?: Limits): Promise<Reason>;
  queues(limits?: Limits): AsyncGenerator<Queue, void, void>;
  exchanges(limits?: Limits): AsyncGenerator<Exchange, void, void>;
  bindings(filter?: { exchange?: string; queue?: string } & Limits): AsyncGenerator<Binding, void, void>;
  /** Figures by their names in doc/queue.md (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
  /** Makes a queue, or changes its options; what is absent stays. */
  declare(queue: string, options?: QueueOptions & Limits): Promise<'made' | 'changed' | 'unchanged'>;
  declareExchange(exchange: string, kind: Exchange['kind'], limits?: Limits): Promise<'made' | 'unchanged'>;
  /** With its messages and bindings. `not_found`, also if it was sent again after a loss and carried out before. */
  remove(queue: string, options?: { ifEmpty?: boolean } & Limits): Promise<void>;
  removeExchange(exchange: string, limits?: Limits): Promise<void>;
  /** `declare`: the queue is made if there is none: a durable subscription. `temporary`: it is made, and ends with the
   * connection. */
  bind(
    exchange: string,
    queue: string,
    options?: { routingKey?: string; declare?: boolean; temporary?: boolean } & Limits,
  ): Promise<'made' | 'unchanged'>;
  unbind(exchange: string, queue: string, options?: { routingKey?: string } & Limits): Promise<void>;
  /** Drops messages that no consumer has; `count` of them, or all. Resolves with how many. */
  purge(queue: string, options?: { status?: 'waiting' | 'parked'; count?: number } & Limits): Promise<number>;
  /** Moves them to another queue, with their attempts reset; those that are parked also to their own one. After a
   * ClosedError call it again: what was moved is no longer there. */
  move(queue: string, to: string, options?: { status?: 'waiting' | 'parked'; count?: number } & Limits): Promise<number>;
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

export interface FoundOptions extends Limits {
  /** false: it is left to those who call next(). Default: true. */
  handOut?: boolean;
  /** It says what would come of it, and changes nothing. */
  dryRun?: boolean;
  /** The source does not have it any more (deleted="tell" in the plan); without hash. */
  gone?: boolean;
  /** How long the worker may take until it begins. Default: the table's processing-timeout. */
  lease?: number;
  worker?: string;
}

export interface NextDocumentsOptions extends Limits {
  source?: string;
  /** Documents that are missing there, and for it alone. */
  destination?: string;
  /** 1 to 1024. Default: 1. */
  count?: number;
  /** Default: the table's processing-timeout. */
  lease?: number;
  /** For the first document, up to a day. Default: no waiting. */
  wait?: number;
  worker?: string;
}

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

/** A destination, with its documents by state. */
export interface Destination {
  table: string;
  destination: string;
  /** Its output. */
  step?: string;
  /** By which copies arrive, of duplicating routers. */
  branches: string[];
  guarantee: string;
  /** 'probing': paused, as too much failed there. */
  mode: 'open' | 'probing' | 'shut';
  /** Why it is not open. */
  reason: string;
  processing: number;
  restart: number;
  dirty: number;
  force: number;
  error: number;
  batched: number;
  sending: number;
  sent: number;
  dropped: number;
  dead: number;
  errorDoc: number;
  inDoubt: number;
  /** Of all these; the others count a document once. */
  withWorkers: number;
}

/** What became of a document, or of a destination. */
export interface PipelineEvent {
  table: string;
  /** Its number since the start of the daemon. */
  event: number;
  date: number;
  /** 'found', 'changed', 'handed_out', 'routed', 'children_done', 'in_doubt', 'forgotten', 'mode' (of a destination),
   * 'drains', 'resumed' (of the table), or the state that it came into. */
  what: string;
  document?: number | bigint;
  uri?: string;
  /** Absent of what concerns the whole document. */
  destination?: string;
  worker?: string;
  /** So far. */
  failures?: number;
  /** Of a failure. */
  kind?: string;
  error?: string;
  reason?: string;
  /** Who chose what. */
  router?: string;
  chosen: string[];
  mode?: 'open' | 'probing' | 'shut';
  /** Of the content then. */
  hash?: string;
  /** Its source did not have it any more. */
  operation?: 'delete';
  /** How often the document had changed by then. */
  generation?: number;
  /** Of a child. */
  parent?: number | bigint;
  original?: number | bigint;
  /** Of 'children_done': how many there are. */
  children?: number;
  /** Who drains the table. */
  by?: string;
}

export interface Plan {
  table: string;
  plan: string;
  version: number;
  documents: number;
  newest: boolean;
  /** Of the newest. */
  text: string;
  /** As the file of a plan. */
  xml: string;
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

/** The commands of one pipeline table. They reject with `stale_epoch` where the lease is over. Leases belong to the
 * connection: after a loss they last for the table's grace (10 s), and heartbeat() moves them to the new one. */
export interface Documents {
  readonly table: string;
  /** A source has a document. When it resolves, that is on the disk; where it is missing, it is handed out. `hash`: of its
   * content; another one means that it has changed. */
  found(source: string, uri: string, hash?: string, options?: FoundOptions): Promise<PipelineDocument>;
  /** Documents that are missing somewhere and that nobody has: after a crash, after a rest, or as their finder left them. */
  next(options?: NextDocumentsOptions): Promise<HandedOut>;
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
  /** It has arrived. Resolves with the state that is recorded, as failed() does. */
  sent(document: LeasedDocument, destination: string, limits?: Limits): Promise<string>;
  /** It did not arrive: it rests and is tried again, or is given up ('dead', 'error_doc'). `kind`: the class of the failure,
   * at most 64 bytes; failures of one class are counted together. Of `error` 1 KiB is kept, of `errorTrace` 16.
   * `permanent`: it would fail again each time. */
  failed(
    document: LeasedDocument,
    destination: string,
    kind: string,
    options?: { error?: string; errorTrace?: string; permanent?: boolean } & Limits,
  ): Promise<string>;
  /** It need not arrive there. Without a destination: at none of those that the worker has it for. */
  dropped(document: LeasedDocument, options?: { destination?: string; reason?: string } & Limits): Promise<void>;
  /** A router, a source or step, chose these steps behind it. Resolves with the destinations that cannot be reached any
   * more. */
  routed(document: LeasedDocument, router: string, chosen: Iterable<string>, limits?: Limits): Promise<string[]>;
  /** A document is made of `parent`. `child`: what tells it from its siblings, the same each time: its number, or a key.
   * `step`: the one that makes it; default: the source. `again`: the call is repeated, as its answer was lost. */
  beginChild(
    parent: LeasedDocument,
    child: string | number,
    options?: { step?: string; again?: boolean; lease?: number; worker?: string } & Limits,
  ): Promise<Child>;
  /** So many were made of it, and there are no more: without this it is not done. */
  childrenDone(parent: LeasedDocument, count: number, limits?: Limits): Promise<void>;
  /** The worker lives: its leases of the document last, and move to this connection. false: it is to stop. */
  heartbeat(document: LeasedDocument, options?: { lease?: number; worker?: string } & Limits): Promise<boolean>;
  /** The worker gives it back: it is handed out to another, and nothing is counted. */
  release(document: LeasedDocument, limits?: Limits): Promise<void>;
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
  /** All that match, all pages. `status`: 'stranded' are missing, and nobody has them. `destination`: in that state there.
   * `version`: of the plan; default: the newest. `count`: of a page, 1 to 1000. */
  documents(
    filter?: {
      status?: 'stranded' | 'open' | 'failed' | 'in_doubt' | 'orphans' | 'done' | DocumentState;
      source?: string;
      destination?: string;
      version?: number;
      count?: number;
    } & Limits,
  ): AsyncGenerator<ShownDocument, void, void>;
  /** `source`: those that its documents can reach, and these documents alone. */
  destinations(
    filter?: { destination?: string; source?: string; version?: number } & Limits,
  ): AsyncGenerator<Destination, void, void>;
  /** `text`: sentences for people. */
  why(
    document: Pick<PipelineDocument, 'document'> | number | bigint,
    limits?: Limits,
  ): Promise<{ document: number | bigint; states: string; text: string }>;
  /** What has become of this document, or of all, as far as the table's `history` reaches back. `children`: and of all
   * that was made of it. `count`: of a page. */
  history(
    filter?: {
      document?: Pick<PipelineDocument, 'document'> | number | bigint;
      children?: boolean;
      count?: number;
    } & Limits,
  ): AsyncGenerator<PipelineEvent, void, void>;
  /** The versions of the plan that have documents. */
  plans(limits?: Limits): Promise<Plan[]>;
  /** Figures by their names in STATS (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
  /** Tries again what failed, with its failures forgotten: what is dead or failed for good, and what rests if its document
   * or status 'error' is given. `ifChanged`: what has arrived instead, if the source finds that it has changed. Resolves
   * with how many, as the next three do. */
  retry(wish?: Wish & { ifChanged?: boolean }): Promise<number>;
  /** Sends again, whatever the state: also what has arrived. */
  force(wish?: Wish): Promise<number>;
  /** Drops what has not arrived. */
  drop(wish?: Wish): Promise<number>;
  /** Says of what is in doubt whether it arrived; if it failed, it is sent again. */
  resolve(outcome: 'sent' | 'failed', wish?: Wish): Promise<number>;
  /** Shuts a destination: nothing is handed out for it. */
  pause(destination: string, options?: { reason?: string } & Limits): Promise<void>;
  /** Opens one that was shut, or that was paused as too much failed there. */
  resume(destination: string, limits?: Limits): Promise<void>;
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
