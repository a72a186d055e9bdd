import type { FastifyRequest } from 'fastify';
import { isForWatchers } from './paths.js';
import type { Proxies } from './proxies.js';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/**
 * Whether a request may be served (ruling A3): a trusted proxy says that it came to it by HTTPS; or where none speaks, it came
 * over TLS, or from this machine. What other senders say of HTTPS counts for nothing.
 */
export function isSafe({ raw, headers, url }: FastifyRequest, proxies: Proxies): boolean {
  if (isForWatchers(url)) return true;
  const { socket } = raw;
  const said = proxies.trusts(socket.remoteAddress) ? headers['x-forwarded-proto'] : undefined;
  if (said === undefined) return 'encrypted' in socket || LOOPBACK.test(socket.remoteAddress ?? '');
  // Each proxy adds what it saw: the last word is that of the one that we trust.
  return String(said).split(',').at(-1)?.trim().toLowerCase() === 'https';
}
