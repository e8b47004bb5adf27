// The connections of one client, kept up: sends commands, matches answers, and after a loss connects again and sends what
// may be sent twice. What commands mean is not known here, except for their rules.
//
// There is one line to home, the first daemon of the option `server` that answers, and one to each node to which tables
// have moved. A command is on a line, or waits to be sent: sendWaiting() sends what may go, in the order of the commands
// of each table.
import {errorOf} from './error_of.js';
import {BadParameterError, ClosedError, NotAllowedError, NotSupportedError, OverLimitError, TooLargeError, UnavailableError,} from './errors.js';
import {Line, timerAfter} from './line.js';
import {declaredRules} from './made/rules.js';
import {Writer} from './msgpack.js';
import {drawnName} from './names.js';
import {appendFrame, frameLength, numberOf, refusalOf} from './protocol.js';
import {addressesOf, movedOf, retryOf, Route} from './routes.js';
import {parseAddress} from './socket.js';

const BYTES_OF_PUSHES_MAX = 64 * 1024 * 1024;
const WAIT_MS_MAX = 86_400_000;       // above any table's limit for waiting
const PAUSES_MS = [20, 40, 80, 100];  // before what was sent away in vain goes again
const RETRIES_HERE = 4;               // so often in a row a node is asked that says `retry`; then another one
const DOUBTED_MS = 5_000;             // a node that was given up is doubted for so long
const DOUBTED_CONNECT_MS = 200;       // then it may take no longer to connect
const WITHOUT_NAME_MS = 60_000;       // a table that has no room for one more name gets commands without for so long

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
  silenceLimit: 2_000,
  backOff: [1_000, 1_000, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000],
  onConnection: undefined,
  onPush: undefined,
  inFlightMax: 4_096,
  inFlightBytesMax: 64 * 1024 * 1024,
  pushesMax: 65_536,
  messageBytesMax: 66 * 1024 * 1024,
  commands: {},
};

