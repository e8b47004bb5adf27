// The protocol without I/O: commands to bytes, bytes to messages (doc/protocol.md, sections 2, 3 and 5). A daemon that
// sends anything at all can neither make it throw nor hold more than the limit of one message.
import {errorOf} from './error_of.js';
import {InvalidError, TooLargeError} from './errors.js';
import {FormatError, Reader, Writer} from './msgpack.js';

const HEADER_BYTES = 8;
/** Parameters of one message, `request` included. */
export const PARAMETERS_MAX = 256;

/**
 * Appends the frame of a command. `request` is added to the parameters, of which those that are undefined are left out.
 * Throws a FastjournalError, and appends nothing, if a value cannot be sent.
 * @param {import('./msgpack.js').Writer} out
 */
export function appendFrame(out, command, params, request) {
  const begin = out.at;
  let count = 1;
  for (const name in params)
    if (params[name] !== undefined && name !== 'request') ++count;
  if (count > PARAMETERS_MAX)
    throw new TooLargeError(`a message has at most ${PARAMETERS_MAX} parameters, \`request\` included`);
  let name;
  try {
    out.room(HEADER_BYTES);
    out.at += HEADER_BYTES;
    out.map(2);
    out.string('command');
    out.string(command);
    out.string('parameters');
    out.map(count);
    for (name in params) {
      const value = params[name];
      if (value === undefined || name === 'request') continue;
      out.string(name);
      out.value(value);
    }
    out.string('request');
    out.integer(request);
  } catch (error) {
    out.at = begin;
    throw errorOf('bad_parameter', `parameter ${name}: ${error.message}`, {parameter: name});
  }
  endFrame(out, begin);
}

/** Commands, each `[name, parameters]`, in one value, as a TRANSACTION has them. */
export function framesOf(commands) {
  const out = new Writer();
  let number = 0;
  for (const [command, params] of commands) appendFrame(out, command, params ?? {}, ++number);
  return out.buffer.subarray(0, out.at);
}

/** Writes the header of the frame that began at `begin`. */
export function endFrame(out, begin) {
  out.buffer.writeUInt32BE(0x464a4d01, begin);
  out.buffer.writeUInt32BE(out.at - begin - HEADER_BYTES, begin + 4);
}

/** The length of the frame at `at`, with its header. */
export function frameLength(buffer, at) { return HEADER_BYTES + buffer.readUInt32BE(at + 4); }

/** Parameters have no inherited names: a column may have any. Made by a constructor they are faster than other objects. */
export function Params() {}
Params.prototype = Object.create(null);

function parseBody(reader) {
  let command;
  let params;
  for (let keys = reader.mapSize(); keys > 0; --keys) {
    const key = reader.string();
    if (key === 'command') {
      command = reader.string();
    } else if (key === 'parameters') {
      params = new Params();
      const count = reader.mapSize();
      if (count > PARAMETERS_MAX) throw new FormatError(`a message has more than ${PARAMETERS_MAX} parameters`);
      for (let left = count; left > 0; --left) params[reader.string()] = reader.value();
    } else {
      reader.skip();
    }
  }
  if (command === undefined) throw new FormatError('a message has no command');
  if (reader.at !== reader.end) throw new FormatError('bytes follow the message in its frame');
  return {command, params: params ?? new Params()};
}

