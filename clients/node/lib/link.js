// One connection to the daemon, kept up: sends commands, matches answers, and after a loss connects again and sends what
// may be sent twice. What commands mean is not known here, except for the rules below.
import {errorOf} from './error_of.js';
import {BadParameterError, ClosedError, NotAllowedError, NotSupportedError, OverLimitError, TooLargeError, UnavailableError,} from './errors.js';
import {Writer} from './msgpack.js';
import {appendFrame, frameLength, MessageReader, numberOf, refusalOf} from './protocol.js';
import {openSocket, parseAddress, reasonOf} from './socket.js';

const BYTES_OF_PUSHES_MAX = 64 * 1024 * 1024;
const WAIT_MS_MAX = 86_400_000;    // above any table's limit for waiting
const TIMER_MS_MAX = 0x7fff_ffff;  // of setTimeout
const CLOSE_MS_MAX = 1000;

const always = {
  resend: 'always'
};
// As in clients/lib/command_rule.h, for journals, queue and pipeline tables. `doneBefore` is the answer to assume if a
// command that was sent again finds the row gone; `leases` are the messages that lease something, and `giveBack` is the
// command that returns it if nobody waits any more.
const rulesOfAll = {
  INSERT: {resend: 'numbered'},
  NEXT: {resend: 'always', wait: 'wait', leases: ['ROW', 'DOCUMENT'], giveBack: 'RELEASE'},
  TOUCH: always,
  DONE: {resend: 'always', doneBefore: 'COMPLETED', leases: 'ROW', giveBack: 'RELEASE'},
  SEND: {resend: 'numbered'},
  ACQUIRE: {resend: 'always', wait: 'wait', leases: 'MESSAGE', giveBack: 'RELEASE'},
  ACCEPT: {resend: 'always', doneBefore: 'ACCEPTED'},
  FOUND: {resend: 'always', leases: 'DOCUMENT', giveBack: 'RELEASE'},
};
for (const name
         of ['PEEK',
             'LIST',
             'WHY',
             'TIMELINE',
             'DOMAINS',  // of a journal
             'BROWSE',
             'READ',
             'DECLARE',
             'REMOVE',
             'BIND',
             'UNBIND',
             'PURGE',
             'QUEUES',
             'EXCHANGES',
             'BINDINGS',  // of a queue table
             'SENDING',
             'SENT',
             'ROUTED',
             'CHILDREN_DONE',
             'HEARTBEAT',
             'RETRY',
             'FORCE',
             'DROP',
             'RESOLVE',
             'FORGET',
             'MIGRATE',
             'DOCUMENTS',
             'DESTINATIONS',
             'HISTORY',
             'PLANS',
             'STEPS',  // of a pipeline table
             'ALERTS',
             'ALIVE',
             'FETCH',
             'HELP',
             'LISTEN',
             'STATS',
             'STATUS',
             'TABLES',
             'UNLISTEN',
             'UNWATCH',
             'WAITERS',
             'WATCH',
])
  rulesOfAll[name] = always;
const noRule = {
  resend: 'never'
};

const defaults = {
  server: '127.0.0.1:4050',
  ca: undefined,
  certificate: undefined,
  key: undefined,
  token: undefined,
  timeLimit: 30_000,
  connectLimit: 5_000,
  backOff: [1_000, 1_000, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000],
  onConnection: undefined,
  onPush: undefined,
  inFlightMax: 4_096,
  inFlightBytesMax: 64 * 1024 * 1024,
  pushesMax: 65_536,
  messageBytesMax: 64 * 1024 * 1024,
  commands: {},
};

function checkedOptions(given) {
  for (const name in given)
    if (!Object.hasOwn(defaults, name))
      throw new BadParameterError(`connect() has no option '${name}'`, {parameter: name});
  const options = {...defaults};
  for (const name in given)
    if (given[name] !== undefined) options[name] = given[name];
  parseAddress(options.server);
  for (const name of ['timeLimit', 'connectLimit', 'inFlightMax', 'inFlightBytesMax', 'pushesMax', 'messageBytesMax'])
    if (!(options[name] > 0)) throw new BadParameterError(`option ${name} is a number above 0`, {parameter: name});
  if (!Array.isArray(options.backOff) || !options.backOff.every((pause) => pause >= 0))
    throw new BadParameterError('option backOff is an array of milliseconds', {parameter: 'backOff'});
  return options;
}

