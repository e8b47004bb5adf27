// Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.
// clang-format off
import {assign, foundOf, recordOf} from '../answers.js';
import {bytesOf} from '../arguments.js';
import {namesOf, parametersOf} from '../rows.js';

import {blob as kinds} from './answers.js';

// The options of calls that refuse others.
const names = {
  put: namesOf('hash contentHash client sequence'),
  get: namesOf('hash offset length'),
  list: namesOf('count'),
  omit: namesOf('hash'),
  maintain: namesOf('age size unreferenced cancel'),
};

// Answers, and what the program gets of them.
const STORED = {
  name: 'STORED',
  shown: (params) => assign({}, params, kinds.STORED),
  results: ['stored', 'replaced', 'duplicate'],
};
const BLOB = {name: 'BLOB', shown: (params) => assign({}, params, kinds.BLOB), results: ['found', 'absent']};
const MAINTAINING = {
  name: 'MAINTAINING',
  shown: (params) => assign({}, params, kinds.MAINTAINING),
  results: ['begun', 'running', 'cancelled', 'idle'],
};

/** The commands of a table, as types/blob.d.ts documents them. */
export class Blobs {
  #calls;

  constructor(calls) {
    this.table = calls.table;
    this.#calls = calls;
  }

  /** Its figures. */
  stats(limits = {}) { return this.#calls.stats(limits); }

  /** Stores a blob under a key, in place of the one that is there. */
  async put(key, data, {timeLimit, signal, ...options} = {}) {
    const params = {
      ...(key === undefined ? {} : bytesOf('key', key)),
      data,
      ...parametersOf('put', options, names.put),
    };
    return recordOf(STORED, await this.#calls.numbered('PUT', params, {timeLimit, signal}));
  }

  /** Shows a blob, with its bytes or a part of them; nothing where there is none. */
  async get(key, {timeLimit, signal, ...options} = {}) {
    const params = {
      ...(key === undefined ? {} : bytesOf('key', key)),
      data: 1,
      ...parametersOf('get', options, names.get),
    };
    return foundOf(BLOB, await this.#calls.first('GET', params, {timeLimit, signal}));
  }

  /** Blobs in the order of their hashes. */
  list({timeLimit, signal, ...options} = {}) {
    return this.#calls.pagesOf('LIST', BLOB, parametersOf('list', options, names.list), {timeLimit, signal});
  }

  /** The next maintenance leaves this blob out, unless it is stored again before. */
  async omit(key, {timeLimit, signal, ...options} = {}) {
    const params = {...(key === undefined ? {} : bytesOf('key', key)), ...parametersOf('omit', options, names.omit)};
    return (await this.#calls.first('OMIT', params, {timeLimit, signal})).params.result;
  }

  /** Begins a maintenance: blobs that are kept are copied into a new data file, which takes the place of the old one.
   * Or shows, or ends, the one that runs. */
  async maintain({timeLimit, signal, ...options} = {}) {
    const params = parametersOf('maintain', options, names.maintain);
    return recordOf(MAINTAINING, await this.#calls.first('MAINTAIN', params, {timeLimit, signal}));
  }
}
