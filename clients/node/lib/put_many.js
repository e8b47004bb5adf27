// Many rows by one connection: encoded in batches, many of them in flight, numbered so that each counts once whatever
// happens to the connection. Nothing is allocated for a row but its frame and a place in its batch.
import {errorOf} from './error_of.js';
import {BadParameterError, FastjournalError} from './errors.js';
import {Writer} from './msgpack.js';
import {drawnName} from './names.js';
import {endFrame, PARAMETERS_MAX, refusalOf} from './protocol.js';
import {unexpected} from './rows.js';

const BATCH_ROWS = 256;
const BATCH_BYTES = 64 * 1024;

// What all frames of a putMany begin with, after the header: all but the number of parameters.
function beginning() {
  const out = new Writer(64);
  out.map(2);
  out.string('command');
  out.string('INSERT');
  out.string('parameters');
  return Buffer.from(out.buffer.subarray(0, out.at));
}
// And the parameters that all of them have.
function commonParameters(table, client) {
  const out = new Writer(256);
  out.string('table');
  out.string(table);
  out.string('client');
  out.string(client);
  return Buffer.from(out.buffer.subarray(0, out.at));
}
const BEGINNING = beginning();
const reserved = new Set(['table', 'client', 'sequence', 'request']);

class Putter {
  constructor(link, table, options) {
    const {client = drawnName(), sequence = 1, depth = 4096, ...others} = options;
    const {onRefused, timeLimit = link.options.timeLimit, signal, ...rest} = others;
    for (const name in rest) throw new BadParameterError(`putMany() has no option '${name}'`, {parameter: name});
    if (!Number.isSafeInteger(sequence) || sequence < 0)
      throw new BadParameterError('option sequence is an integer from 0', {parameter: 'sequence'});
    if (!(depth >= 1)) throw new BadParameterError('option depth is at least 1', {parameter: 'depth'});
    this.link = link;
    this.table = table;
    this.onRefused = onRefused;
    this.timeLimit = timeLimit;
    this.signal = signal;
    this.depth = depth;
    this.batchRows = Math.max(1, Math.min(BATCH_ROWS, Math.floor(depth / 4)));
    this.common = commonParameters(table, client);
    this.sequence = sequence;
    this.writer = new Writer(BATCH_BYTES * 2);
    this.rows = [];
    this.inFlight = 0;
    this.batches = new Set();
    this.error = undefined;
    this.wake = undefined;
    this.flushAt = undefined;
    this.counts = {client, rows: 0, refused: 0, inserted: 0, merged: 0, behind: 0, duplicate: 0, stale: 0};
  }

  // Throws bad_parameter, and the row takes no number.
  add(row) {
    const {writer} = this;
    const begin = writer.at;
    let name;
    try {
      let count = 4;
      for (name in row)
        if (row[name] !== undefined) ++count;
      if (count > PARAMETERS_MAX) throw new Error(`a message has at most ${PARAMETERS_MAX} parameters`);
      writer.room(8 + BEGINNING.length);
      writer.at += 8;
      writer.raw(BEGINNING);
      writer.map(count);
      writer.raw(this.common);
      for (name in row) {
        const value = row[name];
        if (value === undefined) continue;
        if (reserved.has(name)) throw new Error('a row of putMany() cannot have it');
        writer.string(name);
        writer.value(value);
      }
      writer.string('sequence');
      writer.integer(this.sequence);
      writer.string('request');
      // Its number is known when the batch is sent; this many bytes hold any.
      writer.room(9);
      writer.buffer[writer.at] = 0xcf;
      writer.at += 9;
    } catch (error) {
      writer.at = begin;
      this.send();  // so that a batch has rows that follow each other
      const refusal = errorOf('bad_parameter', `parameter ${name}: ${error.message}`, {parameter: name});
      this.refuse(row, refusal, this.counts.rows++);
      return;
    }
    endFrame(writer, begin);
    ++this.sequence;
    ++this.counts.rows;
    this.rows.push(row);
    if (this.rows.length >= this.batchRows || writer.at >= BATCH_BYTES) this.send();
  }

