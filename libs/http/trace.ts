import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HEADERS } from '#kernel/bounds';

/** The ids of a request in the answer, in the log and in the caller's own records. */
export interface Trace {
  /** The `Request-Id` of the answer: the caller's own id, or else ours. */
  readonly requestId: string;
  /** The trace in `traceparent`, if the request has one. */
  readonly traceId: string | undefined;
  /** The caller's span in that trace. */
  readonly parentId: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace;
  }
}

/** A caller's request id: printable, without spaces. Any other one is ignored, and a longer one too. */
const REQUEST_ID = /^[\x21-\x7e]+$/;

/** W3C Trace Context: version, trace, parent, flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** The ids that a request sends. Malformed or overlong ones are ignored. */
export function traceOf(headers: FastifyRequest['headers'], ownId: string): Trace {
  const header = boundedIn(headers, 'X-Request-Id');
  const [, traceId, parentId] = TRACEPARENT.exec(boundedIn(headers, 'traceparent')) ?? [];
  return { requestId: REQUEST_ID.test(header) ? header : ownId, traceId, parentId };
}

function boundedIn(headers: FastifyRequest['headers'], name: 'X-Request-Id' | 'traceparent'): string {
  const sent = headers[name.toLowerCase()];
  return typeof sent === 'string' && sent.length <= HEADERS[name] ? sent : '';
}

/** Adds the request id to every answer, also as `X-Request-Id` if the caller sent one. Call it before any other hook is added. */
export function traceRequests(server: FastifyInstance): void {
  server.decorateRequest('trace');
  server.addHook('onRequest', (request, reply, done) => {
    request.trace = traceOf(request.headers, request.id);
    const { requestId } = request.trace;
    void reply.header('request-id', requestId);
    if (requestId !== request.id) void reply.header('x-request-id', requestId);
    done();
  });
}
