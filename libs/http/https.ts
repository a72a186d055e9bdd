import type { FastifyRequest } from 'fastify';
import { isMonitoringPath } from './paths.js';
import type { Proxies } from './proxies.js';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/**
 * Whether a request is safe to serve (ruling A3): a trusted proxy says that it received it by HTTPS; or, without such a header,
 * it came over TLS or from this machine. The header of any other sender does not count.
 */
export function isSafe({ raw, headers, url }: FastifyRequest, proxies: Proxies): boolean {
  if (isMonitoringPath(url)) return true;
  const { socket } = raw;
  const sent = headers['x-forwarded-proto'];
  const protocol = sent !== undefined && proxies.trusts(socket.remoteAddress) ? sent : undefined;
  if (protocol === undefined) return 'encrypted' in socket || LOOPBACK.test(socket.remoteAddress ?? '');
  // Each proxy appends its own value: the last one is from the proxy that we trust.
  return String(protocol).split(',').at(-1)?.trim().toLowerCase() === 'https';
}
