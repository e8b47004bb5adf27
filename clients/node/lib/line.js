// One connection to one address: made, written to and read from. What messages mean is the link's.
import {errorOf} from './error_of.js';
import {ClosedError, UnavailableError} from './errors.js';
import {MessageReader} from './protocol.js';
import {openSocket, reasonOf} from './socket.js';

const TIMER_MS_MAX = 0x7fff_ffff;  // of setTimeout
const CLOSE_MS_MAX = 1000;

/** Not for ever, but beyond what setTimeout can count it is. */
export function timerAfter(milliseconds, call) {
  return milliseconds > TIMER_MS_MAX ? undefined : setTimeout(call, milliseconds);
}

export class Line {
  // `link` has takeMessage(message, bytes, line), settleOldest(error, line), logIn(line, resolve, reject),
  // lose(line, why), limitOfConnect(address), doubtNode(address) and `doubted`.
  constructor(link, address) {
    this.link = link;
    this.address = address;
    this.state = 'down';  // 'connecting', 'open'
    this.socket = undefined;
    this.said = undefined;  // the last refusal without a request
    this.out = [];
    this.flushAt = undefined;
    this.heardAt = 0;
    this.reader = undefined;
  }

  get isOpen() { return this.state === 'open'; }

  /** One attempt. Rejects with `unavailable`, or `not_allowed` if the daemon refuses the token or the certificate. */
  attempt() {
    const {link, address} = this;
    const {options} = link;
    this.state = 'connecting';
    return new Promise((resolve, reject) => {
      let settled = false;
      let opened;
      const fail = (error) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        this.drop();
        reject(error);
      };
      const limit = link.limitOfConnect(address);
      const late = () => {
        if (settled) return;
        link.doubtNode(address);
        fail(new UnavailableError(`cannot connect to ${address}: no answer within ${limit} ms`));
      };
      // Where this program had no time for the event loop, what has arrived meanwhile still counts.
      const timer = timerAfter(limit, () => setImmediate(late));
      try {
        opened = openSocket({...options, server: address});
      } catch (error) {
        fail(error);
        return;
      }
      const {socket, ready} = opened;
      this.socket = socket;
      this.reader = new MessageReader(
          options.messageBytesMax,
          (message, bytes) => link.takeMessage(message, bytes, this),
          (error) => link.settleOldest(error, this),
      );
      this.said = undefined;
      let reason;
      socket.on('error', (error) => {
        reason = reasonOf(error);
      });
      socket.on('data', (chunk) => {
        if (this.socket !== socket) return;
        this.heardAt = performance.now();
        this.reader.push(chunk);
      });
      socket.on('close', () => {
        if (this.socket !== socket) return;
        const why = reason ?? {text: this.said?.message ?? 'the daemon closed it', facts: {}};
        const code = why.refused ? 'not_allowed' : 'unavailable';
        if (!settled)
          fail(errorOf(code, `cannot connect to ${address}: ${why.text}`, why.facts));
        else
          link.lose(this, why);
      });
      const up = () => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        link.doubted.delete(address);
        this.state = 'open';
        this.heardAt = performance.now();
        resolve();
      };
      this.abandonAttempt = () => fail(new ClosedError('the connection was closed by this program'));
      socket.once(ready, () => {
        if (options.token === undefined || options.token === '') return up();
        return link.logIn(
            this, up,
            (error) => fail(errorOf(error.code, `${address} refuses the token: ${error.message}`, error.facts)));
      });
    });
  }

  add(bytes) {
    this.out.push(bytes);
    // At the end of this turn of the event loop, so that commands that are sent together share one write.
    this.flushAt ??= setImmediate(() => this.flush());
  }

  flush() {
    clearImmediate(this.flushAt);
    this.flushAt = undefined;
    const {out, socket} = this;
    if (out.length === 0 || socket === undefined) return;
    this.out = [];
    socket.write(out.length === 1 ? out[0] : Buffer.concat(out));
  }

  drop() {
    const {socket} = this;
    this.state = 'down';
    this.socket = undefined;
    this.reader?.stop();
    this.out = [];
    if (socket !== undefined) {
      socket.on('error', () => {});
      socket.destroy();
    }
    this.link.forgetOf(this);
  }

  async close() {
    const {socket, isOpen} = this;
    this.flush();
    this.abandonAttempt?.();
    this.state = 'down';
    this.socket = undefined;
    this.reader?.stop();
    if (socket === undefined || socket.destroyed) return;
    await new Promise((resolve) => {
      socket.once('close', resolve);
      if (!isOpen) return socket.destroy();
      // A daemon that does not answer the end is not waited for.
      setTimeout(() => socket.destroy(), CLOSE_MS_MAX).unref();
      socket.end();
      return socket.resume();
    });
  }
}
