// The commands of a journal table as methods; index.d.ts says what they take and return.
import {Calls, reasonOf} from './calls.js';
import {failedWith, report} from './failures.js';
import {numberOf} from './protocol.js';
import {putMany} from './put_many.js';
import {namesOf, putOf, putParameters, returnedOf, rowOf, unexpected, workOf} from './rows.js';

const listenNames = namesOf('mode domain credit worker');

export class Journal {
  #calls;
  #link;

  constructor(link, table) {
    this.table = String(table);
    this.#calls = new Calls(link, this.table);
    this.#link = link;
  }

  #about(row) { return {table: row.table ?? this.table, row: row.row, epoch: row.epoch}; }

  numberPuts(client) { this.#calls.number(client); }

  async put(columns, {timeLimit, signal, ...own} = {}) {
    const params = {...columns, table: this.table, ...putParameters(own)};
    return putOf(await this.#calls.numbered('INSERT', params, {timeLimit, signal}));
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

  listen(options = {}) { return this.#calls.listen(listenNames, 'wake', options); }

  peek(what, limits = {}) {
    return this.#calls.all('PEEK', {...what, table: this.table}, limits, (reply) => reply.messages.map(rowOf));
  }

  list({status, domain, prefix, error, count = 1000, ...limits} = {}) {
    const params = {table: this.table, status, domain, prefix, error, count};
    const shown = (message) => message.command !== 'NOTHING';
    return this.#calls.pages('LIST', params, limits, (reply) => reply.messages.filter(shown).map(rowOf));
  }

  why(what, limits = {}) {
    const read = (message) => {
      if (message.command !== 'REASON') throw unexpected(message, 'REASON');
      return reasonOf(message, ['request', 'left', 'after', 'table']);
    };
    return this.#calls.all('WHY', {...what, table: this.table}, limits, (reply) => reply.messages.map(read));
  }

  stats(limits = {}) { return this.#calls.stats(limits); }
}
