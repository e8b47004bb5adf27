// The commands of a journal table as methods; index.d.ts says what they take and return.
import {failedWith, report} from './failures.js';
import {drawnName} from './names.js';
import {Notices} from './notices.js';
import {numberOf} from './protocol.js';
import {putMany} from './put_many.js';
import {camelCase, parametersOf, putOf, putParameters, returnedOf, rowOf, unexpected, workOf} from './rows.js';

const listenNames = {
  mode: 'mode',
  domain: 'domain',
  credit: 'credit',
  worker: 'worker'
};

function lastAfter(reply) { return reply.messages[reply.messages.length - 1].params.after; }

export class Journal {
  #link;
  #client = '';
  #sequence = 0;

  constructor(link, table) {
    this.#link = link;
    this.table = String(table);
  }

  #about(row) { return {table: row.table ?? this.table, row: row.row, epoch: row.epoch}; }

  numberPuts(client = drawnName()) {
    this.#client = client;
    this.#sequence = 0;
  }

  async put(columns, options = {}) {
    const {timeLimit, signal, ...own} = options;
    const params = {...columns, table: this.table, ...putParameters(own)};
    const limits = {timeLimit, signal};
    if (params.client === undefined && params.sequence === undefined) {
      if (this.#client === '') return putOf((await this.#link.callNumbered('INSERT', params, limits)).first);
      Object.assign(params, {client: this.#client, sequence: ++this.#sequence});
    }
    return putOf((await this.#link.call('INSERT', params, limits)).first);
  }

  putMany(rows, options = {}) { return putMany(this.#link, this.table, rows, options); }

  async next({count = 1, lease, wait, domain, worker, timeLimit, signal} = {}) {
    const params = {table: this.table, count, lease, wait, domain, worker};
    return workOf(await this.#link.call('NEXT', params, {timeLimit, signal}));
  }

  async touch(row, {lease, worker, timeLimit, signal} = {}) {
    const params = {...this.#about(row), lease, worker};
    return numberOf((await this.#link.call('TOUCH', params, {timeLimit, signal})).first.params.lease_end);
  }

  async done(row, limits = {}) { await this.#link.call('DONE', this.#about(row), limits); }

  async doneAndNext(row, {domain, worker, timeLimit, signal} = {}) {
    const params = {...this.#about(row), next: 1, domain, worker};
    return workOf(await this.#link.call('DONE', params, {timeLimit, signal}));
  }

  async release(row, {error, errorTrace, processDate, timeLimit, signal} = {}) {
    const params = {...this.#about(row), ...failedWith(error, errorTrace), process_date: processDate};
    return returnedOf(await report(this.#link, 'RELEASE', params, {timeLimit, signal}));
  }

  async fail(row, error, {errorTrace, ...limits} = {}) {
    const params = {...this.#about(row), ...failedWith(error, errorTrace)};
    return returnedOf(await report(this.#link, 'FAIL', params, limits));
  }

  listen({signal, ...options} = {}) {
    const params = parametersOf('listen', options, listenNames);
    return new Notices(this.#link, {...params, table: this.table, mode: params.mode ?? 'wake'}, signal);
  }

  async peek(what, limits = {}) {
    const rows = [];
    let after;
    do {
      const reply = await this.#link.call('PEEK', {...what, table: this.table, after}, limits);
      for (const message of reply.messages) rows.push(rowOf(message));
      after = lastAfter(reply);
    } while (after !== undefined);
    return rows;
  }

  async * list({status, domain, prefix, error, count = 1000, ...limits} = {}) {
    let after;
    do {
      const params = {table: this.table, status, domain, prefix, error, count, after};
      const reply = await this.#link.call('LIST', params, limits);
      for (const message of reply.messages)
        if (message.command !== 'NOTHING') yield rowOf(message);
      after = lastAfter(reply);
    } while (after !== undefined);
  }

  async why(what, limits = {}) {
    const reasons = [];
    let after;
    do {
      const reply = await this.#link.call('WHY', {...what, table: this.table, after}, limits);
      for (const message of reply.messages) {
        if (message.command !== 'REASON') throw unexpected(message, 'REASON');
        const reason = {};
        for (const name in message.params)
          if (!['request', 'left', 'after', 'table'].includes(name)) reason[camelCase(name)] = message.params[name];
        reasons.push(reason);
      }
      after = lastAfter(reply);
    } while (after !== undefined);
    return reasons;
  }

  async stats(limits = {}) {
    const {request, left, ...figures} = (await this.#link.call('STATS', {table: this.table}, limits)).first.params;
    return figures;
  }
}