function checkedOptions(given) {
  for (const name in given)
    if (!Object.hasOwn(defaults, name))
      throw new BadParameterError(`connect() has no option '${name}'`, {parameter: name});
  const options = {...defaults};
  for (const name in given)
    if (given[name] !== undefined) options[name] = given[name];
  for (const address of addressesOf(options.server)) parseAddress(address);
  for (const name
           of ['timeLimit', 'connectLimit', 'silenceLimit', 'inFlightMax', 'inFlightBytesMax', 'pushesMax',
               'messageBytesMax'])
    if (!(options[name] > 0)) throw new BadParameterError(`option ${name} is a number above 0`, {parameter: name});
  if (!Array.isArray(options.backOff) || !options.backOff.every((pause) => pause >= 0))
    throw new BadParameterError('option backOff is an array of milliseconds', {parameter: 'backOff'});
  return options;
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
    this.line = undefined;  // where it is in force, or was sent
    this.waits = false;     // to be sent again
    this.due = 0;
    this.pauses = 0;
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
    this.rules = {...declaredRules, ...this.options.commands};
    // What is in flight, oldest first: by the number of its (first) request.
    this.entries = new Map();
    this.batches = [];  // those of the entries that are batches, from `batchesHead` on
    this.batchesHead = 0;
    this.callers = 0;  // entries that somebody waits for
    this.nobodys = 0;  // entries that are still in flight, but nobody waits for
    this.inFlightBytes = 0;
    this.lastRequest = 0;
    this.client = drawnName();
    this.sequence = 0;             // the last of what it numbers, of whatever table
    this.withoutName = new Map();  // tables that have no room for it, and until when
    this.subscriptions = new Set();
    this.connects = 0;
    this.homes = 0;  // connections made to home
    this.pushesDropped = 0;
    this.attempts = 0;         // to reach home, since its last message
    this.refusal = undefined;  // by one of the servers, since the last pause
    this.state = 'down';  // of home: 'connecting', 'open', 'waiting' (for the next attempt), 'refused'; or 'closed'
    this.servers = addressesOf(this.options.server);
    this.home = new Line(this, this.servers[0]);
    this.nodes = new Map();    // by their addresses
    this.dialing = new Map();  // the same, while they are connected to
    this.routes = new Map();   // by table
    this.doubted = new Map();  // addresses that said nothing, and until when
    this.lookAt = Infinity;    // when something that waits is due
    this.lookTimer = undefined;
    this.silenceTimer = undefined;
    this.writer = new Writer(4096);
    this.retryTimer = undefined;
    this.lastError = undefined;
    this.onReconnected = new Set();
  }

  /** Of one more put or send: it counts once, and is sent again after a loss. */
  nextNumber() { return {client: this.client, sequence: ++this.sequence}; }

  /** As call(), with such a number. Where the table has no room for one more name it is sent without, and so are those of
   * the next minute. */
  async callNumbered(command, params, limits) {
    const {table} = params;
    if (performance.now() < (this.withoutName.get(table) ?? 0)) return this.call(command, params, limits);
    const number = this.nextNumber();
    try {
      return await this.call(command, {...params, ...number}, limits);
    } catch (error) {
      const isOfName = error.facts?.parameter === 'client';
      // It is another peer's, as ours is another address now: the next one has another name.
      if (isOfName && error.code === 'not_allowed' && this.client === number.client) {
        this.client = drawnName();
        this.sequence = 0;
      }
      if (!isOfName || error.code !== 'over_limit') throw error;
    }
    this.withoutName.set(table, performance.now() + WITHOUT_NAME_MS);
    return this.call(command, params, limits);
  }

  // ---- connections ----

  get lines() { return [this.home, ...this.nodes.values()]; }

  /** Alone: what follows must have the rights of the user. */
  logIn(line, resolve, reject) {
    this.enter({command: 'AUTH', role: 'login', params: {token: String(this.options.token)}, line, resolve, reject});
  }

  /** One attempt for each server. */
  async open() {
    const {servers, home} = this;
    const reasons = [];
    this.state = 'connecting';
    for (const server of servers) {
      home.address = server;
      try {
        await home.attempt();
        this.goOn();
        return;
      } catch (error) {
        reasons.push(error);
      }
    }
    if (reasons.length === 1) throw reasons[0];
    const code = reasons.some((error) => error.code === 'not_allowed') ? 'not_allowed' : 'unavailable';
    const text = reasons.map((error) => error.message).join('; ');
    throw errorOf(code, text, Object.assign({}, ...reasons.map((error) => error.facts)));
  }

  // There is a connection to home.
  goOn() {
    this.state = 'open';
    this.refusal = undefined;
    ++this.connects;
    ++this.homes;
    this.watchSilence();
    this.sendWaiting();
    if (this.homes === 1) return;
    this.tell(undefined);
    this.adoptSoon();
  }

  // What was leased elsewhere, or before.
  adoptSoon() {
    queueMicrotask(() => {
      if (this.state !== 'closed')
        for (const call of this.onReconnected) call();
    });
  }

  tell(error) {
    // What the program's own function throws must not end the connection.
    if (this.options.onConnection !== undefined) queueMicrotask(() => this.options.onConnection(error));
  }

  // What nobody waits for.
  forgetOf(line) {
    for (const [request, entry] of this.entries) {
      if (entry.role === 'caller' || entry.line !== line) continue;
      if (entry.role === 'nobody') --this.nobodys;
      this.entries.delete(request);
    }
  }

  lose(line, why) {
    const isHome = line === this.home;
    line.drop();
    const refused = why.refused === true;
    const text = `the connection to ${line.address} was lost: ${why.text}`;
    const error = refused ? new NotAllowedError(text, why.facts) : new ClosedError(text, why.facts);
    this.tell(error);
    const noRetry = this.options.backOff.length === 0;
    const forGood = noRetry || (refused && this.servers.length === 1);
    if (isHome) {
      this.lastError = error;
    } else {
      ++this.connects;
      this.nodes.delete(line.address);
    }
    for (const route of this.routes.values()) {
      if (route.line !== line) continue;
      route.goHome(this.home);
      if (!isHome) route.token = 0;
    }
    for (const subscription of this.subscriptions)
      if (subscription.line === line) this.wait(subscription, 0);
    for (const entry of [...this.entries.values()]) {
      const isStranded = isHome && forGood && entry.line === undefined;
      if (entry.line !== line && !isStranded) {
        if (entry.drain?.line === line) entry.drain = undefined;
      } else if (isHome && forGood) {
        this.finish(entry, error);
      } else if (!entry.mayResend || noRetry) {
        this.finish(entry, new ClosedError(`${text}; whether ${entry.command} was carried out is not known`));
      } else {
        entry.resent = true;
        this.hold(entry, undefined, 0);
      }
    }
    if (isHome && forGood) {
      this.state = 'refused';
      for (const subscription of [...this.subscriptions])
        if (subscription.waits) subscription.end(error);
      // Nothing is connected again.
      if (noRetry)
        for (const node of [...this.nodes.values()]) this.lose(node, why);
    } else if (isHome) {
      if (refused) this.refusal = error;
      this.planRetry();
    } else if (!noRetry) {
      // Its tables are looked for through home.
      if (this.home.isOpen) this.tell(undefined);
      this.adoptSoon();
    } else if (this.home.isOpen) {
      this.lose(this.home, why);
    }
    this.lookAgain();
  }

  // Goes on to the next server. A pause is made once each was tried; with one, before each attempt.
  planRetry() {
    const {servers, home} = this;
    const {backOff} = this.options;
    ++this.attempts;
    if (servers.length > 1) home.address = servers[(servers.indexOf(home.address) + 1) % servers.length];
    const isRoundOver = this.attempts % servers.length === 0;
    const rounds = Math.max(1, Math.floor(this.attempts / servers.length));
    const pause = isRoundOver ? backOff[Math.min(rounds, backOff.length) - 1] * (0.75 + Math.random() / 2) : 0;
    this.state = 'waiting';
    this.retryTimer = setTimeout(() => this.retry(), pause);
  }

  retry() {
    this.state = 'connecting';
    this.home.attempt().then(
        () => this.goOn(),
        (error) => {
          if (this.state === 'closed') return;
          this.lastError = error;
          if (error.code === 'not_allowed') this.refusal = error;
          const isRoundOver = (this.attempts + 1) % this.servers.length === 0;
          if (this.options.backOff.length > 0 && !(isRoundOver && this.refusal !== undefined)) {
            this.planRetry();
            // Nodes may tell where a table is that home shares with them.
            this.lookAgain();
            return;
          }
          // The next attempt would end in the same way.
          const refusal = this.refusal ?? error;
          this.refusal = undefined;
          this.attempts = 0;
          this.lastError = refusal;
          this.state = 'refused';
          for (const entry of [...this.entries.values()])
            if (entry.line === undefined || entry.line === this.home) this.finish(entry, refusal);
          for (const subscription of [...this.subscriptions])
            if (subscription.waits) subscription.end(refusal);
          this.tell(refusal);
        },
    );
  }

  // To a node that a table needs.
  dial(address) {
    if (this.dialing.has(address) || this.state === 'closed') return;
    const line = new Line(this, address);
    this.dialing.set(address, line);
    const begun = performance.now();
    line.attempt().then(
        () => {
          this.dialing.delete(address);
          this.nodes.set(address, line);
          this.watchSilence();
          this.sendWaiting();
          this.tell(undefined);
        },
        (error) => {
          this.dialing.delete(address);
          if (this.state !== 'closed') this.unreachable(address, error, performance.now() - begun);
        },
    );
  }

  // Its tables are home's until it says something else.
  unreachable(address, error, took) {
    const forgotten = new Set();
    for (const [table, route] of this.routes) {
      if (route.address !== address) continue;
      route.goHome(this.home);
      route.token = 0;
      forgotten.add(table);
    }
    for (const entry of [...this.entries.values()]) {
      if (entry.role !== 'caller' || entry.line !== undefined || !forgotten.has(entry.table)) continue;
      if (error.code === 'not_allowed')
        this.finish(entry, error);
      else
        this.hold(entry, error, this.afterPause(entry, took));
    }
    for (const one of this.subscriptions)
      if (one.waits && forgotten.has(one.params.table)) this.wait(one, this.afterPause(one, took));
    this.lookAgain();
  }

  get givesUpSilent() {
    return (this.servers.length > 1 || this.routes.size > 0) && this.options.silenceLimit !== Infinity;
  }

  /** Where there are other nodes, one that is gone keeps nobody from them for long: others may name it for a while. */
  limitOfConnect(address) {
    const {connectLimit, silenceLimit} = this.options;
    if (!this.givesUpSilent) return connectLimit;
    const limit = Math.min(connectLimit, silenceLimit);
    return performance.now() < (this.doubted.get(address) ?? 0) ? Math.min(limit, DOUBTED_CONNECT_MS) : limit;
  }

  /** It was given up as silent, or did not connect within its limit: until it connects, or the time is over. Never longer. */
  doubtNode(address) {
    const now = performance.now();
    for (const [one, until] of this.doubted)
      if (now >= until) this.doubted.delete(one);
    if (!this.doubted.has(address)) this.doubted.set(address, now + DOUBTED_MS);
  }

  // Of several nodes, one that owes an answer may have no power, or be stopped: nobody tells.
  watchSilence() {
    if (this.silenceTimer !== undefined || !this.givesUpSilent) return;
    // Where this program had no time for the event loop, what has arrived meanwhile still counts.
    const look = () => setImmediate(() => this.giveUpSilent());
    this.silenceTimer = setInterval(look, Math.min(this.options.silenceLimit / 4, 60_000));
    this.silenceTimer.unref();
  }

  giveUpSilent() {
    const {silenceLimit} = this.options;
    const now = performance.now();
    for (const line of this.lines) {
      if (!line.isOpen || now < line.heardAt + silenceLimit) continue;
      let isAsked = false;
      let owes = false;
      for (const entry of this.entries.values()) {
        if (entry.line !== line) continue;
        isAsked = true;
        // It was to be answered after its `wait`.
        owes = owes || now >= entry.sentAt + (entry.wait || 0) + silenceLimit;
      }
      if (owes) {
        this.doubtNode(line.address);
        this.lose(line, {text: `it has said nothing for ${silenceLimit} ms`, facts: {}});
      } else if (!isAsked && [...this.subscriptions].some((one) => one.line === line)) {
        this.enter({command: 'ALIVE', role: 'none', params: {}, line, resolve() {}, reject() {}});
      }
    }
  }

  /** Ends the connections for good; what is in flight fails with `closed`. */
  async close() {
    if (this.state === 'closed') return;
    this.home.flush();
    for (const node of this.nodes.values()) node.flush();
    this.state = 'closed';
    clearTimeout(this.retryTimer);
    clearTimeout(this.lookTimer);
    clearInterval(this.silenceTimer);
    const error = new ClosedError('the connection was closed by this program');
    for (const entry of [...this.entries.values()]) this.finish(entry, error);
    for (const subscription of [...this.subscriptions]) subscription.end(undefined);
    await Promise.all([...this.lines, ...this.dialing.values()].map((line) => line.close()));
  }

  // ---- where commands go ----

  /** The line of a table's commands; undefined: they must wait behind others, or for a line. */
  lineOf(table) {
    const route = this.routes.get(table);
    if (route === undefined) return this.home;
    const wantsAnother = route.isShared && route.line === this.home && !this.home.isOpen && this.nodes.size > 0;
    return route.unsettled || wantsAnother ? undefined : route.line;
  }

  routeOf(table) {
    let route = this.routes.get(table);
    if (route === undefined) {
      route = new Route(this.home);
      this.routes.set(table, route);
    }
    return route;
  }

  // The line to where the table is. Undefined: it is being made.
  reach(route) {
    if (route === undefined) return this.home;
    if (route.line === this.home && route.isShared && !this.home.isOpen && this.nodes.size > 0)
      return this.nodes.values().next().value;
    if (route.line === undefined && this.home.isOpen && this.home.address === route.address) route.line = this.home;
    route.line ??= this.nodes.get(route.address);
    if (route.line === undefined) this.dial(route.address);
    return route.line;
  }

  // It did not answer in time, and may hang for long: home knows whether another decides by now.
  doubt(table, line) {
    const route = this.routes.get(table);
    if (route === undefined || route.line !== line || line === this.home) return;
    route.goHome(this.home);
    route.unsettled = true;
    this.lookAgain();
  }

  // A node that knows nobody may be cut off from the others.
  askElsewhere(line, table) {
    const {servers} = this;
    if (servers.length === 1 || table === undefined) return;
    const route = this.routeOf(table);
    route.address = servers[(servers.indexOf(line.address) + 1) % servers.length];
    route.line = undefined;
    route.isShared = true;
    route.unsettled = true;
  }

  // At least as long as an attempt took.
  afterPause(one, took = 0) {
    const pause = PAUSES_MS[Math.min(one.pauses ?? 0, PAUSES_MS.length - 1)];
    one.pauses = (one.pauses ?? 0) + 1;
    return performance.now() + Math.max(pause, took);
  }

  // Learns from a `moved`, or an `unavailable`, when to send again.
  dueAfter(line, table, told, one) {
    const retry = retryOf(told);
    if (retry !== undefined) {
      one.pauses = (one.pauses ?? 0) + 1;
      if (one.pauses % RETRIES_HERE === 0) this.askElsewhere(line, table);
      return performance.now() + retry;
    }
    if (told.params.code !== 'moved' || table === undefined) return this.afterPause(one);
    const route = this.routeOf(table);
    const before = route.address;
    const isNew = route.follow(movedOf(told, line.address), line, this.home);
    if (route.address !== before) {
      ++this.connects;
      this.adoptSoon();
    }
    return isNew ? 0 : this.afterPause(one);
  }

  // True: nothing was done, so it will be sent again. If it is of no table, its sender decides on `moved`.
  holdRefused(line, entry, refusal, message) {
    const isMoved = refusal.code === 'moved' && entry.table !== undefined;
    if (!(isMoved || retryOf(message) !== undefined) || entry.messages.length > 0 || entry.error !== undefined)
      return false;
    this.hold(entry, refusal, this.dueAfter(line, entry.table, message, entry));
    if (entry.table !== undefined) this.routeOf(entry.table).unsettled = true;
    return true;
  }

  // It waits to be sent, or sent again.
  hold(entry, refusal, due) {
    entry.line = undefined;
    entry.refusal = refusal;
    entry.due = due;
    entry.messages = [];
    entry.messagesBytes = 0;
    entry.error = undefined;
    const route = this.routes.get(entry.table);
    if (route !== undefined) route.unsettled = true;
    this.lookLater(due);
  }

  wait(subscription, due) {
    subscription.line = undefined;
    subscription.waits = true;
    subscription.due = due;
    this.lookLater(due);
  }

  lookAgain() { this.lookLater(0); }

  lookLater(due) {
    if (due >= this.lookAt || this.state === 'closed') return;
    this.lookAt = due;
    clearTimeout(this.lookTimer);
    this.lookTimer = setTimeout(() => this.sendWaiting(), Math.max(0, due - performance.now()));
  }

  // Sends what waits and may go now.
  sendWaiting() {
    clearTimeout(this.lookTimer);
    this.lookAt = Infinity;
    const now = performance.now();
    // Subscriptions first, so that no wake-up is missed.
    for (const subscription of this.subscriptions)
      if (subscription.waits) this.subscribe(subscription, now);
    for (const route of this.routes.values()) route.unsettled = route.blocked = false;
    for (const entry of this.entries.values()) {
      if (entry.role !== 'caller') continue;
      const route = this.routes.get(entry.table);
      if (entry.line === undefined) {
        this.sendHeld(entry, route, now);
      } else if (route !== undefined && entry.line !== route.line && !(entry.wait > 0)) {
        // Not through yet where the table was.
        route.unsettled = route.blocked = true;
      }
    }
  }

  sendHeld(entry, route, now) {
    if (!route?.blocked && entry.drain === undefined) {
      if (entry.due > now) {
        this.lookLater(entry.due);
      } else {
        const line = this.reach(route);
        if (line?.isOpen) {
          entry.refusal = undefined;
          this.sendOn(line, entry, entry.batch ? this.unanswered(entry) : entry.bytes);
          return;
        }
      }
    }
    if (route === undefined) return;
    route.unsettled = true;
    // What the daemon may answer out of turn keeps nobody back.
    route.blocked ||= !(entry.wait > 0);
  }

  sendOn(line, entry, bytes) {
    entry.line = line;
    entry.sentAt = performance.now();
    line.add(bytes);
  }

  subscribe(subscription, now) {
    if (subscription.due > now) return this.lookLater(subscription.due);
    const line = this.reach(this.routes.get(subscription.params.table));
    if (!line?.isOpen) return undefined;
    subscription.line = line;
    subscription.waits = false;
    this.enter({
      command: 'LISTEN',
      role: 'subscription',
      params: subscription.params,
      line,
      subscription,
      resolve() { subscription.pauses = 0; },
      reject: (error) => subscription.end(error),
    });
    return undefined;
  }

  // ---- sending ----

  /**
   * Sends a command; the promise is its answer, `{messages, first, resent}`.
   * `limits`: timeLimit in ms, and an AbortSignal.
   */
  call(command, params = {}, {timeLimit = this.options.timeLimit, signal, subscription} = {}) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      this.checkUsable();
      if (this.callers >= this.options.inFlightMax)
        throw new OverLimitError(`${this.callers} commands are in flight: await some of them first`);
      // After a loss the commands behind it would be sent again, alone.
      if (command === 'BEGIN' || command === 'XA_START')
        throw new NotSupportedError(`${command}: a connection is for many; use transaction()`);
      const entry = this.enter({command, role: 'caller', params, resolve, reject, subscription});
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
    this.retry();
  }

  // Numbers and encodes a command, and sends it if there is a connection. Only a caller's waits if there is none.
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
      if (typeof params.table === 'string') entry.table = params.table;
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
    batch.messages = [];
    batch.resent = false;
    this.batches.push(batch);
    this.put(batch, batch.first, batch.bytes);
    this.limit(batch, timeLimit);
  }

  put(entry, request, bytes) {
    entry.request = request;
    entry.due = 0;
    this.entries.set(request, entry);
    if (entry.role === 'caller') {
      ++this.callers;
      this.inFlightBytes += bytes.length;
    }
    const line = entry.line ?? (this.routes.size === 0 ? this.home : this.lineOf(entry.table));
    entry.line = undefined;
    if (line !== undefined && (line.isOpen || entry.role === 'login'))
      this.sendOn(line, entry, bytes);
    else
      this.lookAgain();
  }

  limit(entry, milliseconds) {
    entry.timer = timerAfter(milliseconds, () => {
      const {line} = entry;
      const error = this.overdue(entry, milliseconds);
      this.abandon(entry, error);
      if (line !== undefined) this.doubt(entry.table, line);
    });
  }

  overdue({command, line, refusal, table}, milliseconds) {
    if (line !== undefined)
      return errorOf('timed_out', `no answer to ${command} from ${line.address} within ${milliseconds} ms`);
    if (refusal !== undefined) return refusal;
    if (this.home.isOpen)
      return new UnavailableError(`it waited for earlier commands of table ${table} until the time limit`);
    const why = this.lastError?.message ?? `no connection to ${this.options.server}`;
    return new UnavailableError(`${why} (tried again until the time limit)`);
  }

  // Its caller waits no more. A later answer is dropped, and rows that it leases are given back.
  abandon(entry, error) {
    const {request, line} = entry;
    const mayBeAnswered = line !== undefined && !entry.batch;
    this.finish(entry, error);
    this.lookAgain();
    if (!mayBeAnswered) return;
    if (++this.nobodys > this.options.inFlightMax) {
      this.lose(line, {text: `${this.nobodys} commands got no answer in time`, facts: {}});
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

  // ---- receiving ----

  takeMessage(message, bytes, line) {
    if (line === this.home) this.attempts = 0;
    const {params} = message;
    if (params.request === undefined) {
      const refusal = refusalOf(message);
      // The daemon cannot return the request of what it could not read.
      if (refusal === undefined)
        this.push(message, bytes, line);
      else
        this.settleOldest(refusal, line);
      return;
    }
    const request = typeof params.request === 'number' ? params.request : numberOf(params.request);
    const isOf = (batch) => batch !== undefined && request >= batch.first && request < batch.first + batch.count;
    const batch = isOf(this.batches[this.batchesHead]) || this.routes.size === 0 ? this.batches[this.batchesHead] :
                                                                                   this.batches.find(isOf);
    if (isOf(batch)) {
      this.takeOfBatch(batch, request, message, line);
      return;
    }
    const entry = this.entries.get(request);
    if (entry !== undefined && !entry.batch && entry.line === line) this.takeOfEntry(entry, message, bytes, line);
  }

  takeOfBatch(batch, request, message, line) {
    const index = request - batch.first;
    if (batch.line !== line) {
      // Refused like those before it. Once all of these are here, none can be taken for an answer to the next attempt.
      if (batch.drain?.line === line && --batch.drain.left === 0) {
        batch.drain = undefined;
        this.lookAgain();
      }
      return;
    }
    if (index < batch.answered) return;
    if (index > batch.answered) {
      // Answers have the order of commands: what was left out will not come, but may be sent again.
      const missing = batch.first + batch.answered;
      this.lose(line, {text: `the daemon answered request ${request} before ${missing}`, facts: {}});
      return;
    }
    const refusal = message.params === undefined ? undefined : refusalOf(message);
    if (refusal !== undefined && this.holdRefused(line, batch, refusal, message)) {
      const left = batch.count - batch.answered - 1;
      batch.drain = left > 0 ? {line, left} : undefined;
      return;
    }
    ++batch.answered;
    batch.onAnswer(index, message);
    if (batch.answered === batch.count) this.finish(batch);
  }

  takeOfEntry(entry, message, bytes, line) {
    const last = !(numberOf(message.params.left ?? 0) > 0);
    if (entry.role === 'nobody') {
      if (isLeasedBy(entry.rule, message)) this.giveBack(message, line);
      if (last) this.drop(entry);
      return;
    }
    const refusal = refusalOf(message);
    if (refusal !== undefined && this.keepsSubscription(line, entry, message)) return;
    if (refusal !== undefined && entry.role === 'caller' && this.holdRefused(line, entry, refusal, message)) return;
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
      const limit = this.options.messageBytesMax;
      this.abandon(entry, new TooLargeError(`the answer to ${entry.command} is above ${limit} bytes`));
    }
  }

  // True: a LISTEN that was sent again goes on to the next node, or waits.
  keepsSubscription(line, {role, request, subscription}, message) {
    if (role !== 'subscription' || !(message.params.code === 'moved' || retryOf(message) !== undefined)) return false;
    this.entries.delete(request);
    this.wait(subscription, this.dueAfter(line, subscription.params.table, message, subscription));
    return true;
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
    const route = this.routes.size === 0 ? undefined : this.routes.get(entry.table);
    // Others may have waited for it, as it was on its way to where the table was.
    if (route?.unsettled) this.lookAgain();
    if (error === undefined && entry.role === 'caller' && entry.subscription !== undefined)
      entry.subscription.line = entry.line;
    if (error !== undefined) {
      // What had arrived already.
      for (const one of entry.messages)
        if (isLeasedBy(entry.rule, one)) this.giveBack(one, entry.line);
      entry.reject(error);
    } else
      entry.resolve({messages: entry.messages, first: entry.messages?.[0], resent: entry.resent});
  }

  // Answers come in order, so what has no request belongs to the oldest command that no other can overtake.
  settleOldest(error, line) {
    line.said = error;
    for (const entry of this.entries.values()) {
      if (entry.wait > 0 || entry.line !== line) continue;
      if (entry.role === 'nobody') {
        this.drop(entry);
      } else if (entry.batch) {
        this.takeOfBatch(entry, entry.first + entry.answered, error, line);
      } else {
        this.finish(entry, error);
      }
      return;
    }
  }

  push(message, bytes, line) {
    const {params} = message;
    const isLeased = isLease(message);
    if (message.command === 'UNLISTENED' && this.followPush(message, line)) return;
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
      if (isLeased) this.giveBack(message, line);
      return;
    }
    if (isLeased)
      this.giveBack(message, line);
    else
      this.options.onPush?.(message);
  }

  // True: what listened there is told by another node, or nobody decides for the table now: it is in force again soon.
  followPush(message, line) {
    const {params} = message;
    if (params.code !== 'moved' && params.code !== 'unavailable') return false;
    const ended = [...this.subscriptions].filter((one) => one.matches(params));
    if (ended.length === 0) return false;
    const due = this.dueAfter(line, params.table, message, {});
    for (const one of ended)
      // Of several pushes about it, the first one counts.
      if (one.line === line) this.wait(one, due);
    return true;
  }

  // Nobody works on it: without this it would rest until its lease ends. Without an error, as nothing failed.
  giveBack({params: {table, row, message, document, epoch, token}}, line = this.lineOf(table)) {
    // A daemon that leases rows without end, and takes no bytes, gets no answer to them.
    if (!line?.isOpen || line.socket.writableLength > 1024 * 1024 || line.out.length > 4096) return;
    try {
      const params = {table, row, message, document, epoch, token};
      const entry = this.enter({command: 'RELEASE', role: 'none', params, line, resolve() {}, reject() {}});
      // Its answer is dropped like any of an unknown request.
      this.entries.delete(entry.request);
    } catch {
      // The daemon's own message cannot be repeated: there is nothing to release.
    }
  }
}
