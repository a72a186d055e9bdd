import type { IncomingMessage } from 'node:http';

const OURS = /^\/(operators|auditors|health|metrics|openapi|docs)(\/|\.|\?|$)/;

const FOR_WATCHERS = /^\/(health\/|(openapi\.json|docs)([?/]|$))/;

/** The calls of generation 3 have this prefix, and no other in front of it. */
const V3 = '/api/v3/';

/** A path without a route. */
const NOWHERE = '//';

/**
 * Brings the paths of the interface to one form (ruling A1): `/v1` and `/api/v1` are dropped, and so is a `.json` suffix.
 * What begins with `/api/v3` keeps that prefix, and answers below no other. The paths of operators, auditors and health
 * checks stay as they are, and answer without a prefix only. A path that cannot be decoded leads nowhere: the router would
 * answer it by itself, before HTTPS is asked for and without a Request-Id; nor does what is no path.
 */
export function plainPath(target: string): string {
  const url = originForm(target);
  // Such as the `*` of an OPTIONS: the router would take it for a pattern of its own.
  if (!url.startsWith('/')) return NOWHERE;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  if (path.includes('%') && !decodable(path)) return NOWHERE;
  const query = end < 0 ? '' : url.slice(end);
  let plain = path;
  if (plain.startsWith('/v1/')) plain = plain.slice(3);
  else if (plain.startsWith('/api/v1/')) plain = plain.slice(7);
  if (OURS.test(plain) || (plain !== path && plain.startsWith(V3))) return url;
  if (plain.endsWith('.json')) plain = plain.slice(0, -5);
  return (plain === '/' && path !== '/' ? NOWHERE : plain) + query;
}

/** A deal as its `show_url` names it. */
const DEAL = /^\/deals\/(?!locate(?:[?.]|$))[^/?]+$/;

/**
 * Where a request leads whose caller is a person: a browser that opens a deal's `show_url`, without a credential, is shown
 * the page that its `purchase_url` names (ruling H4). Everybody else is led where the address says.
 */
export function pathFor({ method, url = '/', headers }: IncomingMessage): string {
  const asked = headers.accept?.includes('text/html') === true && method === 'GET';
  const known = headers.authorization !== undefined || headers['x-api-key'] !== undefined || 'content-type' in headers;
  return plainPath(asked && !known && DEAL.test(url) ? `${url}/purchase` : url);
}

/** A request target without scheme and host, which a request to a proxy has in front (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** What stands behind the question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** Whether a path is for whoever watches over the service (ruling G11): without a key, a limit or HTTPS. */
export function isForWatchers(url: string): boolean {
  return FOR_WATCHERS.test(url);
}

function decodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
