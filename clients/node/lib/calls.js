// What the typed calls of all types of tables have in common.
import {listOf} from './answers.js';
import {report} from './failures.js';
import {drawnName} from './names.js';
import {Notices} from './notices.js';
import {numberOf} from './protocol.js';
import {camelCase, parametersOf} from './rows.js';

const PAGE = 1000;

/** The parameters of a REASON, by their names in camel case. */
export function reasonOf({params}, notShown = ['request', 'left', 'table']) {
  const reason = {};
  for (const name in params)
    if (!notShown.includes(name)) reason[camelCase(name)] = params[name];
  return reason;
}

/** The commands of one table on a link. */
export class Calls {
  #client = '';
  #sequence = 0;

  constructor(link, table) {
    this.link = link;
    this.table = table;
  }

  // What is leased may be of another table.
  #of(params) { return {...params, table: params.table ?? this.table}; }

  call(command, params, limits) { return this.link.call(command, this.#of(params), limits); }

  /** The only message of an answer. */
  async first(command, params, limits) { return (await this.call(command, params, limits)).first; }

  /** The answer to a command that says that something failed. */
  report(command, params, limits) { return report(this.link, command, this.#of(params), limits); }

  /** What `read` makes of an answer, page by page. `carried`: what the next page is asked for with, beside its place. */
  async * pages(command, params, limits, read, carried) {
    let place = {};
    do {
      const reply = await this.call(command, {...params, ...place}, limits);
      yield* read(reply);
      const last = reply.messages[reply.messages.length - 1].params;
      place = {after: last.after, after_binary: last.after_binary};
      if (carried !== undefined) place[carried] = last[carried];
    } while (place.after !== undefined || place.after_binary !== undefined);
  }

  pagesOf(command, answer, params, limits, carried) {
    return this.pages(command, params, limits, (reply) => listOf(answer, reply), carried);
  }

  /** The sum of a field of the answers, page by page, until it is `most`. */
  async sum(command, field, params, most = Infinity, limits) {
    let done = 0;
    let after;
    for (let more = true; more && done < most;) {
      const page = {...params, count: Math.min(PAGE, most - done), after};
      const answer = (await this.first(command, page, limits)).params;
      done += numberOf(answer[field] ?? 0);
      ({after} = answer);
      more = answer.more !== undefined || after !== undefined;
    }
    return done;
  }

  async all(command, params, limits, read) {
    const out = [];
    for await (const one of this.pages(command, params, limits, read)) out.push(one);
    return out;
  }

  /** From now on what the program does not number itself has numbers of this client. */
  number(client = drawnName()) {
    this.#client = client;
    this.#sequence = 0;
  }

  /** The answer to a put or send, which counts once. */
  async numbered(command, given, limits) {
    const params = {...given, table: this.table};
    if (params.client === undefined && params.sequence === undefined) {
      if (this.#client === '') return (await this.link.callNumbered(command, params, limits)).first;
      Object.assign(params, {client: this.#client, sequence: ++this.#sequence});
    }
    return (await this.link.call(command, params, limits)).first;
  }

  /** The same, of a change of a value. A condition that is sent again would be answered by what the first one has done. */
  change(command, params, limits) {
    const overwrites = params.overwrite ?? (command !== 'RENAME' && command !== 'ALIAS');
    const isConditional =
        params.if_timestamp !== undefined || params.if_value !== undefined || Number(overwrites) === 0;
    return isConditional ? this.first(command, params, limits) : this.numbered(command, params, limits);
  }

  listen(names, mode, {signal, ...options}) {
    const params = parametersOf('listen', options, names);
    return new Notices(this.link, {...params, table: this.table, mode: params.mode ?? mode}, signal);
  }

  async stats(limits) {
    const {request, left, ...figures} = (await this.first('STATS', {}, limits)).params;
    return figures;
  }
}