// Not for ever, but beyond what setTimeout can count it is.
function timerAfter(milliseconds, call) {
  return milliseconds > TIMER_MS_MAX ? undefined : setTimeout(call, milliseconds);
}

/** A row, message or document that is leased to this connection. */
export function isLease({command, params}) {
  if (command === 'DOCUMENT') return params.token !== undefined;
  return (command === 'ROW' || command === 'MESSAGE') && params.epoch !== undefined;
}

// By this rule somebody has to give it back.
function isLeasedBy(rule, message) {
  if (![].concat(rule.leases ?? []).includes(message.command)) return false;
  return message.command !== 'DOCUMENT' || isLease(message);
}

/** The pushes of one LISTEN, in a queue that the caller empties. */
export class Subscription {
  constructor(link, params) {
    this.link = link;
    this.params = params;
    this.queue = [];
    this.bytes = 0;
    this.waiting = [];
    this.ended = false;
    this.error = undefined;
  }

  /** By these a LISTEN is known. */
  matches({table, domain = '', queue = '', source = ''}) {
    const {params} = this;
    return params.table === table && (params.domain ?? '') === domain && (params.queue ?? '') === queue &&
        (params.source ?? '') === source;
  }

  /** What it is told. A row may have columns of any name; a document has its source, also where this LISTEN has none. */
  announces(params) {
    const {table, domain, row, document} = params;
    if (row !== undefined) return this.matches({table, domain});
    return this.matches(params) || (document !== undefined && this.matches({table}));
  }

  /** A lease of this LISTEN, or of one that is for all of the table. */
  delivers({table, queue, source}) {
    const {params} = this;
    return params.mode === 'deliver' && params.table === table &&
        (params.queue === undefined || params.queue === queue) &&
        (params.source === undefined || params.source === source);
  }

  take(message, bytes) {
    const waiting = this.waiting.shift();
    if (waiting !== undefined) return waiting.resolve(message);
    this.queue.push({message, bytes});
    this.bytes += bytes;
    return undefined;
  }

  /** Nothing more comes. What is queued is still fetched, then the error, if any, is thrown once. */
  end(error) {
    if (this.ended) return;
    this.ended = true;
    this.error = error;
    this.link.subscriptions.delete(this);
    for (const waiting of this.waiting.splice(0)) {
      if (this.error === undefined) {
        waiting.resolve(undefined);
      } else {
        waiting.reject(this.error);
        this.error = undefined;
      }
    }
  }

  /** The next push; undefined after the end. */
  async fetch() {
    const first = this.queue.shift();
    if (first !== undefined) {
      this.bytes -= first.bytes;
      return first.message;
    }
    if (this.error !== undefined) {
      const {error} = this;
      this.error = undefined;
      throw error;
    }
    if (this.ended) return undefined;
    return new Promise((resolve, reject) => this.waiting.push({resolve, reject}));
  }
}

export class Link {
  constructor(given) {
    this.options = checkedOptions(given);
    this.rules = {...rulesOfAll, ...this.options.commands};
    // What is in flight, oldest first: by the number of its (first) request.
    this.entries = new Map();
    this.batches = [];  // those of the entries that are batches, from `batchesHead` on
    this.batchesHead = 0;
    this.callers = 0;  // entries that somebody waits for
    this.nobodys = 0;  // entries that are still in flight, but nobody waits for
    this.inFlightBytes = 0;
    this.lastRequest = 0;
    this.subscriptions = new Set();
    this.connects = 0;
    this.pushesDropped = 0;
    this.attempts = 0;    // since the last message of the daemon
    this.state = 'down';  // 'connecting', 'open', 'waiting' (for the next attempt), 'refused', 'closed'
    this.socket = undefined;
    this.out = [];
    this.flushAt = undefined;
    this.writer = new Writer(4096);
    this.retryTimer = undefined;
    this.lastError = undefined;
    this.onReconnected = new Set();
    this.reader = this.newReader();
  }

  newReader() {
    return new MessageReader(
        this.options.messageBytesMax,
        (message, bytes) => this.takeMessage(message, bytes),
        (error) => this.settleOldest(error),
    );
  }

