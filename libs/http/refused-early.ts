import {
  STATUS_CODES,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Time } from '#eventsourcing';
import { plain, type ErrorType } from './errors.js';
import { endGently } from './farewell.js';
import type { LinesOfNobody } from './lines-of-nobody.js';
import { traceOf } from './trace.js';

/** What Node refuses before there is a request, by its code, in our words. */
const REFUSALS: Readonly<Record<string, readonly [status: number, words: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the request line and headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
};
const UNREADABLE = [400, 'the request is not HTTP/1.1'] as const;

/** Where it is told, and how much of it is bearable. */
export interface EarlyLog {
  readonly log: Logger;
  readonly ofNobody: LinesOfNobody;
  /** Makes the id of a request that names itself by none. */
  readonly newId: () => string;
  readonly time: Time;
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
    const answer = answerOf(status, words, log.newId());
    const { head } = answer;
    socket.end(asBytes(status, answer));
    tell(log, { method: null, address: socket.remoteAddress, status, head });
  };
}

/** Refuses what a request expects of us beside `100-continue` (RFC 9110, 10.1.1). */
export function refuseExpectations(server: Server, log: EarlyLog): void {
  server.on('checkExpectation', ({ method, headers, socket }: IncomingMessage, response: ServerResponse) => {
    const { head, body } = answerOf(417, 'Expect may be 100-continue alone', log.newId(), headers);
    response.writeHead(417, head).end(body);
    tell(log, { method: method ?? null, address: socket.remoteAddress, status: 417, head });
  });
}

/** The methods that some call of ours has. */
const METHODS = 'DELETE, GET, HEAD, OPTIONS, POST, PUT';

/** Refuses to be a proxy: CONNECT asks for a tunnel (RFC 9110, 9.3.6). Node has let go of the connection by then. */
export function refuseTunnels(server: Server, log: EarlyLog): void {
  server.on('connect', ({ headers }: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const answer = answerOf(405, 'this is no proxy: CONNECT leads nowhere', log.newId(), headers, 'method_not_allowed');
    const head = { ...answer.head, allow: METHODS };
    endGently(socket, log.time, asBytes(405, { ...answer, head }));
    tell(log, { method: 'CONNECT', address: socket.remoteAddress, status: 405, head });
  });
}

type Head = Readonly<Record<'request-id' | 'content-length', string>> & Readonly<Record<string, string>>;

interface EarlyAnswer {
  readonly head: Head;
  readonly body: string;
}

function asBytes(status: number, { head, body }: EarlyAnswer): string {
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

function answerOf(
  status: number,
  words: string,
  ownId: string,
  headers: IncomingHttpHeaders = {},
  type: ErrorType = 'validation_failed',
): EarlyAnswer {
  const { requestId } = traceOf(headers, ownId);
  const body = JSON.stringify(plain(status, type, words).body);
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
