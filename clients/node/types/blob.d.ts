// Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.
import type { Limits, Numbered, Params } from '../index.js';

/** The blob is stored. */
export interface StoredBlob {
  /** The table. */
  table: string;
  /** What is made of the key. */
  hash: string;
  /** When it was stored, in seconds since 1970. */
  entryTime: number;
  /** Offset of its first byte in the data file. */
  begin: number;
  /** Offset of its last byte + 1. */
  end: number;
  /** Number of the data file. */
  file: number;
  /** 'stored'; 'replaced': in place of another; 'duplicate': it was 'stored' before. */
  result: 'stored' | 'replaced' | 'duplicate';
}

/** A blob. */
export interface Blob {
  /** The table. */
  table: string;
  /** What is made of its key. */
  hash: string;
  /** 'found'; or 'absent', then what follows is 0. */
  result: 'found';
  /** When it was stored, in seconds since 1970. */
  entryTime: number;
  /** Offset of its first byte in the data file. */
  begin: number;
  /** Offset of its last byte + 1. */
  end: number;
  /** Its bytes. */
  length: number;
  /** Number of the data file. */
  file: number;
  /** The low half of XXH3-128 of its bytes, 16 hex digits. */
  contentHash: string;
  /** The bytes that are wanted. */
  data?: Buffer;
}

/** The state of the maintenance. */
export interface Maintaining {
  /** The table. */
  table: string;
  /** 'begun', 'running', 'cancelled'; 'idle': there was none to be 'cancelled'. */
  result: 'begun' | 'running' | 'cancelled' | 'idle';
  /** Of this maintenance, or of the last one: modern, online, offline. */
  mode: string;
  /** Of one that is running: judging, what is left out; copying, what is kept; quiet: readers by name are refused until
   * the exchange. Else as the result. */
  phase: string;
  /** Number of the new data file; 0: there is none. */
  file: number;
  /** Blobs when it began. */
  total: number;
  /** Blobs that are in the new data file. */
  done: number;
}

export interface BlobPutOptions extends Numbered {
  /** In place of the key, what is made of it: 24 hex digits. */
  hash?: string;
  /** XXH3-128 of the bytes, 32 hex digits: other bytes are refused. */
  contentHash?: string;
}

export interface BlobGetOptions extends Limits {
  /** In place of the key, what is made of it: 24 hex digits. */
  hash?: string;
  /** Of the bytes that are wanted, within the blob. Default: 0. */
  offset?: number;
  /** So many bytes at most; up to the end if absent. */
  length?: number;
}

export interface BlobListOptions extends Limits {
  /** Of a page: so many at most. 1 to 1000. Default: 100. */
  count?: number;
}

export interface BlobOmitOptions extends Limits {
  /** In place of the key, what is made of it: 24 hex digits. */
  hash?: string;
}

export interface BlobMaintainOptions extends Limits {
  /** Blobs stored longer ago are left out; 0: none. Default: the table's expire-age. */
  age?: number;
  /** The oldest blobs beyond so many bytes are left out; 0: none. Default: the table's expire-size. */
  size?: number;
  /** Blobs not read for so long are left out; 0: none. Default: the table's expire-unreferenced. */
  unreferenced?: number;
  /** `true`: the maintenance that runs is given up. */
  cancel?: boolean;
}

/** The commands of one blob table. */
export interface Blobs {
  readonly table: string;
  /** Stores a blob under a key, in place of the one that is there. Without `key` of the blob with that `hash`. */
  put(key: string | Uint8Array | undefined, data: string | Uint8Array, options?: BlobPutOptions): Promise<StoredBlob>;
  /** Shows a blob, with its bytes or a part of them; nothing where there is none. Without `key` of the blob with that
   * `hash`. */
  get(key?: string | Uint8Array, options?: BlobGetOptions): Promise<Blob | undefined>;
  /** Blobs in the order of their hashes. Without their bytes. */
  list(options?: BlobListOptions): AsyncGenerator<Blob, void, void>;
  /** The next maintenance leaves this blob out, unless it is stored again before. Resolves with: 'omitted'; 'absent':
   * there is no such blob. Without `key` of the blob with that `hash`. */
  omit(key?: string | Uint8Array, options?: BlobOmitOptions): Promise<'omitted' | 'absent'>;
  /** Begins a maintenance: blobs that are kept are copied into a new data file, which takes the place of the old one.
   * Or shows, or ends, the one that runs. */
  maintain(options?: BlobMaintainOptions): Promise<Maintaining>;
  /** Figures by their names in STATS (not in camel case). */
  stats(limits?: Limits): Promise<Params>;
}
