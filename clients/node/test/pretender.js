// Daemons that are played by tests.
import net from 'node:net';

import {Writer} from '../lib/msgpack.js';
import {appendFrame, MessageReader} from '../lib/protocol.js';

export function frameOf(command, params, request = 1) {
  const out = new Writer(16);
  appendFrame(out, command, params, request);
  return Buffer.from(out.buffer.subarray(0, out.at));
}

/** The messages of a socket. */
export function readFrom(socket, take) {
  const reader = new MessageReader(2 ** 26, take, () => {});
  socket.on('data', (chunk) => reader.push(chunk));
  socket.on('error', () => {});
}

/** Its address. `answer(message, socket, nr)` is called for each message; nr counts connections from 1. */
export async function pretender(t, answer) {
  const sockets = new Set();
  let connections = 0;
  const server = net.createServer((socket) => {
    const nr = ++connections;
    sockets.add(socket);
    readFrom(socket, (message) => answer(message, socket, nr));
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${server.address().port}`;
}
