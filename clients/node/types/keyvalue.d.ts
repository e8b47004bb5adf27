// Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.
import type { DateValue, Limits, Numbered, Params, Received, TypedValue } from '../index.js';

/** What became of the value. */
export interface Stored {
  /** The table. */
  table: string;
  /** The key. */
  key: string | Buffer;
  /** 'stored'; or nothing changed: 'exists', 'mismatch', 'stale' or 'duplicate'. */
  result: 'stored' | 'exists' | 'mismatch' | 'stale' | 'duplicate';
  /** Of the value that is there now. */
  timestamp?: number | bigint;
  /** Of ADD and NOT. */
  type?: string;
  /** Of ADD and NOT: the value from now on. */
  value?: Received | null;
}

/** A pair. */
export interface Pair {
  /** The table. */
  table: string;
  /** The key. */
  key: string | Buffer;
  /** 'void', 'buffer', 'string', 'integer', 'float' or 'boolean'. */
  type: 'void' | 'buffer' | 'string' | 'integer' | 'float' | 'boolean';
  /** The value. */
  value: Received | null | undefined;
  /** When it was written, in microseconds since 1970. */
  timestamp: number | bigint;
  /** It is gone from then on. */
  expirationDate?: number;
  /** `true`: somebody has it locked. */
  locked: boolean;
  /** Until then at most. */
  lockEnd?: number;
  /** `true`: somebody works on it. */
  workedOn: boolean;
  /** Until then. */
  workedOnEnd?: number;
  /** Milliseconds without a read or a write, after which it is gone. */
  ttl?: number;
  /** `true`: its changes are synced. */
  persist?: boolean;
  /** When the key got its first value. */
  creationDate?: number;
  /** When it was changed last. */
  modificationDate?: number;
  /** When it was read or written last, to the second. */
  accessDate?: number;
  /** This key is an alias of it. */
  mainKey?: string | Buffer;
  /** Bytes of the value. */
  size?: number;
}

export interface KeyValueSetOptions extends Numbered {
  /** What it is; if absent: as the value came, 'string' in a line. */
  type?: 'void' | 'buffer' | 'string' | 'integer' | 'float' | 'boolean';
  /** `false`: only if the key is not there. Default: true. */
  overwrite?: boolean;
  /** Only if the value that is there has this timestamp; 0: if none is there. */
  ifTimestamp?: number | bigint;
  /** Only if this value is there. */
  ifValue?: TypedValue;
  /** When this value was written, in microseconds since 1970: an older one never replaces a newer one; the order of
   * arrival if absent. */
  timestamp?: number | bigint;
  /** The pair is gone from then on; 0 or absent: never. */
  expirationDate?: DateValue;
  /** The pair is gone when it was not read or written for so long. */
  ttl?: number;
  /** `true`: the answer, and that of each later change, comes once it is synced; `false`: it may be lost with the
   * computer's power. Default: the table's persist. */
  persist?: boolean;
}

export interface KeyValueGetOptions extends Limits {
  /** `false`: without the values. Default: true. */
  data?: boolean;
  /** `true`: with the dates, and who has it. */
  facts?: boolean;
  /** `true`: not those that somebody works on. */
  skipWorkedOn?: boolean;
  /** Marks what is shown: for so long others that skip such pairs do not see it. Default: 0. */
  workedOn?: number;
  /** The pair is gone from then on; 0: never. */
  expirationDate?: DateValue;
  /** The pair is gone when it was not read or written for so long; 0: it has no such time. */
  ttl?: number;
}

export interface KeyValueScanOptions extends Limits {
  /** Keys that begin so. At most the table's key-size-max. */
  prefix?: string;
  /** This key and those behind it. At most the table's key-size-max. */
  from?: string;
  /** Keys before this one. At most the table's key-size-max. */
  to?: string;
  /** Keys of which a part matches this expression (RE2). At most 1024 bytes. */
  regex?: string;
  /** Of a page: how many pairs at most. 1 to 1000. Default: 100. */
  count?: number;
  /** `false`: without the values. Default: true. */
  data?: boolean;
  /** `true`: with the dates, and who has it. */
  facts?: boolean;
  /** `true`: not those that somebody works on. */
  skipWorkedOn?: boolean;
  /** Marks what is shown: for so long others that skip such pairs do not see it. Default: 0. */
  workedOn?: number;
}

export interface KeyValueDeleteOptions extends Numbered {
  /** Only if the value has this timestamp. */
  ifTimestamp?: number | bigint;
  /** When it was deleted, in microseconds since 1970: a newer value stays, and an older SET that comes later is stale;
   * the order of arrival if absent. */
  timestamp?: number | bigint;
  /** `true`: nothing is remembered of it, and an older SET brings it back. */
  complete?: boolean;
}

export interface KeyValueAddOptions extends Numbered {
  /** Of a key that is not there: as in SET. Default: the table's persist. */
  persist?: boolean;
}

export interface KeyValueRenameOptions extends Numbered {
  /** `true`: also where another value is, which is deleted. */
  overwrite?: boolean;
}

/** The commands of one keyvalue table. */
export interface KeyValue {
  readonly table: string;
  /** Stores a value under a key, in place of the one that is there. A number is an integer if it is a safe one
   * (Number.isSafeInteger), else a float; with `type: 'float'` it is a float in any case. A bigint is an integer, a
   * string of type string, bytes are a buffer, null is void. */
  set(key: string | Uint8Array, value: TypedValue, options?: KeyValueSetOptions): Promise<Stored>;
  /** Shows the value of a key; nothing where there is none. */
  get(key: string | Uint8Array, options?: KeyValueGetOptions): Promise<Pair | undefined>;
  /** The pairs of a range in the order of their keys. What is there all the time is shown exactly once, whatever others
   * change meanwhile. */
  scan(options?: KeyValueScanOptions): AsyncGenerator<Pair, void, void>;
  /** Deletes a value with all its keys. Resolves with: 'deleted'; or nothing changed: 'absent', 'mismatch', 'stale' or
   * 'duplicate'. */
  delete(
    key: string | Uint8Array,
    options?: KeyValueDeleteOptions,
  ): Promise<'deleted' | 'absent' | 'mismatch' | 'stale' | 'duplicate'>;
  /** Adds to an integer or a float; a key that is not there counts as 0. `by`: a number with a fraction, or a text such
   * as '2.0', is a float. */
  add(key: string | Uint8Array, by?: number | bigint | string, options?: KeyValueAddOptions): Promise<Stored>;
  /** Turns a boolean. */
  invert(key: string | Uint8Array, options?: Numbered): Promise<Stored>;
  /** Cuts a string or a buffer, or lets it grow by zeros. `size`: its bytes from then on. 0 to the table's
   * value-size-max. */
  truncate(key: string | Uint8Array, size: number, options?: Numbered): Promise<Stored>;
  /** Gives a value another key, in one step. */
  rename(key: string | Uint8Array, newKey: string | Uint8Array, options?: KeyValueRenameOptions): Promise<Stored>;
  /** Gives a value one more key. */
  alias(key: string | Uint8Array, newKey: string | Uint8Array, options?: Numbered): Promise<Stored>;
  /** Until its end, or that of the connection, nobody else changes the value. `lock`: for how long at most; of one's
   * own lock: from now. 1 to the table's lock-max. Resolves with the date: until then at most. */
  lock(key: string | Uint8Array, lock: number, limits?: Limits): Promise<number>;
  /** Ends one's own lock. */
  unlock(key: string | Uint8Array, limits?: Limits): Promise<void>;
  /** Figures by their names in STATS (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
}
