import {
  STATUS_CODES,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { plain } from './errors.js';
import type { LinesOfNobody } from './lines-of-nobody.js';
import { requestIds } from './request-ids.js';
import { traceOf } from './trace.js';

/** What Node refuses before there is a request, by its code, in our words. */
const REFUSALS: Readonly<Record<string, readonly [status: number, words: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the request line and headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
};
const UNREADABLE = [400, 'the request is not HTTP/1.1'] as const;

const nextId = requestIds();

/** Where it is told, and how much of it is bearable. */
export interface EarlyLog {
  readonly log: Logger;
  readonly ofNobody: LinesOfNobody;
}

interface Told {
  readonly method: string | null;
  readonly address: string | undefined;
  readonly status: number;
  readonly head: Head;
}

/**
 * Answers what Node’s parser refuses, as every other error is answered (ruling A8), closes the connection, and tells the log of
 * it as of every other request.
 */
export function answerUnreadable(log: EarlyLog): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // Whoever has gone needs no answer; nor is there a place for one in the middle of another.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const [status, words] = REFUSALS[error.code ?? ''] ?? UNREADABLE;
    const { head, body } = answerOf(status, words);
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
    tell(log, { method: null, address: socket.remoteAddress, status, head });
  };
}

/** Refuses what a request expects of us beside `100-continue` (RFC 9110, 10.1.1). */
export function refuseExpectations(server: Server, log: EarlyLog): void {
  server.on('checkExpectation', ({ method, headers, socket }: IncomingMessage, response: ServerResponse) => {
    const { head, body } = answerOf(417, 'Expect may be 100-continue alone', headers);
    response.writeHead(417, head).end(body);
    tell(log, { method: method ?? null, address: socket.remoteAddress, status: 417, head });
  });
}

type Head = Readonly<Record<'request-id' | 'content-length', string>> & Readonly<Record<string, string>>;

function answerOf(status: number, words: string, headers: IncomingHttpHeaders = {}): { head: Head; body: string } {
  const ownId = nextId();
  const { requestId } = traceOf(headers, ownId);
  const body = JSON.stringify(plain(status, 'validation_failed', words).body);
  const head = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'request-id': requestId,
    ...(requestId !== ownId && { 'x-request-id': requestId }),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    connection: 'close',
  };
  return { head, body };
}

/** A line as every request has it; what is not known of one that nobody has read is null. */
function tell({ log, ofNobody }: EarlyLog, { method, address = '', status, head }: Told): void {
  if (!log.isLevelEnabled('warn') || !ofNobody.takes(address, status)) return;
  log.warn(
    {
      method,
      route: null,
      status,
      duration_ms: null,
      request_id: head['request-id'],
      client: null,
      credential: null,
      bytes_in: null,
      bytes_out: Number(head['content-length']),
    },
    'request',
  );
}
