// Connections to single addresses, as a link sees them, and which of them the commands of a table take. The rules are
// those of the C++ library (clients/cpp/routes.h).
import {numberOf} from './protocol.js';

const RETRY_MS_MIN = 20;
const RETRY_MS_MAX = 86_400_000;

/** Of the option `server`: at least one, possibly no address. */
export function addressesOf(server) { return String(server).split(',').map((one) => one.trim()); }

/** Milliseconds after which to send again what was answered so: nobody decides for the table, and nothing was done. */
export function retryOf({params}) {
  if (params.code !== 'unavailable' || params.retry === undefined) return undefined;
  return Math.min(Math.max(Number(numberOf(params.retry)), RETRY_MS_MIN), RETRY_MS_MAX);
}

/** What `moved` says, in an ERROR or an UNLISTENED. Without an address the daemon does not know. */
export function movedOf({params}, toldBy) {
  let address = String(params.address ?? '');
  if (address !== '' && toldBy.startsWith('tls:') && !/^(tls:|unix:|\/)/.test(address)) address = `tls:${address}`;
  return {address, token: params.token === undefined ? undefined : Number(numberOf(params.token))};
}

/** Where the commands of a table go. */
export class Route {
  constructor(home) {
    this.address = '';  // empty: home
    this.token = 0;
    this.line = home;       // undefined: there is no connection yet
    this.isShared = false;  // nodes decide for it in turn
    // Some of its commands wait, or are in flight elsewhere: later ones must not overtake them.
    this.unsettled = false;
    this.blocked = false;  // while the link goes through what waits
  }

  /** False: ask again after a pause only, as this brings nothing new. An older token is not followed. */
  follow(moved, toldBy, home) {
    this.isShared = true;
    this.unsettled = true;
    if (moved.address === '') {
      // Home has what the nodes know, sooner or later.
      if (this.line === toldBy) this.goHome(home);
      return false;
    }
    const token = moved.token ?? this.token;
    if (token < this.token) return this.line !== toldBy;
    // Of two that point at each other, both say the same token.
    const isFirst = this.address === '' && toldBy === home;
    const isNew = token > this.token || isFirst || moved.address === this.address;
    if (moved.address !== this.address) {
      this.address = moved.address;
      this.line = undefined;
    }
    this.token = token;
    return isNew && this.line !== toldBy && moved.address !== toldBy.address;
  }

  goHome(home) {
    this.address = '';
    this.line = home;
  }
}
