import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Time } from '#eventsourcing';
import { NOBODY, type Caller } from './call.js';
import type { EarlyLog } from './early-refusals.js';
import type { ErrorType } from './errors.js';
import { AnonymousLogLimit } from './anonymous-log-limit.js';
import { plainAddress } from './networks.js';
import { isMonitoringPath } from './paths.js';
import type { RequestFigures } from './request-figures.js';
import { routeOf } from './route-of.js';

/** Why a request was refused. */
interface Refusal {
  readonly type: ErrorType;
  /** The stream of the event log that cannot be used, if that is why. */
  readonly stream?: string | undefined;
  /** The domain code, if it has one. */
  readonly code?: string | undefined;
}

const refusals = new WeakMap<FastifyRequest, Refusal>();

/** Notes why a request was refused, for its log line and for metrics. */
export function noteRefusal(request: FastifyRequest, refusal: Refusal): void {
  refusals.set(request, refusal);
}

/** Why answers broke off after they had begun. */
const breaks = new WeakMap<FastifyRequest, unknown>();

/** Notes why an answer breaks off that has begun, so that nothing else can tell it. */
export function noteBreak(request: FastifyRequest, error: unknown): void {
  breaks.set(request, error);
}

/**
 * Counts and logs every request after its answer was sent or its caller went away. A line has ids and the route's template. It
 * never has content of a path, query, header or body, except the request id and trace ids that the caller sent. Requests without a
 * valid credential get a bounded number of lines. Call it before any other hook is added.
 */
export function watchRequests(
  server: FastifyInstance,
  { log, anonymous, figures, time }: Pick<EarlyLog, 'log' | 'anonymous' | 'figures' | 'time'>,
): void {
  const logs = log.isLevelEnabled('error');
  const debug = log.isLevelEnabled('debug');
  server.addHook('onClose', () => anonymous.end());
  server.addHook('onRequest', (request, reply, done) => {
    const began = time.monotonic();
    const { socket } = request.raw;
    const written = socket.bytesWritten;
    figures?.begins();
    reply.raw.once('close', () => {
      const status = reply.raw.headersSent ? reply.raw.statusCode : null;
      if (figures !== undefined) count(figures, request, status, time.monotonic() - began);
      if (!logs) return;
      logAct(log, request);
      const level = levelOf(request, reply);
      if (!log.isLevelEnabled(level)) return;
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

function count(figures: RequestFigures, request: FastifyRequest, status: number | null, took: number): void {
  figures.ends(request.method, routeOf(request).url, status ?? 0, took, callerIn(request));
  const refusal = status !== null && status >= 400 ? refusals.get(request) : undefined;
  if (refusal !== undefined) figures.refused(refusal.code ?? refusal.type);
}

/** A request that is refused early has no call yet. */
function callerIn({ call }: Partial<FastifyRequest>): Caller {
  return call?.caller ?? NOBODY;
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

function isAnonymous(request: FastifyRequest): boolean {
  return callerIn(request).kind === 'nobody';
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
  const { requestId, parentId, span } = trace ?? {};
  const traceId = span?.context.sampled === true ? span.context.traceId : trace?.traceId;
  return {
    request_id: requestId ?? id,
    // The correlation of its events, which differs if the caller sent a request id.
    ...(requestId === undefined || requestId === id ? undefined : { correlation: id }),
    ...(traceId === undefined
      ? undefined
      : { trace_id: traceId, ...(parentId !== undefined && { parent_id: parentId }) }),
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
