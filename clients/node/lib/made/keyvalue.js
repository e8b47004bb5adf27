// Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.
// clang-format off
import {assign, foundOf, recordOf, valued} from '../answers.js';
import {bytesOf, valueOf} from '../arguments.js';
import {numberOf} from '../protocol.js';
import {namesOf, parametersOf} from '../rows.js';

import {keyvalue as kinds} from './answers.js';

// The options of calls that refuse others.
const names = {
  set: namesOf('type overwrite ifTimestamp timestamp expirationDate ttl persist client sequence'),
  get: namesOf('data facts skipWorkedOn workedOn expirationDate ttl'),
  scan: namesOf('prefix from to regex count data facts skipWorkedOn workedOn'),
  delete: namesOf('ifTimestamp timestamp complete client sequence'),
  add: namesOf('persist client sequence'),
  invert: namesOf('client sequence'),
  truncate: namesOf('client sequence'),
  rename: namesOf('overwrite client sequence'),
  alias: namesOf('client sequence'),
};

// Answers, and what the program gets of them.
const STORED = {
  name: 'STORED',
  shown: (params) => valued(assign({}, params, kinds.STORED)),
  results: ['stored', 'exists', 'mismatch', 'stale', 'duplicate'],
};
const PAIR = {name: 'PAIR', shown: (params) => valued(assign({locked: false, workedOn: false}, params, kinds.PAIR))};

/** The commands of a table, as types/keyvalue.d.ts documents them. */
export class KeyValue {
  #calls;

  constructor(calls) {
    this.table = calls.table;
    this.#calls = calls;
  }

  /** Its figures. */
  stats(limits = {}) { return this.#calls.stats(limits); }

  /** Stores a value under a key, in place of the one that is there. */
  async set(key, value, {ifValue, timeLimit, signal, ...options} = {}) {
    const params = {
      ...bytesOf('key', key),
      value: valueOf(value),
      if_value: ifValue === null ? '' : ifValue,
      ...parametersOf('set', options, names.set),
    };
    return recordOf(STORED, await this.#calls.change('SET', params, {timeLimit, signal}));
  }

  /** Shows the value of a key; nothing where there is none. */
  async get(key, {timeLimit, signal, ...options} = {}) {
    const params = {...bytesOf('key', key), ...parametersOf('get', options, names.get)};
    return foundOf(PAIR, await this.#calls.first('GET', params, {timeLimit, signal}));
  }

  /** The pairs of a range in the order of their keys. What is there all the time is shown exactly once, whatever others
   * change meanwhile. */
  scan({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('GET', PAIR, parametersOf('scan', options, names.scan), {timeLimit, signal});
  }

  /** Deletes a value with all its keys. */
  async delete(key, {timeLimit, signal, ...options} = {}) {
    const params = {...bytesOf('key', key), ...parametersOf('delete', options, names.delete)};
    return (await this.#calls.change('DELETE', params, {timeLimit, signal})).params.result;
  }

  /** Adds to an integer or a float; a key that is not there counts as 0. */
  async add(key, by, {timeLimit, signal, ...options} = {}) {
    const params = {...bytesOf('key', key), by, ...parametersOf('add', options, names.add)};
    return recordOf(STORED, await this.#calls.change('ADD', params, {timeLimit, signal}));
  }

  /** Turns a boolean. */
  async invert(key, {timeLimit, signal, ...options} = {}) {
    const params = {...bytesOf('key', key), ...parametersOf('invert', options, names.invert)};
    return recordOf(STORED, await this.#calls.change('NOT', params, {timeLimit, signal}));
  }

  /** Cuts a string or a buffer, or lets it grow by zeros. */
  async truncate(key, size, {timeLimit, signal, ...options} = {}) {
    const params = {...bytesOf('key', key), size, ...parametersOf('truncate', options, names.truncate)};
    return recordOf(STORED, await this.#calls.change('TRUNCATE', params, {timeLimit, signal}));
  }

  /** Gives a value another key, in one step. */
  async rename(key, newKey, {timeLimit, signal, ...options} = {}) {
    const params = {
      ...bytesOf('key', key),
      ...bytesOf('new_key', newKey),
      ...parametersOf('rename', options, names.rename),
    };
    return recordOf(STORED, await this.#calls.change('RENAME', params, {timeLimit, signal}));
  }

  /** Gives a value one more key. */
  async alias(key, newKey, {timeLimit, signal, ...options} = {}) {
    const params = {
      ...bytesOf('key', key),
      ...bytesOf('new_key', newKey),
      ...parametersOf('alias', options, names.alias),
    };
    return recordOf(STORED, await this.#calls.change('ALIAS', params, {timeLimit, signal}));
  }

  /** Until its end, or that of the connection, nobody else changes the value. */
  async lock(key, lock, limits = {}) {
    return numberOf((await this.#calls.first('LOCK', {...bytesOf('key', key), lock}, limits)).params.lock_end);
  }

  /** Ends one's own lock. */
  async unlock(key, limits = {}) { await this.#calls.call('UNLOCK', bytesOf('key', key), limits); }
}
