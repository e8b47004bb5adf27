// Addresses, and sockets made of them: TCP, unix sockets, and TLS over both.
import {readFileSync} from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';

import {errorOf} from './error_of.js';
import {BadParameterError} from './errors.js';

/** The parts of "HOST:PORT", "[IPV6]:PORT", "unix:PATH" or "/PATH", with "tls:" before it or not. */
export function parseAddress(server) {
  const text = String(server);
  const secure = text.startsWith('tls:');
  const place = secure ? text.slice(4) : text;
  const path = place.startsWith('unix:') ? place.slice(5) : place.startsWith('/') ? place : undefined;
  if (path !== undefined) {
    const bytes = Buffer.byteLength(path);
    if (bytes < 1 || bytes > 107)
      throw new BadParameterError(`'${text}' is no address: the path of a unix socket has 1 to 107 bytes`);
    return {secure, path};
  }
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(place);
  if (match === null || Number(match[3]) > 65_535) {
    throw new BadParameterError(
        `'${text}' is no address: expected HOST:PORT, [IPV6]:PORT, unix:PATH or /PATH, and tls: before it where the ` +
            'daemon speaks TLS',
    );
  }
  return {secure, host: match[1] ?? match[2], port: Number(match[3])};
}

function pem(given, option) {
  if (given === undefined || given === '') return undefined;
  if (typeof given !== 'string') return given;
  try {
    return readFileSync(given);
  } catch (error) {
    throw errorOf('unavailable', `option ${option}: ${error.message}`);
  }
}

// Node 18 tries the first address of a name alone, as a rule ::1 of localhost.
const ALL_ADDRESSES = {
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 1_000
};

/** A socket that is connecting; `ready` is the event after which it may be used. Throws a FastjournalError. */
export function openSocket(options) {
  const {secure, ...place} = parseAddress(options.server);
  if (!secure) {
    // A listener may be idle for hours: without keep-alive it never notices a vanished daemon.
    const socket =
        net.connect({...place, ...ALL_ADDRESSES, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000});
    return {socket, ready: 'connect'};
  }
  const given = {
    ...place,
    ...ALL_ADDRESSES,
    ca: pem(options.ca, 'ca'),
    cert: pem(options.certificate, 'certificate'),
    key: pem(options.key, 'key'),
    minVersion: 'TLSv1.2',
  };
  if (place.path !== undefined)
    given.servername = 'localhost';
  else if (net.isIP(place.host) === 0)
    given.servername = place.host;
  let socket;
  try {
    socket = tls.connect(given);
  } catch (error) {
    throw errorOf('unavailable', `cannot connect to ${options.server}: ${error.message}`, {tls: 'failed'});
  }
  socket.setNoDelay?.(true);
  socket.setKeepAlive?.(true, 30_000);
  return {socket, ready: 'secureConnect'};
}

/** What an error of a socket means: its text and, for TLS, the fact `tls` as in clients/README.md. */
export function reasonOf(error) {
  const code = String(error.code ?? '');
  if (/^ERR_SSL_.*ALERT/.test(code) && !/PROTOCOL_VERSION|HANDSHAKE_FAILURE|INTERNAL/.test(code))
    return {
      refused: true,
      text: `it does not accept this client's certificate (${error.message})`,
      facts: {tls: 'refused'},
    };
  if (/CERT|SIGNATURE|ISSUER|SELF_SIGNED/.test(code))
    return {
      text: `its certificate is not trusted (${error.message}); option ca names the authorities`,
      facts: {tls: 'certificate'},
    };
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO')
    return {text: `no TLS is spoken there (${error.message})`, facts: {tls: 'plain'}};
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return {text: error.message, facts: {tls: 'failed'}};
  // Of several addresses of a name, each has failed.
  if (error.errors?.length > 0) return {text: error.errors.map((one) => one.message).join('; '), facts: {}};
  return {text: error.message, facts: {}};
}
