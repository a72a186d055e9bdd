import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Time } from '#eventsourcing';
import type { Caller } from './call.js';
import type { ErrorType } from './errors.js';
import { LinesOfNobody } from './lines-of-nobody.js';
import { isForWatchers } from './paths.js';

/** Why requests were refused. */
const errorTypes = new WeakMap<FastifyRequest, ErrorType>();

/** Notes why a request is refused: its line says so. */
export function noteErrorType(request: FastifyRequest, type: ErrorType): void {
  errorTypes.set(request, type);
}

/**
 * Tells of every request, once its answer has gone out or its caller is gone: who asked for what, by ids and the route's
 * template alone; of requests without a valid credential, of so many as are bearable. Neither what a path, a query, a header
 * or a body holds is told, but for the ids that a caller names its request by. To be called before any other hook.
 */
export function logRequests(server: FastifyInstance, log: Logger, ofNobody: LinesOfNobody, time: Time): void {
  if (!log.isLevelEnabled('error')) return;
  const debug = log.isLevelEnabled('debug');
  server.addHook('onClose', () => ofNobody.end());
  server.addHook('onRequest', (request, reply, done) => {
    const began = time.monotonic();
    const { socket } = request.raw;
    const written = socket.bytesWritten;
    reply.raw.once('close', () => {
      const level = levelOf(request, reply);
      if (!log.isLevelEnabled(level)) return;
      const status = reply.raw.headersSent ? reply.raw.statusCode : null;
      if (isOfNobody(request) && BOUNDED.has(level) && !ofNobody.takes(request.ip, status)) return;
      log[level](
        {
          method: request.method,
          route: routeOf(request),
          status,
          ...refusalOf(request, status),
          duration_ms: Math.round((time.monotonic() - began) * 1_000) / 1_000,
          ...idsOf(request),
          bytes_in: Number(request.headers['content-length'] ?? 0),
          bytes_out: bytesOf(reply) ?? socket.bytesWritten - written,
          ...(reply.raw.writableFinished ? undefined : { aborted: true }),
        },
        'request',
      );
    });
    if (debug) log.debug({ method: request.method, route: routeOf(request), ...idsOf(request) }, 'request begins');
    done();
  });
}

/** Of requests without a valid credential, as many lines as are bearable; the others are counted in one. */
export function linesOfNobody(log: Logger, time: Time): LinesOfNobody {
  return new LinesOfNobody((untold) => log.warn({ untold }, UNTOLD), time);
}

const UNTOLD = 'requests without a valid credential that have no line of their own';

/** What is a fault of ours has its line, and so has what an operator asks to see. */
const BOUNDED = new Set(['info', 'warn']);

/** What is refused at once has no call yet. */
function isOfNobody({ call }: Partial<FastifyRequest>): boolean {
  return call === undefined || call.caller.kind === 'nobody';
}

/** What watches over the service asks all the time; what failed is told where success is not. */
function levelOf(request: FastifyRequest, reply: FastifyReply): 'debug' | 'info' | 'warn' | 'error' {
  if (isForWatchers(request.url)) return 'debug';
  if (!reply.raw.writableFinished) return 'warn';
  const { statusCode } = reply.raw;
  if (statusCode >= 500) return 'error';
  return statusCode >= 400 ? 'warn' : 'info';
}

/** `/deals/:deal_id`, never the path itself; null where there is no such route. */
function routeOf({ routeOptions }: FastifyRequest): string | null {
  return routeOptions.url ?? null;
}

function idsOf({ id, trace, call }: Partial<FastifyRequest>): object {
  const { requestId, traceId, parentId } = trace ?? {};
  return {
    request_id: requestId ?? id,
    // Under which its events are found, where the caller has named the request.
    ...(requestId === undefined || requestId === id ? undefined : { correlation: id }),
    ...(traceId === undefined ? undefined : { trace_id: traceId, parent_id: parentId }),
    ...callerOf(call?.caller),
  };
}

/** Of a credential its id, which opens nothing. */
function callerOf(caller: Caller | undefined): object {
  if (caller === undefined || caller.kind === 'nobody') return { client: null, credential: null };
  if (caller.kind === 'partner') return { client: 'partner', credential: caller.credential };
  return { client: caller.role, credential: caller.id };
}

/**
 * Why it was refused; and of a failed credential the address that it came from, for whoever tries others' must be found: no
 * other line has one.
 */
function refusalOf(request: FastifyRequest, status: number | null): object {
  const type = errorTypes.get(request);
  return { ...(type !== undefined && { error_type: type }), ...(status === 401 && { address: request.ip }) };
}

/** The bytes of the answer's body; undefined where nobody knew them in advance. */
function bytesOf(reply: FastifyReply): number | undefined {
  const length = reply.getHeader('content-length');
  return length === undefined ? undefined : Number(length);
}
