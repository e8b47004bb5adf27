// What figures mean: their names are those of STATS. What people are shown first is declared in figures.json, for `top`
// as well; the meanings of all others are told by METRICS.
import {call, file, Refused} from './api.js';
import {bytes, date, micros, number, shortly, span} from './format.js';

// {rates: [{name, counter, help}], table: [{name, help, sum}], pairs: [{name, help}], blobs: ..., queues: ...,
// documents: ...}
export const declared = await file('figures.json');

// By kind of table: the same name may mean other things.
const shownHelps = new Map(['rows', 'pairs', 'blobs', 'queues', 'documents'].map(
    (kind) => [kind, new Map([
                 ...declared.rates, ...declared[kind === 'rows' ? 'table' : kind]
               ].map((one) => [one.name, one.help]))]));
const PARTS = {
  p50: 'half of them are below',
  p99: '99 of 100 are below',
  p99_minute: '99 of 100 of the last minute are below',
  max: 'the largest'
};

const helps = new Map();
const asked = new Set();

// lateness_ms -> lateness_seconds, next_date -> next_date_timestamp_seconds: as the daemon writes names of METRICS.
function metricName(name) {
  const parts = name.split('_').map((part, at, all) => {
    if (part === 'ms' || part === 'us') return 'seconds';
    return part === 'date' && at === all.length - 1 ? 'date_timestamp_seconds' : part;
  });
  return parts.join('_');
}

function withoutPart(name) {
  const found = /^(.+?)_(p50|p99|max|p99_minute)$/.exec(name);
  return found ? [found[1], found[2]] : [name, ''];
}

// In words, for titles; the name alone until they are known, and of figures that the daemon does not explain. kind: of the
// table (kindOf); '': of the daemon.
export function help(name, kind = 'rows') {
  const shown = shownHelps.get(kind)?.get(name);
  if (shown) return `${name}: ${shown}`;
  const prefix = kind !== '' ? 'fastjournal_table_' : 'fastjournal_';
  const find = (one) => helps.get(prefix + metricName(one)) ?? helps.get(`${prefix}${metricName(one)}_total`);
  const whole = find(name);
  if (whole) return `${name}: ${whole}`;
  const [base, part] = withoutPart(name);
  const text = part === '' ? undefined : find(base);
  return text ? `${name}: ${text}; ${PARTS[part]}` : name;
}

// The figures of one table, or (empty) of everything, in the text format of monitoring systems.
export async function metrics(table, signal) {
  const answer = await call('METRICS', table === '' ? {} : {table}, signal);
  const text = answer.map((one) => one.text ?? '').join('');
  for (const line of text.split('\n')) {
    const found = /^# HELP (\S+) (.*)$/.exec(line);
    if (found) helps.set(found[1], found[2].replace(/\\n/g, ' ').replace(/\\\\/g, '\\'));
  }
  return text;
}

// Once for a table, since a table's kind decides which figures it has. True: there are new texts.
export async function learn(table, signal) {
  if (asked.has(table)) return false;
  asked.add(table);
  try {
    await metrics(table, signal);
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) asked.delete(table);
    return false;
  }
}

// [{label, count}] of a histogram, from the text of METRICS of one table; the buckets of the text add up.
export function buckets(text, name) {
  const family = `fastjournal_table_${metricName(name)}_bucket{`;
  const out = [];
  let before = 0;
  let beyond = 0;
  for (const line of text.split('\n')) {
    if (!line.startsWith(family)) continue;
    const found = /le="([^"]+)"\} (\d+)/.exec(line);
    if (!found) continue;
    const count = Number(found[2]);
    const bound = Number(found[1].replace('+Inf', 'Infinity')) * (/_(ms|us)\b/.test(name) ? 1000 : 1);
    out.push({label: bound === Infinity ? `over ${span(beyond)}` : span(bound), count: count - before});
    before = count;
    if (bound !== Infinity) beyond = bound;
  }
  return out;
}

// As text, by what the name says of its unit.
export function show(name, value) {
  if (value === undefined || value === null || (typeof value === 'number' && Number.isNaN(value))) return '–';
  if (typeof value !== 'number') return String(value);
  if (name === 'now' || /(^|_)date$/.test(name)) return value > 0 ? date(value) : '–';
  if (name.endsWith('_per_s')) return shortly(value);
  if (/_us(_|$)/.test(name)) return micros(value);
  if (/_ms(_|$)/.test(name)) return span(value);
  if (/(^|_)bytes(_|$)/.test(name) || /^client_memory/.test(name) || name === 'log_disk_bound') return bytes(value);
  return number(value);
}
