import type { IncomingMessage } from 'node:http';
import { LONGEST_IN_PATH } from '#kernel/bounds';
import { credentialsInForm } from './credential-scan.js';

const OURS = /^\/(operators|auditors|metrics|console|health|openapi|docs)(\/|\.|\?|$)/;

/** What belongs to the admin address, if there is one. The router ends a path at `?`, `#` and, if it is told to, `;`. */
const OF_OPERATORS = /^\/(operators|auditors|metrics|console)([/?#;]|$)/;

const FOR_WATCHERS = /^\/(health\/|(openapi\.json|docs)([?/]|$))/;

const METRICS = /^\/metrics([?]|$)/;

/** The prefix of generation 3. No other prefix may come before it. */
const V3 = '/api/v3/';

/** A path without a route. */
const NOWHERE = '//';

/**
 * Brings the paths of the interface to one form (ruling A1): it drops `/v1`, `/api/v1` and a `.json` suffix. `/api/v3` stays.
 * The paths of operators, auditors, the console, health checks and the API reference stay as they are, and have no prefix. A target that
 * cannot be decoded, or is not a path, becomes a path without a route: the router itself would answer it without a check of
 * HTTPS and without a Request-Id.
 */
export function plainPath(target: string): string {
  const url = originForm(target);
  // Such as the `*` of an OPTIONS request: the router would read it as a pattern.
  if (!url.startsWith('/')) return NOWHERE;
  const end = url.indexOf('?');
  const path = shortened(end < 0 ? url : url.slice(0, end));
  if (path.includes('%') && !decodable(path)) return NOWHERE;
  const query = end < 0 ? '' : url.slice(end);
  let plain = path;
  if (plain.startsWith('/v1/')) plain = plain.slice(3);
  else if (plain.startsWith('/api/v1/')) plain = plain.slice(7);
  if (OURS.test(plain) || (plain !== path && plain.startsWith(V3))) return path + query;
  if (plain.endsWith('.json')) plain = plain.slice(0, -5);
  return (plain === '/' && path !== '/' ? NOWHERE : plain) + query;
}

/**
 * Which of a service's addresses was called (ruling G11). `only`: it has one, which answers everything. With `ADMIN_HOST`,
 * `admin` answers what operators and auditors call, and `public` everything else.
 */
export type CalledAt = 'only' | 'public' | 'admin';

/**
 * The path to route at this address, in the form of `plainPath`. What the other address answers is a path without a route here: so
 * it has the same answer as any unknown path, with every method. Both answer health checks, the API reference and the root.
 */
export function pathAt(at: CalledAt, plain: string): string {
  if (at === 'only') return plain;
  // The router decodes the path before it looks for a route. It can be decoded: otherwise it would be `NOWHERE`.
  const path = decodeURI(plain.split('?', 1)[0] ?? '');
  const isOfOperators = OF_OPERATORS.test(path);
  const isAnswered = at === 'public' ? !isOfOperators : isOfOperators || path === '/' || isMonitoringPath(path);
  return isAnswered ? plain : NOWHERE;
}

/** The most characters that the longest known part of a path has when it is encoded: `%E2%82%AC` is one. */
const LONGEST_ENCODED = 9 * LONGEST_IN_PATH;
/** Stands for a part that is too long to be known. */
const UNKNOWN_PART = '-'.repeat(LONGEST_IN_PATH + 1);

/** A path whose parts cost little to decode. A part that is too long stays unknown (ruling A8). */
function shortened(path: string): string {
  if (path.length <= LONGEST_ENCODED) return path;
  return path
    .split('/')
    .map((part) => (part.length > LONGEST_ENCODED ? UNKNOWN_PART : part))
    .join('/');
}

/** A deal's `show_url`, whose path is the first group. */
const DEAL = /^(\/deals\/(?!locate(?:[?.]|$))[^/?]+)(?:\?|$)/;

/**
 * The path to route a request to. A browser that opens a deal's `show_url` without a credential gets the page of its
 * `purchase_url` (ruling H4), also with a query, which those who mail the link may add. Every other request keeps its path.
 */
export function pathFor({ method, url = '/', headers }: IncomingMessage): string {
  const wantsPage = headers.accept?.includes('text/html') === true && method === 'GET';
  const known = headers.authorization !== undefined || headers['x-api-key'] !== undefined || 'content-type' in headers;
  const deal = wantsPage && !known ? DEAL.exec(url)?.[1] : undefined;
  if (deal === undefined || Object.keys(credentialsInForm(Buffer.from(queryOf(url)))).length > 0) return plainPath(url);
  return plainPath(`${deal}/purchase`);
}

/** A request target without the scheme and host that requests to a proxy have (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The query string, without its question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** Whether a path is for monitoring and the API reference (ruling G11): it needs no key and no HTTPS, and has no rate limit. */
export function isMonitoringPath(url: string): boolean {
  return FOR_WATCHERS.test(url);
}

/** Whether a path is answered in any state of the service: that of health checks, and of metrics. */
export function answersAlways(url: string): boolean {
  return isMonitoringPath(url) || METRICS.test(url);
}

function decodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
