// The client for Node as a driver (README.md).
import {createInterface} from 'node:readline';

import {connect, FastjournalError} from '../../clients/node/index.js';

const kDates = {
  process_date: 'processDate',
  expiration_date: 'expirationDate',
  insertion_date: 'insertionDate'
};

const escape = (bytes) => Buffer.from(bytes).toString('latin1').replace(
    /[^A-Za-z0-9_.:\/+-]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'));
const unescape = (text) =>
    Buffer.from(text.replace(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))), 'latin1');

function valueText(value) {
  if (typeof value === 'boolean') return `f:${Number(value)}`;
  if (typeof value === 'bigint') return (value > 2n ** 63n - 1n ? 'u:' : 'i:') + value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? `i:${value}` : `r:${value}`;
  return typeof value === 'string' ? 't:' + escape(value) : 'b:' + escape(value);
}

function valueOf(text) {
  const bytes = unescape(text.slice(2));
  if (text[0] === 'b') return bytes;
  const spelled = bytes.toString();
  if (text[0] === 't') return spelled;
  if (text[0] === 'f') return spelled === '1';
  if (text[0] === 'r') return Number(spelled);
  const number = Number(spelled);
  return Number.isSafeInteger(number) ? number : BigInt(spelled);
}

function split(line) {
  const [verb, ...words] = line.split('\t');
  const params = {};
  for (const word of words) {
    const at = word.indexOf('=');
    params[unescape(word.slice(0, at)).toString()] = valueOf(word.slice(at + 1));
  }
  return [verb, params];
}

const say = (verb, params) => process.stdout.write([
  verb,
  ...Object.entries(params).filter(([, v]) => v !== undefined).map(([n, v]) => `${escape(n)}=${valueText(v)}`),
].join('\t') + '\n');

const shown = (row) => ({
  ...row.columns,
  table: row.table,
  row: row.row,
  epoch: row.epoch,
  priority: row.priority,
  timeouts: row.timeouts,
  attempts: row.attempts,
  process_date: row.processDate,
  insertion_date: row.insertionDate,
  lease_end: row.leaseEnd,
});

const shownMessage = (message) => {
  const {table, epoch, queue, body, priority, deliveries, routingKey, deadOf, leaseEnd} = message;
  return {
    table,
    message: message.message,
    epoch,
    queue,
    body,
    priority,
    deliveries,
    redelivered: Number(message.redelivered),
    routing_key: routingKey ?? '',
    dead_of: deadOf ?? '',
    properties: message.propertiesJson,
    lease_end: leaseEnd ?? 0,
  };
};

const snake = (params) => Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase()), value]));

const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();
let connection;
const notices = new Map();  // by table: the iterator, and its next notice that was asked for
const journals = new Map();
const queueTables = new Map();
let followed;  // the messages of a queue, and the next one that was asked for

function journal({table}) {
  if (!journals.has(table)) {
    journals.set(table, connection.journal(table));
    journals.get(table).numberPuts();
  }
  return journals.get(table);
}

function queues({table}) {
  if (!queueTables.has(table)) {
    queueTables.set(table, connection.queues(table));
    queueTables.get(table).numberSends();
  }
  return queueTables.get(table);
}

