// Names that nobody else has: of a client that numbers what it sends.
import {randomBytes} from 'node:crypto';

/** "client-" and 32 digits. */
export function drawnName() { return `client-${randomBytes(16).toString('hex')}`; }
