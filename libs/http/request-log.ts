import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Time } from '#eventsourcing';
import type { Caller } from './call.js';
import type { ErrorType } from './errors.js';
import { AnonymousLogLimit } from './anonymous-log-limit.js';
import { plainAddress } from './networks.js';
import { isMonitoringPath } from './paths.js';
import { routeOf } from './route-of.js';

/** Why requests were refused. */
const refusals = new WeakMap<FastifyRequest, { readonly type: ErrorType; readonly stream: string | undefined }>();

/**
 * Notes why a request was refused, for its log line.
 * @param stream the stream of the event log that cannot be used, if that is why
 */
export function noteRefusal(request: FastifyRequest, type: ErrorType, stream?: string): void {
  refusals.set(request, { type, stream });
}

/** Why answers broke off after they had begun. */
const breaks = new WeakMap<FastifyRequest, unknown>();

/** Notes why an answer breaks off that has begun, so that nothing else can tell it. */
export function noteBreak(request: FastifyRequest, error: unknown): void {
  breaks.set(request, error);
}

/**
 * Logs every request after its answer was sent or its caller went away. A line has ids and the route's template. It never has
 * content of a path, query, header or body, except the request id and trace ids that the caller sent. Requests without a valid
 * credential get a bounded number of lines. Call it before any other hook is added.
 */
export function logRequests(server: FastifyInstance, log: Logger, anonymous: AnonymousLogLimit, time: Time): void {
  if (!log.isLevelEnabled('error')) return;
  const debug = log.isLevelEnabled('debug');
  server.addHook('onClose', () => anonymous.end());
  server.addHook('onRequest', (request, reply, done) => {
    const began = time.monotonic();
    const { socket } = request.raw;
    const written = socket.bytesWritten;
    reply.raw.once('close', () => {
      logAct(log, request);
      const level = levelOf(request, reply);
      if (!log.isLevelEnabled(level)) return;
      const status = reply.raw.headersSent ? reply.raw.statusCode : null;
      if (isAnonymous(request) && BOUNDED.has(level) && !anonymous.takes(request.ip, status)) return;
      log[level](
        {
          method: request.method,
          route: templateOf(request),
          status,
          ...refusalOf(request, status),
          duration_ms: Math.round((time.monotonic() - began) * 1_000) / 1_000,
          ...idsOf(request),
          bytes_in: Number(request.headers['content-length'] ?? 0),
          bytes_out: bytesOf(reply) ?? socket.bytesWritten - written,
          ...(reply.raw.writableFinished ? undefined : { aborted: true }),
          ...(breaks.has(request) && { err: breaks.get(request) }),
        },
        'request',
      );
    });
    if (debug) log.debug({ method: request.method, route: templateOf(request), ...idsOf(request) }, 'request begins');
    done();
  });
}

/** What was done is logged, whatever became of the answer. */
function logAct(log: Logger, request: Partial<FastifyRequest>): void {
  const act = request.call?.act;
  if (act !== undefined) log.info({ ...act.of, ...idsOf(request) }, act.words);
}

/** Bounds the lines of requests without a valid credential. One line counts the rest. */
export function anonymousLogLimit(log: Logger, time: Time): AnonymousLogLimit {
  return new AnonymousLogLimit((notLogged) => log.warn({ not_logged: notLogged }, NOT_LOGGED), time);
}

const NOT_LOGGED = 'more requests without a valid credential: not logged one by one';

/** The bound applies to these levels: errors, and debug lines that an operator asked for, always get a line. */
const BOUNDED = new Set(['info', 'warn']);

/** A request that is refused early has no call yet. */
function isAnonymous({ call }: Partial<FastifyRequest>): boolean {
  return call === undefined || call.caller.kind === 'nobody';
}

/** Monitoring calls all the time, so its lines are `debug`. Failures have a higher level than successes. */
function levelOf(request: FastifyRequest, reply: FastifyReply): 'debug' | 'info' | 'warn' | 'error' {
  if (isMonitoringPath(request.url)) return 'debug';
  if (breaks.has(request)) return 'error';
  if (!reply.raw.writableFinished) return 'warn';
  const { statusCode } = reply.raw;
  if (statusCode >= 500) return 'error';
  return statusCode >= 400 ? 'warn' : 'info';
}

/** The route's template, such as `/deals/:deal_id`, never the path; null if no route matches. */
function templateOf(request: FastifyRequest): string | null {
  return routeOf(request).url ?? null;
}

function idsOf({ id, trace, call }: Partial<FastifyRequest>): object {
  const { requestId, traceId, parentId } = trace ?? {};
  return {
    request_id: requestId ?? id,
    // The correlation of its events, which differs if the caller sent a request id.
    ...(requestId === undefined || requestId === id ? undefined : { correlation: id }),
    ...(traceId === undefined ? undefined : { trace_id: traceId, parent_id: parentId }),
    ...callerOf(call?.caller),
  };
}

/** The id of the credential, never the credential itself. */
function callerOf(caller: Caller | undefined): object {
  if (caller === undefined || caller.kind === 'nobody') return { client: null, credential: null };
  if (caller.kind === 'partner') {
    return { client: caller.token === undefined ? 'partner' : 'user', credential: caller.credential };
  }
  return { client: caller.role, credential: caller.id };
}

/**
 * The error type of a refused request. A failed credential also has the caller's address, so that operators can find whoever
 * tries credentials; no other line has it. A call that needs a damaged stream has its name, as the health report has.
 */
function refusalOf(request: FastifyRequest, status: number | null): object {
  const { type, stream } = refusals.get(request) ?? {};
  return {
    ...(type !== undefined && { error_type: type }),
    ...(stream !== undefined && { stream }),
    ...(status === 401 && { address: plainAddress(request.ip) }),
  };
}

/** The bytes of the answer's body; undefined if they were not known in advance. */
function bytesOf(reply: FastifyReply): number | undefined {
  const length = reply.getHeader('content-length');
  return length === undefined ? undefined : Number(length);
}
