// What the page knows of the daemon, and keeps up to date: figures of all tables by one stream of events, rates as
// differences of them, alerts, rights. Views subscribe, and are told at most once a frame.
import {Away, call, events, isAborted, Refused} from './api.js';
import {declared} from './figures.js';

const EVERY_MS = 1000;
const SILENCE_MS = 10_000;
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 30_000;
const HISTORY = 60;
const ALERT_ROUNDS = 5;
const DECLARED_ROUNDS = 60;

export const live = {
  state: 'connecting',  // connecting, live, away, refused, hidden
  error: null,          // of away and refused
  since: Date.now(),    // of the last answer, by this computer's clock
  nextTry: 0,
  daemon: null,       // its STATS; null for a user who may not see them
  tables: new Map(),  // name -> {name, declared, stats, rates, history}
  alerts: [],
  rights: null,  // {user, rights, grants}; null: not known
};

const subscribers = new Set();
let offset = 0;
let drawing = false;
let current = null;
let again = () => {};
let rounds = 0;
let lastNow = 0;
let asksAlerts = false;
let alertCount = -1;

// The daemon's time.
export const clock = () => Date.now() + offset;

export function subscribe(told) {
  subscribers.add(told);
  return () => subscribers.delete(told);
}

function tell() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    for (const told of [...subscribers]) told();
  });
}

// With another token, or at once instead of after the wait.
export function reconnect() {
  if (current) current.abort(new DOMException('again', 'AbortError'));
  again();
}

export async function start() {
  document.addEventListener('visibilitychange', () => {
    // A browser has few connections for a host, and each window would keep one.
    if (document.hidden)
      current?.abort(new DOMException('hidden', 'AbortError'));
    else
      again();
  });
  window.addEventListener('online', () => again());
  for (let wait = WAIT_MS_MIN;;) {
    if (document.hidden) {
      become('hidden');
      await pause(0);
      wait = WAIT_MS_MIN;
      continue;
    }
    try {
      await follow(() => {
        wait = WAIT_MS_MIN;
      });
    } catch (error) {
      if (isAborted(error)) continue;
      if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
        forget();
        become('refused', error);
        await pause(0);
        continue;
      }
      if (!(error instanceof Away || error instanceof Refused)) console.error(error);
      live.nextTry = Date.now() + wait;
      become('away', error);
    }
    await pause(wait);
    wait = Math.min(wait * 2, WAIT_MS_MAX);
  }
}

// 0: until somebody asks.
function pause(ms) {
  return new Promise((done) => {
    const timer = ms > 0 ? setTimeout(done, ms) : 0;
    again = () => {
      clearTimeout(timer);
      done();
    };
  });
}

function become(state, error = null) {
  live.state = state;
  live.error = error;
  tell();
}

// What another user may have seen.
function forget() {
  live.daemon = null;
  live.tables = new Map();
  live.alerts = [];
  live.rights = null;
}

async function follow(isThere) {
  const controller = new AbortController();
  current = controller;
  lastNow = 0;
  alertCount = -1;
  if (live.state === 'refused') become('connecting');
  let timer = 0;
  const guard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(new Away('nothing came for 10 s')), SILENCE_MS);
  };
  try {
    guard();
    await Promise.all([declare(controller.signal), askRights(controller.signal)]);
    for await (const round of watch(controller.signal)) {
      guard();
      isThere();
      accept(round);
      if (isOutdated(round)) {
        await declare(controller.signal);
        for (const stats of round.tables)
          if (!live.tables.get(stats.table)?.stats) take(stats, 0);
      }
      lookAfterAlerts(round.alerts);
    }
    throw new Away('the connection ended');
  } finally {
    clearTimeout(timer);
    controller.abort();
    if (current === controller) current = null;
  }
}

// Whether there are other tables than were declared. A whole round names all of them; columns are looked at again now and
// then, since a RELOAD may change them.
function isOutdated(round) {
  if (rounds % DECLARED_ROUNDS === 0) return true;
  if (round.tables.some((one) => !live.tables.has(one.table))) return true;
  const named = new Set(round.tables.map((one) => one.table));
  return round.isWhole && [...live.tables.values()].some((one) => one.stats && !named.has(one.name));
}

