import {
  STATUS_CODES,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Time } from '#eventsourcing';
import { plain, type ErrorType } from './errors.js';
import { endGracefully } from './connection-closing.js';
import type { AnonymousLogLimit } from './anonymous-log-limit.js';
import type { RequestFigures } from './request-figures.js';
import { traceOf } from './trace.js';

/** The answers to requests that Node refuses before there is a request object, by Node's error code. */
const REFUSALS: Readonly<Record<string, readonly [status: number, words: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the request line and headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long'],
};
const UNREADABLE = [400, 'the request is not HTTP/1.1'] as const;

/** The log of requests that are refused early, and the bound of its lines. */
export interface EarlyLog {
  readonly log: Logger;
  readonly anonymous: AnonymousLogLimit;
  /** Counts them; undefined where nobody counts. */
  readonly figures: RequestFigures | undefined;
  /** Makes an id for a request that has none. */
  readonly newId: () => string;
  readonly time: Time;
}

interface RefusedCall {
  readonly method: string | null;
  readonly address: string | undefined;
  readonly status: number;
  readonly head: Head;
}

/**
 * Answers requests that Node's parser refuses, in the form of every other error (ruling A8). It closes the connection, and logs
 * the request like any other.
 */
export function answerUnreadable(log: EarlyLog): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // The caller is gone, or another answer is under way.
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

/**
 * Refuses every `Expect` but `100-continue` (RFC 9110, 10.1.1).
 * @param inTurn makes a listener wait for the earlier requests of a connection
 */
export function refuseExpectations(
  server: Server,
  log: EarlyLog,
  inTurn: (run: RequestListener) => RequestListener,
): void {
  const refuse: RequestListener = ({ method, headers, socket }, response) => {
    const { head, body } = answerOf(
      417,
      'the only Expect that the service supports is 100-continue',
      log.newId(),
      headers,
    );
    response.writeHead(417, head).end(body);
    tell(log, { method: method ?? null, address: socket.remoteAddress, status: 417, head });
  };
  server.on('checkExpectation', inTurn(refuse));
}

/** The methods that the service's calls have. */
const METHODS = 'DELETE, GET, HEAD, OPTIONS, POST, PUT';

/** Refuses CONNECT, which asks for a tunnel (RFC 9110, 9.3.6). Node no longer manages this connection. */
export function refuseTunnels(server: Server, log: EarlyLog): void {
  server.on('connect', ({ headers }: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const answer = answerOf(
      405,
      'this service is not a proxy: it does not support CONNECT',
      log.newId(),
      headers,
      'method_not_allowed',
    );
    const head = { ...answer.head, allow: METHODS };
    endGracefully(socket, log.time, asBytes(405, { ...answer, head }));
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

/** Counts and logs it: it gets the line that every request has. Unknown values are null: the request was never read. */
function tell({ log, anonymous, figures }: EarlyLog, { method, address, status, head }: RefusedCall): void {
  figures?.noteEarly(method, status);
  if (!log.isLevelEnabled('warn') || !anonymous.takes(address, status)) return;
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
