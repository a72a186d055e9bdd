import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a browser insists on HTTPS, in seconds: a year. */
const INSIST_FOR = 31_536_000;

/**
 * What every answer tells a browser: to take it for what it says it is, to ask by HTTPS from now on where it came by HTTPS, and
 * where it was made for one caller, to keep it nowhere.
 */
export function guardAnswer({ raw, protocol }: FastifyRequest, reply: FastifyReply, isForOne: boolean): void {
  void reply.header('x-content-type-options', 'nosniff');
  if ('encrypted' in raw.socket || protocol === 'https') {
    void reply.header('strict-transport-security', `max-age=${INSIST_FOR}`);
  }
  if (isForOne && !reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
}
