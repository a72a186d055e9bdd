import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '#eventsourcing';
import { THROWN_AWAY, WAITS } from '#kernel/bounds';
import { expectsContinue } from './read-body.js';

/** Whether a request has a body that has not been read to its end. */
export function isUnread(raw: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
  return !raw.complete && (encoding !== undefined || length !== '0');
}

/**
 * Lets the connection of a refused body go on, where so little of it is still to come that a new connection would cost more:
 * Node reads it, once the answer has gone out, and throws it away.
 * @returns false where there may be more, or none: whoever waits for `100 Continue` need not send it
 */
export function throwAway(raw: IncomingMessage, time: Time): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
  const isLittle = encoding === undefined && Number(length) <= THROWN_AWAY;
  if (!isLittle || raw.readableDidRead || expectsContinue(raw)) return false;
  const late = time.after(WAITS.body, () => raw.socket.destroy());
  raw.once('close', () => time.cancel(late));
  return true;
}

/**
 * Lets a caller take the answer while it still sends what nobody reads: a connection that is closed at once would be reset,
 * and the answer be lost. What comes meanwhile is left to the system, for a little while.
 */
export function closeGently(raw: IncomingMessage, time: Time): void {
  const { socket } = raw;
  // Node reads the rest of what nobody reads, however long it is, to throw it away. Once it was read from, it waits instead.
  raw.pause();
  raw.read();
  // Node calls this when the answer of a connection that ends is written.
  socket.destroySoon = () => endGently(socket, time);
}

/** Ends a connection with these last bytes, and closes it a little while later, whatever its caller does. */
export function endGently(socket: Socket, time: Time, last = ''): void {
  socket.end(last);
  const late = time.after(WAITS.farewell, () => socket.destroy());
  socket.once('close', () => time.cancel(late));
}
