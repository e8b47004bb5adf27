// The part of msgpack that frames need: maps, str, bin, integers, floats, booleans and nil. Nothing here does I/O, and
// a decoder never reads beyond the bytes that it was given, nor allocates more than they justify.

/** Levels of values within values that a decoder skips; as in the daemon. */
export const DEPTH_MAX = 16;

/** Thrown by encoder and decoder; the protocol core makes an `invalid` of it. */
export class FormatError extends Error {}

/** Writes values one after the other into memory that grows. */
export class Writer {
  constructor(bytes = 1024) {
    this.buffer = Buffer.allocUnsafe(bytes);
    this.at = 0;
  }

  /** Makes room for `count` more bytes. */
  room(count) {
    if (this.at + count <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + count));
    this.buffer.copy(grown, 0, 0, this.at);
    this.buffer = grown;
  }

  raw(bytes) {
    this.room(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  map(count) {
    this.room(3);
    if (count < 16) {
      this.buffer[this.at++] = 0x80 | count;
    } else {
      this.buffer[this.at++] = 0xde;
      this.at = this.buffer.writeUInt16BE(count, this.at);
    }
  }

  string(text) {
    const units = text.length;
    if (units < 32) {
      // Short and ASCII is the common case, and a loop is faster than a call into the runtime.
      this.room(1 + units);
      const {buffer} = this;
      let at = this.at + 1;
      let i = 0;
      for (; i < units; ++i) {
        const unit = text.charCodeAt(i);
        if (unit > 127) break;
        buffer[at++] = unit;
      }
      if (i === units) {
        buffer[this.at] = 0xa0 | units;
        this.at = at;
        return;
      }
    }
    // Three bytes a unit at most; the exact length is known after writing.
    this.room(5 + units * 3);
    const head = units * 3 < 256 ? 2 : units * 3 < 65_536 ? 3 : 5;
    const bytes = this.buffer.utf8Write(text, this.at + head);
    if (head === 2) {
      this.buffer[this.at] = 0xd9;
      this.buffer[this.at + 1] = bytes;
    } else if (head === 3) {
      this.buffer[this.at] = 0xda;
      this.buffer.writeUInt16BE(bytes, this.at + 1);
    } else {
      this.buffer[this.at] = 0xdb;
      this.buffer.writeUInt32BE(bytes, this.at + 1);
    }
    this.at += head + bytes;
  }

  binary(bytes) {
    this.room(5 + bytes.length);
    if (bytes.length < 256) {
      this.buffer[this.at++] = 0xc4;
      this.buffer[this.at++] = bytes.length;
    } else if (bytes.length < 65_536) {
      this.buffer[this.at++] = 0xc5;
      this.at = this.buffer.writeUInt16BE(bytes.length, this.at);
    } else {
      this.buffer[this.at++] = 0xc6;
      this.at = this.buffer.writeUInt32BE(bytes.length, this.at);
    }
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** An integral number within +-2^53. */
  integer(value) {
    this.room(9);
    const {buffer} = this;
    if (value >= 0) {
      if (value < 128) {
        buffer[this.at++] = value;
      } else if (value < 256) {
        buffer[this.at++] = 0xcc;
        buffer[this.at++] = value;
      } else if (value < 65_536) {
        buffer[this.at++] = 0xcd;
        buffer[this.at++] = value >>> 8;
        buffer[this.at++] = value & 0xff;
      } else if (value <= 0xffff_ffff) {
        buffer[this.at++] = 0xce;
        this.at = buffer.writeUInt32BE(value, this.at);
      } else {
        buffer[this.at++] = 0xcf;
        this.at = buffer.writeUInt32BE(Math.floor(value / 0x1_0000_0000), this.at);
        this.at = buffer.writeUInt32BE(value >>> 0, this.at);
      }
    } else if (value >= -32) {
      buffer[this.at++] = value & 0xff;
    } else if (value >= -0x8000_0000) {
      buffer[this.at++] = 0xd2;
      this.at = buffer.writeInt32BE(value, this.at);
    } else {
      buffer[this.at++] = 0xd3;
      this.at = buffer.writeBigInt64BE(BigInt(value), this.at);
    }
  }

  /** -2^63 to 2^64 - 1. */
  bigInteger(value) {
    this.room(9);
    if (value >= 0n) {
      if (value > 0xffff_ffff_ffff_ffffn) throw new FormatError(`${value} is above 2^64 - 1`);
      this.buffer[this.at++] = 0xcf;
      this.at = this.buffer.writeBigUInt64BE(value, this.at);
    } else {
      if (value < -0x8000_0000_0000_0000n) throw new FormatError(`${value} is below -2^63`);
      this.buffer[this.at++] = 0xd3;
      this.at = this.buffer.writeBigInt64BE(value, this.at);
    }
  }

  /** A string, number, bigint, boolean, Date (its milliseconds) or Uint8Array. FormatError for anything else. */
  value(value) {
    switch (typeof value) {
      case 'string': return this.string(value);
      case 'number':
        if (Number.isSafeInteger(value)) return this.integer(value);
        this.room(9);
        this.buffer[this.at++] = 0xcb;
        this.at = this.buffer.writeDoubleBE(value, this.at);
        return undefined;
      case 'boolean':
        this.room(1);
        this.buffer[this.at++] = value ? 0xc3 : 0xc2;
        return undefined;
      case 'bigint': return this.bigInteger(value);
      default:
        if (value instanceof Uint8Array) return this.binary(value);
        if (value instanceof Date && Number.isSafeInteger(value.getTime())) return this.integer(value.getTime());
        throw new FormatError('a value is a string, number, bigint, boolean, Date or Uint8Array');
    }
  }
}

// Names and words like "inserted" come again and again. Making a string from bytes is the slowest part of reading, so
// short ones are kept: a fixed number, each at the place that its bytes choose.
const KEPT = 1024;
const KEPT_BYTES_MAX = 32;
const keptBytes = new Array(KEPT).fill(null);
const keptTexts = new Array(KEPT).fill('');

function shortText(buffer, begin, end) {
  let hash = end - begin;
  for (let i = begin; i < end; ++i) hash = (Math.imul(hash, 31) + buffer[i]) | 0;
  const place = (hash ^ (hash >>> 10)) & (KEPT - 1);
  const bytes = keptBytes[place];
  if (bytes !== null && bytes.length === end - begin) {
    let i = 0;
    while (i < bytes.length && bytes[i] === buffer[begin + i]) ++i;
    if (i === bytes.length) return keptTexts[place];
  }
  const text = buffer.utf8Slice(begin, end);
  keptBytes[place] = Uint8Array.prototype.slice.call(buffer, begin, end);
  keptTexts[place] = text;
  return text;
}

/** Reads the values of one message. Every method throws FormatError at bytes that are not what it reads. */
export class Reader {
  constructor(buffer = Buffer.alloc(0), begin = 0, end = buffer.length) { this.reset(buffer, begin, end); }

  reset(buffer, begin, end) {
    this.buffer = buffer;
    this.at = begin;
    this.end = end;
  }

  /** The place of the next `count` bytes. */
  take(count) {
    const begin = this.at;
    if (count > this.end - begin) throw new FormatError(`the message ends within a value, at byte ${begin}`);
    this.at = begin + count;
    return begin;
  }

  uint(bytes) {
    const begin = this.take(bytes);
    return this.buffer.readUIntBE(begin, bytes);
  }

  /** The number of pairs. */
  mapSize() {
    const kind = this.buffer[this.take(1)];
    let size;
    if ((kind & 0xf0) === 0x80)
      size = kind & 0x0f;
    else if (kind === 0xde)
      size = this.uint(2);
    else if (kind === 0xdf)
      size = this.uint(4);
    else
      throw new FormatError(`expected a map, found type ${kind}`);
    if (size * 2 > this.end - this.at) throw new FormatError('a map has fewer entries than it says');
    return size;
  }

  text(bytes) {
    const begin = this.take(bytes);
    if (bytes <= KEPT_BYTES_MAX) return shortText(this.buffer, begin, begin + bytes);
    return this.buffer.utf8Slice(begin, begin + bytes);
  }

  /** A str, as UTF-8. */
  string() {
    const kind = this.buffer[this.take(1)];
    if ((kind & 0xe0) === 0xa0) return this.text(kind & 0x1f);
    if (kind === 0xd9) return this.text(this.uint(1));
    if (kind === 0xda) return this.text(this.uint(2));
    if (kind === 0xdb) return this.text(this.uint(4));
    throw new FormatError(`expected a string, found type ${kind}`);
  }

  binary(bytes) {
    const begin = this.take(bytes);
    // A copy: a part of the buffer would keep all of what was read.
    return Buffer.from(this.buffer.subarray(begin, begin + bytes));
  }

  /** A parameter's value: string, number (bigint beyond 2^53), boolean or Buffer. nil, array, map and ext are refused. */
  value() {
    const {buffer} = this;
    const kind = buffer[this.take(1)];
    if (kind < 0x80) return kind;
    if (kind >= 0xe0) return kind - 256;
    if (kind >= 0xa0 && kind < 0xc0) return this.text(kind & 0x1f);
    switch (kind) {
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return this.binary(this.uint(1));
      case 0xc5: return this.binary(this.uint(2));
      case 0xc6: return this.binary(this.uint(4));
      case 0xca: return buffer.readFloatBE(this.take(4));
      case 0xcb: return buffer.readDoubleBE(this.take(8));
      case 0xcc: return this.uint(1);
      case 0xcd: return this.uint(2);
      case 0xce: return this.uint(4);
      case 0xcf: {
        const begin = this.take(8);
        const high = buffer.readUInt32BE(begin);
        if (high < 0x20_0000) return high * 0x1_0000_0000 + buffer.readUInt32BE(begin + 4);
        return buffer.readBigUInt64BE(begin);
      }
      case 0xd0: return buffer.readInt8(this.take(1));
      case 0xd1: return buffer.readInt16BE(this.take(2));
      case 0xd2: return buffer.readInt32BE(this.take(4));
      case 0xd3: {
        const wide = buffer.readBigInt64BE(this.take(8));
        const near = Number(wide);
        return Number.isSafeInteger(near) ? near : wide;
      }
      case 0xd9: return this.text(this.uint(1));
      case 0xda: return this.text(this.uint(2));
      case 0xdb: return this.text(this.uint(4));
      default: throw new FormatError(`a parameter has a value of type ${kind}`);
    }
  }

  /** Skips one value of any type. */
  skip(depth = 0) {
    if (depth > DEPTH_MAX) throw new FormatError(`values are nested deeper than ${DEPTH_MAX} levels`);
    const kind = this.buffer[this.take(1)];
    let values = 0;
    if (kind < 0x80 || kind >= 0xe0) return;
    if (kind < 0x90)
      values = (kind & 0x0f) * 2;
    else if (kind < 0xa0)
      values = kind & 0x0f;
    else if (kind < 0xc0)
      this.take(kind & 0x1f);
    else if (kind === 0xc1)
      throw new FormatError('a value of type 193');
    else if (kind <= 0xc3)
      return;
    else if (kind <= 0xc6)
      this.take(this.uint(1 << (kind - 0xc4)));
    else if (kind <= 0xc9)
      this.take(1 + this.uint(1 << (kind - 0xc7)));
    else if (kind <= 0xcb)
      this.take(kind === 0xca ? 4 : 8);
    else if (kind <= 0xcf)
      this.take(1 << (kind - 0xcc));
    else if (kind <= 0xd3)
      this.take(1 << (kind - 0xd0));
    else if (kind <= 0xd8)
      this.take(1 + (1 << (kind - 0xd4)));
    else if (kind <= 0xdb)
      this.take(this.uint(1 << (kind - 0xd9)));
    else if (kind <= 0xdd)
      values = this.uint(kind === 0xdc ? 2 : 4);
    else
      values = this.uint(kind === 0xde ? 2 : 4) * 2;
    for (; values > 0; --values) this.skip(depth + 1);
  }
}
