import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a browser uses HTTPS only, in seconds: a year. */
const INSIST_FOR = 31_536_000;

/**
 * Adds the headers that protect every answer in a browser: do not guess the content type; after an HTTPS answer, use HTTPS
 * only; never store an answer that was made for one caller.
 */
export function guardAnswer(request: FastifyRequest, reply: FastifyReply, isForOne: boolean): void {
  void reply.header('x-content-type-options', 'nosniff');
  if (isEncrypted(request)) {
    void reply.header('strict-transport-security', `max-age=${INSIST_FOR}`);
  }
  if (isForOne && !reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
}

/**
 * Whether the caller speaks HTTPS, with the service or with a trusted proxy. Fastify looks at addresses for `protocol`, so it
 * is asked last.
 */
function isEncrypted(request: FastifyRequest): boolean {
  if ('encrypted' in request.raw.socket) return true;
  return request.headers['x-forwarded-proto'] !== undefined && request.protocol === 'https';
}
