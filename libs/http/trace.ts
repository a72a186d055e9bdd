import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HEADERS } from '#kernel/bounds';

/** By what a request is found again: in the answer, in the log, in the caller's own records. */
export interface Trace {
  /** What the answer's Request-Id says: the caller's own id, or else ours. */
  readonly requestId: string;
  /** The trace that the request is part of, by its `traceparent`; undefined where it says none. */
  readonly traceId: string | undefined;
  /** The caller's step of that trace. */
  readonly parentId: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace;
  }
}

/** A caller's id of a request: printable, without spaces. Any other, and a longer one, counts as none. */
const REQUEST_ID = /^[\x21-\x7e]+$/;

/** W3C Trace Context: version, trace, parent, flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** The trace that a request says it is part of; what is malformed, or too long, counts as nothing said. */
export function traceOf(headers: FastifyRequest['headers'], ownId: string): Trace {
  const asked = boundedIn(headers, 'X-Request-Id');
  const [, traceId, parentId] = TRACEPARENT.exec(boundedIn(headers, 'traceparent')) ?? [];
  return { requestId: REQUEST_ID.test(asked) ? asked : ownId, traceId, parentId };
}

function boundedIn(headers: FastifyRequest['headers'], name: 'X-Request-Id' | 'traceparent'): string {
  const sent = headers[name.toLowerCase()];
  return typeof sent === 'string' && sent.length <= HEADERS[name] ? sent : '';
}

/** Every answer says its request's id, under the name that the caller gave one by, too. To be called before any other hook. */
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
