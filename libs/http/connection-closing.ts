import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Time } from '#eventsourcing';
import { MOST_DISCARDED, WAITS } from '#kernel/bounds';
import { expectsContinue, isWhole } from './read-body.js';

/** Whether some of a request's body is still unread. */
export function isUnread(raw: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
  return !isWhole(raw) && (encoding !== undefined || length !== '0');
}

/** Whether Node closes the connection after this answer. */
export function isLast(answer: ServerResponse): boolean {
  return !answer.shouldKeepAlive || answer.getHeader('connection') === 'close';
}

/**
 * Keeps the connection of a refused body if the rest of the body costs less than a new connection. Node reads the rest after
 * it has sent the answer, and drops it.
 * @returns false if the body is too large, or if the caller still waits for `100 Continue` and need not send it
 */
export function discardBody(raw: IncomingMessage, time: Time): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers;
  const isLittle = encoding === undefined && Number(length) <= MOST_DISCARDED;
  if (!isLittle || raw.readableDidRead || expectsContinue(raw)) return false;
  const late = time.after(WAITS.body, () => raw.socket.destroy());
  raw.once('close', () => time.cancel(late));
  return true;
}

/**
 * Gives a caller time to read the answer while it still sends its body. Closing the connection immediately would reset it, and
 * the answer would be lost. The service does not read the rest of the body.
 */
export function closeGracefully(raw: IncomingMessage, time: Time): void {
  const { socket } = raw;
  // Node reads and drops all of a body that nobody has read from. After one read it waits instead.
  raw.pause();
  raw.read();
  // Node calls this after it has written the last answer of a connection.
  socket.destroySoon = () => endGracefully(socket, time);
}

/** Ends a connection with these last bytes, and closes it a little later, even if the caller does not. */
export function endGracefully(socket: Socket, time: Time, last = ''): void {
  socket.end(last);
  const late = time.after(WAITS.farewell, () => socket.destroy());
  socket.once('close', () => time.cancel(late));
}
