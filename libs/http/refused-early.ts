import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { plain } from './errors.js';
import { requestIds } from './request-ids.js';

/** What Node refuses before there is a request, by its code, in our words. */
const REFUSALS: Readonly<Record<string, readonly [status: number, words: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the request line and headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
};
const UNREADABLE = [400, 'the request is not HTTP/1.1'] as const;

const nextId = requestIds();

/** Answers what Node’s parser refuses, as every other error is answered (ruling A8), and closes the connection. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  // Whoever has gone needs no answer; nor is there a place for one in the middle of another.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, words] = REFUSALS[error.code ?? ''] ?? UNREADABLE;
  const { head, body } = answerOf(status, words);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

/** Refuses what a request expects of us beside `100-continue` (RFC 9110, 10.1.1). */
export function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { head, body } = answerOf(417, 'Expect may be 100-continue alone');
    response.writeHead(417, head).end(body);
  });
}

function answerOf(status: number, words: string): { head: Record<string, string>; body: string } {
  const body = JSON.stringify(plain(status, 'validation_failed', words).body);
  const head = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'request-id': nextId(),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    connection: 'close',
  };
  return { head, body };
}
