import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a browser uses HTTPS only, in seconds: a year. */
const INSIST_FOR = 31_536_000;

/**
 * Adds the headers that protect every answer in a browser: do not guess the content type; after an HTTPS answer, use HTTPS
 * only; never store an answer that was made for one caller.
 */
export function guardAnswer({ raw, protocol }: FastifyRequest, reply: FastifyReply, isForOne: boolean): void {
  void reply.header('x-content-type-options', 'nosniff');
  if ('encrypted' in raw.socket || protocol === 'https') {
    void reply.header('strict-transport-security', `max-age=${INSIST_FOR}`);
  }
  if (isForOne && !reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
}