  // ---- the connection ----

  /** One attempt. Rejects with `unavailable`, or `not_allowed` if the daemon refuses the token or the certificate. */
  attempt() {
    const {options} = this;
    this.state = 'connecting';
    return new Promise((resolve, reject) => {
      let settled = false;
      let opened;
      const fail = (error) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        this.dropSocket();
        reject(error);
      };
      const timer = timerAfter(
          options.connectLimit,
          () => fail(
              new UnavailableError(`cannot connect to ${options.server}: no answer within ${options.connectLimit} ms`)),
      );
      try {
        opened = openSocket(options);
      } catch (error) {
        fail(error);
        return;
      }
      const {socket, ready} = opened;
      this.socket = socket;
      this.reader = this.newReader();
      this.said = undefined;
      let reason;
      socket.on('error', (error) => {
        reason = reasonOf(error);
      });
      socket.on('data', (chunk) => {
        if (this.socket === socket) this.reader.push(chunk);
      });
      socket.on('close', () => {
        if (this.socket !== socket) return;
        const why = reason ?? {text: this.said?.message ?? 'the daemon closed it', facts: {}};
        const code = why.refused ? 'not_allowed' : 'unavailable';
        if (!settled)
          fail(errorOf(code, `cannot connect to ${options.server}: ${why.text}`, why.facts));
        else
          this.lose(why);
      });
      const up = () => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        resolve();
      };
      this.abandonAttempt = () => fail(new ClosedError('the connection was closed by this program'));
      socket.once(ready, () => {
        if (options.token === undefined || options.token === '') return up();
        // Alone: what follows must have the rights of the user.
        return this.enter({
          command: 'AUTH',
          role: 'login',
          params: {token: String(options.token)},
          resolve: up,
          reject: (error) =>
              fail(errorOf(error.code, `${options.server} refuses the token: ${error.message}`, error.facts)),
        });
      });
    });
  }

  async open() {
    await this.attempt();
    this.goOn();
  }

  // There is a connection.
  goOn() {
    this.state = 'open';
    ++this.connects;
    // Subscriptions first, so that no wake-up is missed.
    for (const subscription of this.subscriptions) this.subscribe(subscription);
    for (const [request, entry] of this.entries) {
      if (entry.role !== 'caller') continue;
      if (entry.sent) {
        entry.resent = true;
        entry.messages = [];
        entry.messagesBytes = 0;
      }
      entry.sent = true;
      this.out.push(entry.batch ? this.unanswered(entry, request) : entry.bytes);
    }
    this.flushSoon();
    if (this.connects === 1) return;
    this.tell(undefined);
    for (const call of this.onReconnected) call();
  }

  tell(error) {
    // What the program's own function throws must not end the connection.
    if (this.options.onConnection !== undefined) queueMicrotask(() => this.options.onConnection(error));
  }

  subscribe(subscription) {
    this.enter({
      command: 'LISTEN',
      role: 'subscription',
      params: subscription.params,
      resolve() {},
      reject: (error) => subscription.end(error),
    });
  }

  dropSocket() {
    const {socket} = this;
    this.socket = undefined;
    this.reader.stop();
    this.out = [];
    if (socket !== undefined) {
      socket.on('error', () => {});
      socket.destroy();
    }
    for (const [request, entry] of this.entries)
      if (entry.role !== 'caller') this.entries.delete(request);
    this.nobodys = 0;
  }

  lose(why) {
    const {options} = this;
    this.dropSocket();
    const refused = why.refused === true;
    const text = `the connection to ${options.server} was lost: ${why.text}`;
    this.lastError = refused ? new NotAllowedError(text, why.facts) : new ClosedError(text, why.facts);
    this.tell(this.lastError);
    const forGood = refused || options.backOff.length === 0;
    for (const entry of [...this.entries.values()]) {
      if (forGood) {
        this.finish(entry, this.lastError);
      } else if (entry.sent && !entry.mayResend) {
        this.finish(entry, new ClosedError(`${text}; whether ${entry.command} was carried out is not known`));
      }
    }
    if (forGood) {
      this.state = 'refused';
      for (const subscription of [...this.subscriptions]) subscription.end(this.lastError);
    } else {
      this.planRetry();
    }
  }

  planRetry() {
    const {backOff} = this.options;
    const pause = backOff[Math.min(this.attempts, backOff.length - 1)] * (0.75 + Math.random() / 2);
    ++this.attempts;
    this.state = 'waiting';
    this.retryTimer = setTimeout(() => this.retry(), pause);
  }

  retry() {
    this.attempt().then(
        () => this.goOn(),
        (error) => {
          if (this.state === 'closed') return;
          this.lastError = error;
          if (error.code !== 'not_allowed' && this.options.backOff.length > 0) {
            this.planRetry();
            return;
          }
          // The next attempt would end in the same way.
          this.state = 'refused';
          for (const entry of [...this.entries.values()]) this.finish(entry, error);
          for (const subscription of [...this.subscriptions]) subscription.end(error);
          this.tell(error);
        },
    );
  }

  /** Ends the connection for good; what is in flight fails with `closed`. */
  async close() {
    if (this.state === 'closed') return;
    const {socket} = this;
    const wasOpen = this.state === 'open';
    this.flush();
    this.state = 'closed';
    clearTimeout(this.retryTimer);
    this.abandonAttempt?.();
    const error = new ClosedError('the connection was closed by this program');
    for (const entry of [...this.entries.values()]) this.finish(entry, error);
    for (const subscription of [...this.subscriptions]) subscription.end(undefined);
    this.socket = undefined;
    this.reader.stop();
    if (socket === undefined) return;
    await new Promise((resolve) => {
      socket.once('close', resolve);
      if (!wasOpen) return socket.destroy();
      // A daemon that does not answer the end is not waited for.
      setTimeout(() => socket.destroy(), CLOSE_MS_MAX).unref();
      socket.end();
      return socket.resume();
    });
  }

  // ---- sending ----

  /**
   * Sends a command; the promise is its answer, `{messages, first, resent}`.
   * `limits`: timeLimit in ms, and an AbortSignal.
   */
  call(command, params = {}, {timeLimit = this.options.timeLimit, signal} = {}) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.checkUsable();
      if (this.callers >= this.options.inFlightMax)
        throw new OverLimitError(`${this.callers} commands are in flight: await some of them first`);
      // After a loss the commands behind it would be sent again, alone.
      if (command === 'BEGIN' || command === 'XA_START')
        throw new NotSupportedError(`${command}: a connection is for many; use transaction()`);
      const entry = this.enter({command, role: 'caller', params, resolve, reject});
      const wait = entry.wait > 0 ? Math.min(entry.wait, WAIT_MS_MAX) : 0;
      this.limit(entry, timeLimit + wait);
      if (signal !== undefined) {
        entry.signal = signal;
        entry.onAbort = () => this.abandon(entry, signal.reason);
        signal.addEventListener('abort', entry.onAbort, {once: true});
      }
    });
  }

  checkUsable() {
    if (this.state === 'closed') throw new ClosedError('the connection was closed by this program');
    if (this.state !== 'refused') return;
    if (this.options.backOff.length === 0) throw this.lastError;
    // The caller wants another attempt.
    this.state = 'connecting';
    this.retry();
  }

  // Numbers and encodes a command, and sends it if there is a connection.
  enter(entry) {
    const rule = Object.hasOwn(this.rules, entry.command) ? this.rules[entry.command] : noRule;
    const request = this.lastRequest + 1;
    const {writer} = this;
    writer.at = 0;
    appendFrame(writer, String(entry.command), entry.params, request);
    const {params} = entry;
    entry.params = undefined;
    const bytes = Buffer.from(writer.buffer.subarray(0, writer.at));
    if (writer.buffer.length > 65_536) this.writer = new Writer(4096);
    entry.rule = rule;
    entry.mayResend = rule.resend === 'always' ||
        (rule.resend === 'numbered' && params.client !== undefined && params.sequence !== undefined);
    entry.wait = rule.wait === undefined ? 0 : Number(params[rule.wait] ?? 0);
    entry.messages = [];
    entry.messagesBytes = 0;
    entry.resent = false;
    if (entry.role === 'caller') {
      if (this.callers > 0 && this.inFlightBytes + bytes.length > this.options.inFlightBytesMax)
        throw new OverLimitError(`${this.inFlightBytes} bytes are in flight: await some of them first`);
      entry.bytes = bytes;
    }
    this.put(entry, request, bytes);
    this.lastRequest = request;
    return entry;
  }

  /**
   * Sends `count` numbered commands at once, encoded as frames with the requests `first`, first + 1, ...: the fast path
   * of putMany. `onAnswer(index, message)` is called for each in order; message is a FastjournalError if it could not
   * be read. `resolve()` comes after the last, `reject(error)` if the rest is not answered.
   */
  sendBatch(batch, timeLimit) {
    this.checkUsable();
    Object.assign(batch, {batch: true, role: 'caller', command: 'INSERT', rule: this.rules.INSERT, mayResend: true});
    batch.answered = 0;
    batch.wait = 0;
    batch.resent = false;
    this.batches.push(batch);
    this.put(batch, batch.first, batch.bytes);
    this.limit(batch, timeLimit);
  }

  put(entry, request, bytes) {
    entry.request = request;
    entry.sent = this.socket !== undefined && (this.state === 'open' || entry.role !== 'caller');
    this.entries.set(request, entry);
    if (entry.role === 'caller') {
      ++this.callers;
      this.inFlightBytes += bytes.length;
    }
    if (!entry.sent) return;
    this.out.push(bytes);
    this.flushSoon();
  }

  limit(entry, milliseconds) {
    entry.timer = timerAfter(milliseconds, () => {
      const {options} = this;
      const error = this.state === 'open' && entry.sent ?
          errorOf('timed_out', `no answer to ${entry.command} from ${options.server} within ${milliseconds} ms`) :
          new UnavailableError(
              `${this.lastError?.message ?? `no connection to ${options.server}`} (tried again until the time limit)`,
          );
      this.abandon(entry, error);
    });
  }

  // Its caller waits no more. A later answer is dropped, and rows that it leases are given back.
  abandon(entry, error) {
    const {request} = entry;
    const mayBeAnswered = entry.sent && this.state === 'open' && !entry.batch;
    this.finish(entry, error);
    if (!mayBeAnswered) return;
    if (++this.nobodys > this.options.inFlightMax) {
      this.lose({text: `${this.nobodys} commands got no answer in time`, facts: {}});
      return;
    }
    this.entries.set(request, {...entry, role: 'nobody', resolve() {}, reject() {}, messages: [], bytes: undefined});
  }

  drop(entry) {
    if (entry.role === 'nobody' && this.entries.delete(entry.request)) --this.nobodys;
  }

  // The frames of a batch that have no answer yet.
  unanswered(batch) {
    let at = 0;
    for (let i = 0; i < batch.answered; ++i) at += frameLength(batch.bytes, at);
    return batch.bytes.subarray(at);
  }

  // At the end of this turn of the event loop, so that commands that are sent together share one write.
  flushSoon() { this.flushAt ??= setImmediate(() => this.flush()); }

  flush() {
    clearImmediate(this.flushAt);
    this.flushAt = undefined;
    const {out, socket} = this;
    if (out.length === 0 || socket === undefined) return;
    this.out = [];
    socket.write(out.length === 1 ? out[0] : Buffer.concat(out));
  }

  // ---- receiving ----

  takeMessage(message, bytes) {
    this.attempts = 0;
    const {params} = message;
    if (params.request === undefined) {
      const refusal = refusalOf(message);
      // The daemon cannot return the request of what it could not read.
      if (refusal === undefined)
        this.push(message, bytes);
      else
        this.settleOldest(refusal);
      return;
    }
    const request = typeof params.request === 'number' ? params.request : numberOf(params.request);
    const batch = this.batches[this.batchesHead];
    if (batch !== undefined && request >= batch.first && request < batch.first + batch.count) {
      this.takeOfBatch(batch, request, message);
      return;
    }
    const entry = this.entries.get(request);
    if (entry !== undefined && !entry.batch) this.takeOfEntry(entry, message, bytes);
  }

  takeOfBatch(batch, request, message) {
    const index = request - batch.first;
    if (index < batch.answered) return;
    if (index > batch.answered) {
      // Answers have the order of commands: what was left out will not come, but may be sent again.
      this.lose({text: `the daemon answered request ${request} before ${batch.first + batch.answered}`, facts: {}});
      return;
    }
    ++batch.answered;
    batch.onAnswer(index, message);
    if (batch.answered === batch.count) this.finish(batch);
  }

  takeOfEntry(entry, message, bytes) {
    const last = !(numberOf(message.params.left ?? 0) > 0);
    if (entry.role === 'nobody') {
      if (isLeasedBy(entry.rule, message)) this.giveBack(message);
      if (last) this.drop(entry);
      return;
    }
    const refusal = refusalOf(message);
    entry.messagesBytes += bytes;
    if (refusal === undefined) {
      entry.messages.push(message);
    } else if (entry.resent && entry.rule.doneBefore !== undefined && refusal.code === 'unknown_row') {
      entry.messages.push({command: entry.rule.doneBefore, params: message.params});
    } else {
      entry.error ??= refusal;
    }
    if (last) {
      this.finish(entry, entry.error);
    } else if (entry.messagesBytes > this.options.messageBytesMax) {
      for (const one of entry.messages)
        if (isLeasedBy(entry.rule, one)) this.giveBack(one);
      const limit = this.options.messageBytesMax;
      this.abandon(entry, new TooLargeError(`the answer to ${entry.command} is above ${limit} bytes`));
    }
  }

  // The entry leaves the table, and its caller gets the answer or the error.
  finish(entry, error) {
    if (this.entries.get(entry.request) !== entry) return;
    this.entries.delete(entry.request);
    clearTimeout(entry.timer);
    entry.signal?.removeEventListener('abort', entry.onAbort);
    if (entry.role === 'caller') {
      --this.callers;
      this.inFlightBytes -= entry.bytes.length;
    }
    if (entry.batch) {
      // Nearly always the oldest one.
      const place = this.batches.indexOf(entry, this.batchesHead);
      if (place === this.batchesHead)
        this.batches[this.batchesHead++] = undefined;
      else
        this.batches.splice(place, 1);
      if (this.batchesHead === this.batches.length || this.batchesHead > 1024) {
        this.batches.splice(0, this.batchesHead);
        this.batchesHead = 0;
      }
    }
    if (error !== undefined)
      entry.reject(error);
    else
      entry.resolve({messages: entry.messages, first: entry.messages?.[0], resent: entry.resent});
  }

  // Answers come in order, so what has no request belongs to the oldest command that no other can overtake.
  settleOldest(error) {
    this.said = error;
    for (const entry of this.entries.values()) {
      if (entry.wait > 0) continue;
      if (entry.role === 'nobody') {
        this.drop(entry);
      } else if (entry.batch) {
        this.takeOfBatch(entry, entry.first + entry.answered, error);
      } else {
        this.finish(entry, error);
      }
      return;
    }
  }

  push(message, bytes) {
    const {params} = message;
    const isLeased = isLease(message);
    for (const one of this.subscriptions) {
      if (!(isLeased ? one.delivers(params) : one.announces(params))) continue;
      if (message.command === 'UNLISTENED') {
        const {code = 'unknown_table', table} = params;
        one.end(errorOf(code, params.message ?? `table ${table} was dropped: nothing is listened to any more`));
        return;
      }
      if (!isLeased && message.command !== 'LISTEN') break;
      if (one.queue.length < this.options.pushesMax && one.bytes < BYTES_OF_PUSHES_MAX) {
        one.take(message, bytes);
        return;
      }
      ++this.pushesDropped;
      if (isLeased) this.giveBack(message);
      return;
    }
    if (isLeased)
      this.giveBack(message);
    else
      this.options.onPush?.(message);
  }

  // Nobody works on it: without this it would rest until its lease ends. Without an error, as nothing failed.
  giveBack({params: {table, row, message, document, epoch, token}}) {
    // A daemon that leases rows without end, and takes no bytes, gets no answer to them.
    if (this.socket === undefined || this.socket.writableLength > 1024 * 1024 || this.out.length > 4096) return;
    try {
      const params = {table, row, message, document, epoch, token};
      const entry = this.enter({command: 'RELEASE', role: 'none', params, resolve() {}, reject() {}});
      // Its answer is dropped like any of an unknown request.
      this.entries.delete(entry.request);
    } catch {
      // The daemon's own message cannot be repeated: there is nothing to release.
    }
  }
}
