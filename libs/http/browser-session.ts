import type { FastifyRequest } from 'fastify';
import { HEADERS } from '#kernel/bounds';
import type { Caller } from './call.js';
import { Refused } from './errors.js';

type OperatorCaller = Extract<Caller, { kind: 'operator' }>;

/** The sessions of browsers that operators and auditors have signed in with, on the console. */
export interface BrowserSessions {
  /** Whether the service is reached under this host, with or without a port. */
  isOwnHost(host: string): boolean;
  /** Who has this session; undefined if it is unknown or has ended. */
  find(secret: string): Promise<OperatorCaller | undefined>;
}

const COOKIE = 'holdfast-console';
/** A browser keeps such a name only for this host, without a domain, and sends it only under TLS. */
const COOKIE_UNDER_TLS = `__Host-${COOKIE}`;
/** What a secret looks like. */
const SECRET = /^[\w-]{20,100}$/;

const isUnderTls = ({ protocol }: FastifyRequest): boolean => protocol === 'https';

/** The secret of the session in the cookie of a request; undefined if there is none. */
export function sessionSecretOf(request: FastifyRequest): string | undefined {
  const { cookie = '' } = request.headers;
  if (cookie.length > HEADERS.Cookie) return undefined;
  const name = isUnderTls(request) ? COOKIE_UNDER_TLS : COOKIE;
  const sent = cookie.split(';').map((each) => each.trim());
  const secret = sent.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  return secret !== undefined && SECRET.test(secret) ? secret : undefined;
}

/**
 * The cookie that carries a session to a browser. No script reads it, and no other site makes a browser send it.
 * @param secret empty: the browser forgets it
 * @param seconds how long the browser keeps it
 */
export function sessionCookie(request: FastifyRequest, secret: string, seconds: number): string {
  const [name, secure] = isUnderTls(request) ? [COOKIE_UNDER_TLS, '; Secure'] : [COOKIE, ''];
  return `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

const READS = ['GET', 'HEAD'];
const BODY = /^application\/(json|x-ndjson)\s*(;|$)/i;

/**
 * Checks that a page of the service itself sends a request that comes with a session. A browser says in `Sec-Fetch-Site` who
 * sends it, and no page can change that: all ports of localhost are one site, so the cookie alone does not tell. Somebody may
 * also open an address themselves, if it only reads.
 * @throws Refused 403 if the request comes from elsewhere, 415 if its body is not JSON
 */
export function checkOwnPage(request: FastifyRequest, { isOwnHost }: Pick<BrowserSessions, 'isOwnHost'>): void {
  const { headers, method } = request;
  if (headers.host === undefined || !isOwnHost(headers.host)) throw new Refused(403, 'auth_failed', OTHER_HOST);
  const site = headers['sec-fetch-site'];
  const isRead = READS.includes(method);
  const isOpened = isRead && site === 'none' && headers['sec-fetch-mode'] === 'navigate';
  if (site !== 'same-origin' && !isOpened) throw new Refused(403, 'auth_failed', OTHER_PAGE);
  if (!isRead && !BODY.test(contentTypeOf(request))) throw new Refused(415, 'validation_failed', NO_JSON);
}

/** As it was sent: the server forgets it where it reads no body. */
function contentTypeOf({ raw: { rawHeaders } }: FastifyRequest): string {
  const at = rawHeaders.findIndex((name, nth) => nth % 2 === 0 && name.toLowerCase() === 'content-type');
  return at < 0 ? '' : (rawHeaders[at + 1] ?? '');
}

const OTHER_HOST =
  'a session of the console counts only under the host of PUBLIC_URL, and on this machine: open the console under that address';
const OTHER_PAGE =
  'a session of the console counts only for calls of the console itself, which a browser says in Sec-Fetch-Site: use a browser that does, or send a token as Authorization: Bearer <token>';
const NO_JSON = 'with a session of the console, send a change as application/json or as application/x-ndjson';
