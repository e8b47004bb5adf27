// Answers as objects of the program, whatever the type of their table. Names are those of the protocol in camel case; dates
// are milliseconds since 1970.
import {numberOf} from './protocol.js';
import {camelCase, unexpected} from './rows.js';

const ofPages = new Set(['request', 'left', 'after', 'after_binary']);
const none = new Set();
// Where a list is empty.
const nothing = ['NOTHING', 'ALERTS', 'BRANCHES'];

/** Parameters as members, by their kinds; all others are as they came. NAME and NAME_binary are one member. */
export function assign(out, params, {numbers, flags}, notShown = none) {
  for (const name in params) {
    if (ofPages.has(name) || notShown.has(name)) continue;
    const value = params[name];
    if (numbers.has(name))
      out[camelCase(name)] = numberOf(value);
    else
      out[camelCase(name.replace(/_binary$/, ''))] = flags.has(name) ? numberOf(value) !== 0 : value;
  }
  return out;
}

/** A pair, or what became of one: its value is null if it is of type void, undefined if it was left out. */
export function valued(record) {
  if (record.type === 'void') record.value = null;
  return record;
}

/** An answer, `{name, shown, results}`, as an object: what `shown` makes of its parameters. */
export function recordOf({name, shown, results}, {command, params}) {
  if (command !== name) throw unexpected({command}, name);
  if (results !== undefined && !results.includes(params.result))
    throw unexpected({command}, `${name} with a known result`);
  return shown(params);
}

/** The same; undefined if there is none. */
export function foundOf(answer, message) {
  if (message.command === 'NOTHING' || message.params.result === 'absent') return undefined;
  return recordOf(answer, message);
}

/** The messages of this name, as objects. */
export function listOf({name, shown}, reply) {
  const out = [];
  for (const {command, params} of reply.messages) {
    if (command === name)
      out.push(shown(params));
    else if (!nothing.includes(command))
      throw unexpected({command}, `${name} or NOTHING`);
  }
  return out;
}

/** A text that is told in parts. */
export function textOf(reply, field) { return reply.messages.map(({params}) => params[field]).join(''); }

/** What was handed out, as the member of this name. If there is none: the date at which there may be, if that is known. */
export function leasedOf(member, answer, reply) {
  const {command, params} = reply.first;
  const nextDate = command === 'NOTHING' && params.next_date > 0 ? numberOf(params.next_date) : undefined;
  return {[member]: listOf(answer, reply), nextDate};
}