const verbs = {
  async open({server, token}) {
    journals.clear();
    queueTables.clear();
    connection = await connect({server, token});
  },
  async put({table, ...columns}) {
    const options = {};
    for (const name of ['priority', 'client', 'sequence', ...Object.keys(kDates)]) {
      if (name in columns) options[kDates[name] ?? name] = columns[name];
      delete columns[name];
    }
    const {result, row} = await journal({table}).put(columns, options);
    return {result, row};
  },
  async many({table, rows}) {
    const all = [];
    while (all.length < rows) all.push(split((await lines.next()).value)[1]);
    const onRefused = (row, error, nr) => say('refused', {index: nr, code: error.code});
    const {inserted, merged, behind, duplicate, stale, refused} = await journal({table}).putMany(all, {onRefused});
    return {inserted, merged, behind, duplicate, stale, refused};
  },
  async next({table, ...options}) {
    for (const row of (await journal({table}).next(options)).rows) say('row', shown(row));
  },
  async touch({table, row, epoch, lease}) { return {lease_end: await journal({table}).touch({row, epoch}, {lease})}; },
  async done({table, row, epoch}) { await journal({table}).done({row, epoch}); },
  async done_next({table, row, epoch}) {
    for (const next of (await journal({table}).doneAndNext({row, epoch})).rows) say('row', shown(next));
  },
  async release({table, row, epoch, error, delay}) {
    const processDate = delay === undefined ? undefined : `+${delay}`;
    return {fate: (await journal({table}).release({row, epoch}, {error, processDate})).fate};
  },
  async fail({table, row, epoch, error}) { return {fate: (await journal({table}).fail({row, epoch}, error)).fate}; },
  async why({table, ...what}) {
    for (const reason of await journal({table}).why(what)) say('message', {command: 'REASON', ...snake(reason)});
  },
  async listen({table, ...options}) {
    const old = notices.get(table);
    if (old !== undefined) await old.iterator.return();
    const iterator = journal({table}).listen(options);
    notices.set(table, {iterator, asked: undefined});
    await iterator.listening;
  },
  async unlisten({table}) {
    await notices.get(table).iterator.return();
    notices.delete(table);
  },
  async wait({limit}) {
    const asked = [...notices.values()].map((one) => (one.asked ??= one.iterator.next().then((it) => ({it, one}))));
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limit)));
    const first = await Promise.race([...asked, late]);
    clearTimeout(timer);
    if (first === undefined) throw new FastjournalError('timed_out', 'no notice');
    first.one.asked = undefined;
    const {kind, table, row, ready, missed} = first.it.value;
    return row === undefined ? {kind, table, ready, missed} : {...shown(row), kind, table};
  },
  async send({table, queue, exchange, routing_key: routingKey, body, process_date: processDate, ...more}) {
    const options = {...more, ...(processDate === undefined ? {} : {processDate})};
    const post = queues({table});
    const {result, message, queues: count} = exchange === undefined ?
        await post.send(queue, body, options) :
        await post.publish(exchange, routingKey ?? '', body, options);
    return {result, message: message ?? 0, queues: count};
  },
  async acquire({table, accept, ...options}) {
    const {messages} = await queues({table}).acquire({...options, accept: accept === 1});
    for (const message of messages) say('row', shownMessage(message));
  },
  async accept({table, ...held}) { await queues({table}).accept(held); },
  async renew({table, lease, ...held}) { return {lease_end: await queues({table}).touch(held, {lease})}; },
  async give_back({table, error, ...held}) { return {fate: (await queues({table}).release(held, {error})).fate}; },
  async reject({table, error, ...held}) { return {fate: (await queues({table}).reject(held, error)).fate}; },
  async follow({table, queue, credit}) {
    followed = {iterator: queues({table}).listen({queue, credit}), asked: undefined};
    await followed.iterator.listening;
  },
  async wait_message({limit}) {
    followed.asked ??= followed.iterator.next();
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limit)));
    const first = await Promise.race([followed.asked, late]);
    clearTimeout(timer);
    if (first === undefined) throw new FastjournalError('timed_out', 'no notice');
    followed.asked = undefined;
    return {kind: first.value.kind, ...shownMessage(first.value.message)};
  },
  async call({command, ...params}) {
    for (const message of (await connection.call(command, params)).messages)
      say('message', {...message.params, command: message.command});
  },
};

for (let line = await lines.next(); !line.done; line = await lines.next()) {
  const [verb, params] = split(line.value);
  try {
    say('ok', (await verbs[verb](params)) ?? {});
  } catch (why) {
    if (!(why instanceof FastjournalError)) throw why;
    const facts = Object.fromEntries(Object.entries(why.facts).map(([name, value]) => [`fact.${name}`, value]));
    say('error', {code: why.code, text: why.message, ...facts});
  }
}
process.exit(0);
