// What the typed calls of all types of tables have in common.
import {drawnName} from './names.js';
import {Notices} from './notices.js';
import {camelCase, parametersOf} from './rows.js';

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

  call(command, params, limits) { return this.link.call(command, {...params, table: this.table}, limits); }

  /** The only message of an answer. */
  async first(command, params, limits) { return (await this.call(command, params, limits)).first; }

  /** What `read` makes of an answer, page by page. */
  async * pages(command, params, limits, read) {
    let after;
    do {
      const reply = await this.call(command, {...params, after}, limits);
      yield* read(reply);
      ({after} = reply.messages[reply.messages.length - 1].params);
    } while (after !== undefined);
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
  async numbered(command, params, limits) {
    if (params.client === undefined && params.sequence === undefined) {
      if (this.#client === '') return (await this.link.callNumbered(command, params, limits)).first;
      Object.assign(params, {client: this.#client, sequence: ++this.#sequence});
    }
    return (await this.link.call(command, params, limits)).first;
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
