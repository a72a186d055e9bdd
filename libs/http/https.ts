import type { FastifyRequest } from 'fastify';
import { isMonitoringPath } from './paths.js';
import type { Proxies } from './proxies.js';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Whether a request is safe to serve (ruling A3): nobody can listen in, or there is nothing to hear. */
export function isSafe(request: FastifyRequest, proxies: Proxies): boolean {
  return isMonitoringPath(request.url) || isConfidential(request, proxies);
}

/**
 * Whether nobody can listen in: a trusted proxy says that it received the request by HTTPS; or, without such a header, it came
 * over TLS or from this machine. The header of any other sender does not count.
 */
export function isConfidential({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>, proxies: Proxies): boolean {
  const { socket } = raw;
  const sent = headers['x-forwarded-proto'];
  const protocol = sent !== undefined && proxies.trusts(socket.remoteAddress) ? sent : undefined;
  if (protocol === undefined) return 'encrypted' in socket || LOOPBACK.test(socket.remoteAddress ?? '');
  // Each proxy appends its own value: the last one is from the proxy that we trust.
  return String(protocol).split(',').at(-1)?.trim().toLowerCase() === 'https';
}