  // What was added leaves now.
  send() {
    clearImmediate(this.flushAt);
    this.flushAt = undefined;
    const {link, writer, rows} = this;
    if (rows.length === 0) return;
    const bytes = Buffer.from(writer.buffer.subarray(0, writer.at));
    if (writer.buffer.length > BATCH_BYTES * 4) this.writer = new Writer(BATCH_BYTES * 2);
    writer.at = 0;
    this.rows = [];
    const first = link.lastRequest + 1;
    link.lastRequest += rows.length;
    for (let at = 0, i = 0; i < rows.length; ++i) {
      at += 8 + bytes.readUInt32BE(at + 4);
      const request = first + i;
      bytes.writeUInt32BE(Math.floor(request / 0x1_0000_0000), at - 8);
      bytes.writeUInt32BE(request >>> 0, at - 4);
    }
    const firstRow = this.counts.rows - rows.length;
    const firstSequence = this.sequence - rows.length;
    const batch = {
      first,
      table: this.table,
      count: rows.length,
      bytes,
      onAnswer: (index, message) => this.answered(rows[index], message, firstRow + index),
      resolve: () => this.ended(batch),
      reject: (error) => {
        // From here on a caller may continue: with the same client, no row counts twice.
        const {answered} = batch;
        const facts = {client: this.counts.client, sequence: firstSequence + answered, nr: firstRow + answered};
        this.ended(batch);
        this.stop(errorOf(error.code, error.message, {...error.facts, ...facts}));
      },
    };
    this.inFlight += rows.length;
    this.batches.add(batch);
    try {
      link.sendBatch(batch, this.timeLimit);
    } catch (error) {
      batch.answered = 0;
      batch.reject(error);
    }
  }

  answered(row, message, nr) {
    const result = message.params?.result;
    if (message.command === 'INSERTED' && this.counts[result] >= 0 && typeof result === 'string') {
      ++this.counts[result];
      return;
    }
    const refusal =
        message instanceof FastjournalError ? message : refusalOf(message) ?? unexpected(message, 'INSERTED');
    this.refuse(row, refusal, nr);
  }

  refuse(row, error, nr) {
    ++this.counts.refused;
    if (this.onRefused === undefined) {
      this.stop(Object.assign(error, {facts: {...error.facts, nr}}));
      return;
    }
    try {
      this.onRefused(row, error, nr);
    } catch (thrown) {
      this.stop(thrown);
    }
  }

  // No further rows are read; those in flight are answered first, unless the connection is the reason.
  stop(error) {
    this.error ??= error;
    this.signalChange();
  }

  ended(batch) {
    if (!this.batches.delete(batch)) return;
    this.inFlight -= batch.count;
    this.signalChange();
  }

  signalChange() {
    this.wake?.();
    this.wake = undefined;
  }

  // Until there is room for another batch.
  isFull() {
    const {link} = this;
    const isFar = this.inFlight + this.rows.length >= this.depth;
    return isFar || (this.inFlight > 0 && link.inFlightBytes >= link.options.inFlightBytesMax / 4);
  }

  change() {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  async run(rows) {
    const onAbort = () => this.stop(this.signal.reason);
    this.signal?.addEventListener('abort', onAbort, {once: true});
    try {
      this.signal?.throwIfAborted();
      if (typeof rows?.[Symbol.asyncIterator] === 'function') {
        for await (const row of rows) {
          this.add(row);
          // A slow source does not keep back the rows before.
          if (this.rows.length > 0) this.flushAt ??= setImmediate(() => this.send());
          if (this.isFull()) await this.room();
          if (this.error !== undefined) break;
        }
      } else {
        for (const row of rows) {
          this.add(row);
          if (this.isFull()) await this.room();
          if (this.error !== undefined) break;
        }
      }
    } catch (error) {
      this.stop(error);  // of the source
    } finally {
      this.signal?.removeEventListener('abort', onAbort);
    }
    this.send();
    while (this.batches.size > 0) await this.change();
    if (this.error !== undefined) throw this.error;
    return this.counts;
  }

  async room() {
    this.send();
    while (this.isFull() && this.inFlight > 0 && this.error === undefined) await this.change();
  }
}

/** As Journal.putMany in index.d.ts. */
export async function putMany(link, table, rows, options) { return new Putter(link, table, options).run(rows); }