function unescaped(text, quoted) {
  return text.replace(
      quoted ? /\\([\\nr"])/g : /\\([\\nr])/g,
      (_, letter) => letter === 'n' ? '\n' :
          letter === 'r'            ? '\r' :
                                      letter,
  );
}

/** One line of text. Values are strings. Throws FormatError. */
export function parseLine(line) {
  const text = line.trim();
  const match = /^(?:<\S* )?(?:[^\s/]*\/)?([^\s:/\0]+)(?: ([^]*))?$/.exec(text);
  if (match === null) throw new FormatError('a line is no message');
  const params = new Params();
  const rest = match[2] ?? '';
  let count = 0;
  for (let at = 0; at < rest.length;) {
    const equals = rest.indexOf('=', at);
    const name = equals < 0 ? '' : rest.slice(at, equals);
    if (!/^[A-Za-z_]\w*$/.test(name) || ++count > PARAMETERS_MAX) throw new FormatError('a line is no message');
    let end;
    if (rest[equals + 1] === '"') {
      end = equals + 2;
      while (end < rest.length && !(rest[end] === '"' && rest[end - 1] !== '\\')) ++end;
      if (end >= rest.length || (end + 1 < rest.length && rest[end + 1] !== ';'))
        throw new FormatError('a quoted value has no end');
      params[name] = unescaped(rest.slice(equals + 2, end), true);
      at = end + 2;
    } else {
      end = rest.indexOf(';', equals);
      if (end < 0) end = rest.length;
      params[name] = unescaped(rest.slice(equals + 1, end), false);
      at = end + 1;
    }
  }
  return {command: match[1], params};
}

/**
 * Cuts the bytes of a connection into messages. `onMessage({command, params}, bytes)` is called for each, `onBad(error)` for
 * one that cannot be read: `invalid`, or `too_large` (more than `messageBytesMax`; it is skipped).
 */
export class MessageReader {
  constructor(messageBytesMax, onMessage, onBad) {
    this.messageBytesMax = messageBytesMax;
    this.onMessage = onMessage;
    this.onBad = onBad;
    this.reader = new Reader();
    this.clear();
  }

  clear() {
    this.kept = Buffer.alloc(0);  // memory for a message of which a part has arrived
    this.keptBytes = 0;
    this.skipBytes = 0;  // of a frame that is too large
    this.skipLine = false;
    this.wanted = 0;    // bytes before which looking again is useless
    this.searched = 0;  // bytes of a line without LF
    this.stopped = false;
  }

  /** Nothing more is read, also of the bytes that push() is looking at. */
  stop() { this.stopped = true; }

  push(chunk) {
    if (this.keptBytes === 0) {
      const taken = this.parse(chunk, chunk.length);
      if (taken < chunk.length) this.keep(chunk, taken);
      return;
    }
    this.keep(chunk, 0);
    if (this.keptBytes < this.wanted) return;
    const taken = this.parse(this.kept, this.keptBytes);
    if (this.stopped || taken === this.keptBytes) {
      this.kept = Buffer.alloc(0);
      this.keptBytes = 0;
    } else if (taken > 0) {
      this.kept.copyWithin(0, taken, this.keptBytes);
      this.keptBytes -= taken;
    }
  }

  // Memory grows with the bytes that arrived, not with what a header announces.
  keep(chunk, begin) {
    if (this.stopped) return;
    const needed = this.keptBytes + chunk.length - begin;
    if (needed > this.kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.kept.length * 2));
      this.kept.copy(grown, 0, 0, this.keptBytes);
      this.kept = grown;
    }
    chunk.copy(this.kept, this.keptBytes, begin);
    this.keptBytes = needed;
  }

  // Returns how many bytes need not be seen again.
  parse(buffer, end) {
    let at = 0;
    this.wanted = 0;
    while (at < end && !this.stopped) {
      if (this.skipBytes > 0) {
        const skipped = Math.min(this.skipBytes, end - at);
        this.skipBytes -= skipped;
        at += skipped;
        continue;
      }
      if (this.skipLine) {
        const line = this.lineEnd(buffer, at, end);
        this.skipLine = line < 0;
        at = line < 0 ? end : line + 1;
        continue;
      }
      let equal = 0;
      while (equal < 4 && at + equal < end && buffer[at + equal] === [0x46, 0x4a, 0x4d, 0x01][equal]) ++equal;
      if (equal === 4) {
        if (end - at < HEADER_BYTES) break;
        const bytes = buffer.readUInt32BE(at + 4);
        if (bytes > this.messageBytesMax) {
          at += HEADER_BYTES;
          this.skipBytes = bytes;
          this.tooLarge();
          continue;
        }
        if (end - at < HEADER_BYTES + bytes) {
          this.wanted = HEADER_BYTES + bytes;
          break;
        }
        at += HEADER_BYTES;
        this.reader.reset(buffer, at, at + bytes);
        at += bytes;
        this.take(undefined, bytes);
        continue;
      }
      if (at + equal === end) break;  // the first bytes of a frame or of a line
      const line = this.lineEnd(buffer, at + this.searched, end);
      if (line < 0 ? end - at > this.messageBytesMax : line - at > this.messageBytesMax) {
        this.searched = 0;
        this.skipLine = line < 0;
        at = line < 0 ? end : line + 1;
        this.tooLarge();
        continue;
      }
      if (line < 0) {
        this.searched = end - at;
        break;
      }
      this.searched = 0;
      const text = buffer.utf8Slice(at, line);
      at = line + 1;
      if (text.trim() !== '') this.take(text, text.length);
    }
    return this.stopped ? end : at;
  }

  lineEnd(buffer, at, end) {
    const found = buffer.indexOf(0x0a, at);
    return found >= end ? -1 : found;
  }

  take(line, bytes) {
    let message;
    try {
      message = line === undefined ? parseBody(this.reader) : parseLine(line);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.onBad(new InvalidError(`the daemon sent what is no message: ${error.message}`));
      return;
    }
    this.onMessage(message, bytes);
  }

  tooLarge() {
    this.onBad(new TooLargeError(`the daemon sent a message above the limit of ${this.messageBytesMax} bytes`));
  }
}

/** The error that an answer stands for; undefined if it is none. */
export function refusalOf({command, params}) {
  if (command === 'ERROR') {
    const {code, message, request, left, ...facts} = params;
    return errorOf(String(code ?? 'not_supported'), String(message ?? ''), facts);
  }
  if (command === 'UNKNOWN') return errorOf('unknown_command', `the daemon knows no command ${params.command ?? ''}`);
  if (command === 'INVALID')
    return errorOf(String(params.code ?? 'invalid'), `the daemon could not read the message: ${params.message ?? ''}`);
  return undefined;
}

/** Integers of text lines are strings. */
export function numberOf(value) {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value !== 'string' || !/^-?\d{1,20}$/.test(value)) return 0;
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : BigInt(value);
}