// Rounds of figures: {daemon, tables, now, isWhole, alerts}.
async function* watch(signal) {
  let daemon = null;
  let tables = [];
  for await (const {name, data} of events('WATCH', {every: EVERY_MS}, signal)) {
    if (name === 'STATS' && data.table === undefined) {
      daemon = data;
    } else if (name === 'STATS') {
      tables.push(data);
    } else if (name === 'FIGURES') {
      yield {daemon, tables, now: data.now, isWhole: data.unchanged === 0, alerts: data.alerts};
      daemon = null;
      tables = [];
    } else if (name === 'ERROR') {
      throw new Away(data.message);
    } else if (name === 'UNWATCHED') {
      throw new Away('the daemon sends no more figures');
    }
  }
}

async function declare(signal) {
  let answers = [];
  try {
    answers = await call('TABLES', {}, signal);
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'not_found')) throw error;
  }
  const before = live.tables;
  live.tables = new Map();
  for (const one of answers) {
    const columns = words(one.columns);
    const types = words(one.types);
    live.tables.set(one.name, {
      stats: null,
      rates: {},
      history: [],
      ...before.get(one.name),
      name: one.name,
      declared: {
        ...one,
        key: words(one.key),
        columns: columns.map((name, at) => ({name, type: types[at] ?? 'string'})),
      },
    });
  }
}

const words = (text) => String(text ?? '').split(' ').filter((word) => word !== '');

async function askRights(signal) { live.rights = (await call('RIGHTS', {}, signal))[0]; }

function accept(round) {
  offset = round.now - Date.now();
  const seconds = lastNow === 0 ? 0 : (round.now - lastNow) / 1000;
  lastNow = round.now;
  rounds += 1;
  if (round.daemon) live.daemon = round.daemon;
  const told = new Set();
  for (const stats of round.tables) {
    told.add(stats.table);
    take(stats, seconds);
  }
  // What a round leaves out has not changed.
  for (const table of live.tables.values())
    if (!told.has(table.name) && table.stats) take(table.stats, seconds);
  live.since = Date.now();
  become('live');
}

function take(stats, seconds) {
  const table = live.tables.get(stats.table);
  if (!table) return;
  for (const {name, counter} of declared.rates) {
    if (!(counter in stats)) continue;
    const more = stats[counter] - (table.stats?.[counter] ?? stats[counter]);
    // After a restart of the daemon the counter begins at 0 again.
    table.rates[name] = seconds > 0 && table.stats ? (more < 0 ? stats[counter] : more) / seconds : NaN;
  }
  for (const {name, sum} of declared.table)
    if (sum) table.rates[name] = sum.reduce((all, one) => all + (table.rates[one] ?? NaN), 0);
  table.stats = stats;
  if (seconds <= 0) return;
  table.history.push(table.rates.done_per_s ?? NaN);
  if (table.history.length > HISTORY) table.history.shift();
}

// What a table has: rows with dates, which are leased; pairs of keys and values; blobs; queues of messages; or documents on
// their way.
const KINDS = {
  keyvalue: 'pairs',
  blob: 'blobs',
  queue: 'queues',
  pipeline: 'documents'
};
export const kindOf = (table) => KINDS[table.declared.type] ?? 'rows';

export const figure = (table, name) => (name.endsWith('_per_s') ? table.rates[name] : table.stats?.[name]);

function lookAfterAlerts(count) {
  if (asksAlerts || (count === alertCount && (count === 0 || rounds % ALERT_ROUNDS !== 0))) return;
  alertCount = count;
  refreshAlerts();
}

export async function refreshAlerts() {
  asksAlerts = true;
  try {
    const answer = await call('ALERTS', {}, current?.signal);
    live.alerts =
        answer.filter((one) => one.command === 'ALERT').sort((a, b) => b.priority - a.priority || b.last - a.last);
    tell();
  } catch {
    alertCount = -1;  // asked again with the next round
  } finally {
    asksAlerts = false;
  }
}

// As words: those on all tables and on the daemon itself; null: not known so far.
export const rightsOnAll = () => live.rights && String(live.rights.rights ?? '').split(' ');

export const alertsOf = (table) => live.alerts.filter((alert) => alert.table === table);
