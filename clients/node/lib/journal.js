// The commands of a journal table as methods; index.d.ts says what they take and return.
import {Calls, reasonOf} from './calls.js';
import {JournalCalls} from './made/journal.js';
import {putMany} from './put_many.js';
import {namesOf, rowOf, unexpected} from './rows.js';

const listenNames = namesOf('mode domain credit worker');

export class Journal extends JournalCalls {
  #calls;

  constructor(link, table) {
    const calls = new Calls(link, String(table));
    super(calls);
    this.#calls = calls;
  }

  numberPuts(client) { this.#calls.number(client); }

  putMany(rows, options = {}) { return putMany(this.#calls.link, this.table, rows, options); }

  listen(options = {}) { return this.#calls.listen(listenNames, 'wake', options); }

  peek(what, limits = {}) {
    return this.#calls.all('PEEK', {...what, table: this.table}, limits, (reply) => reply.messages.map(rowOf));
  }

  why(what, limits = {}) {
    const read = (message) => {
      if (message.command !== 'REASON') throw unexpected(message, 'REASON');
      return reasonOf(message, ['request', 'left', 'after', 'table']);
    };
    return this.#calls.all('WHY', {...what, table: this.table}, limits, (reply) => reply.messages.map(read));
  }
}
