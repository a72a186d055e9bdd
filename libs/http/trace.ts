import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Span, type SpanContext, type Tracer } from '#eventsourcing';
import { HEADERS } from '#kernel/bounds';
import { isMonitoringPath } from './paths.js';
import { routeOf } from './route-of.js';

/** The ids of a request in the answer, in the log and in the caller's own records. */
export interface Trace {
  /** The `Request-Id` of the answer: the caller's own id, or else ours. */
  readonly requestId: string;
  /** The trace in `traceparent`, if the request has one. */
  readonly traceId: string | undefined;
  /** The caller's span in that trace. */
  readonly parentId: string | undefined;
  /** Whether the caller records the trace; undefined if the request has none. */
  readonly sampled: boolean | undefined;
  /** The span of this request; undefined if nobody traces it. */
  span?: Span | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace;
  }
}

/** A caller's request id: printable, without spaces. Any other one is ignored, and a longer one too. */
const REQUEST_ID = /^[\x21-\x7e]+$/;

/** W3C Trace Context: version, trace, parent, flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The ids that a request sends. Malformed or overlong ones are ignored. */
export function traceOf(headers: FastifyRequest['headers'], ownId: string): Trace {
  const header = boundedIn(headers, 'X-Request-Id');
  const [, traceId, parentId, flags] = TRACEPARENT.exec(boundedIn(headers, 'traceparent')) ?? [];
  const sampled = flags === undefined ? undefined : (Number.parseInt(flags, 16) & 1) === 1;
  return { requestId: REQUEST_ID.test(header) ? header : ownId, traceId, parentId, sampled };
}

function boundedIn(headers: FastifyRequest['headers'], name: 'X-Request-Id' | 'traceparent'): string {
  const sent = headers[name.toLowerCase()];
  return typeof sent === 'string' && sent.length <= HEADERS[name] ? sent : '';
}

/**
 * Adds the request id to every answer, also as `X-Request-Id` if the caller sent one. Call it before any other hook is added.
 * @param tracer set if requests are traced: all but those of monitoring
 */
export function traceRequests(server: FastifyInstance, tracer?: Tracer): void {
  server.decorateRequest('trace');
  server.addHook('onRequest', (request, reply, done) => {
    request.trace = traceOf(request.headers, request.id);
    if (tracer !== undefined && !isMonitoringPath(request.url)) beginSpan(tracer, request, reply);
    const { requestId } = request.trace;
    void reply.header('request-id', requestId);
    if (requestId !== request.id) void reply.header('x-request-id', requestId);
    done();
  });
}

/** Shows a request in a trace, up to the end of its answer: its route, never its path or query. */
function beginSpan(tracer: Tracer, request: FastifyRequest, reply: FastifyReply): void {
  const { method, trace } = request;
  const route = routeOf(request).url;
  const span = tracer.start(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    parent: callersSpan(trace),
    attributes: { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) },
  });
  trace.span = span;
  reply.raw.once('close', () => {
    const { statusCode, headersSent, writableFinished } = reply.raw;
    if (headersSent) span.set('http.response.status_code', statusCode);
    if (!writableFinished) span.set('holdfast.aborted', true);
    span.end(headersSent && statusCode >= 500 ? String(statusCode) : undefined);
  });
}

function callersSpan({ traceId, parentId, sampled = false }: Trace): SpanContext | undefined {
  return traceId === undefined || parentId === undefined
    ? undefined
    : { traceId, spanId: parentId, sampled, remote: true };
}
