import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessCheck } from './access-check.js';
import { CROSS_ORIGIN } from '#kernel/bounds';
import { AS_OF, EXPIRES_AT, IGNORED, REPLAYED } from './headers.js';
import type { RouteBook } from './route-book.js';

/** Headers that a page may send with a call. There is no header for a key: a browser must not have one. */
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Holdfast-Position',
  'X-Request-Id',
  'traceparent',
].join(', ');

/** Headers of an answer that a page may read. */
const EXPOSED = [
  'Request-Id',
  'X-Request-Id',
  'Holdfast-Position',
  AS_OF,
  EXPIRES_AT,
  REPLAYED,
  IGNORED,
  'Retry-After',
  'Deprecation',
  'Sunset',
].join(', ');

/**
 * Lets pages of certain origins call the service with a user's access token (CORS). An answer to a call with a partner's key or
 * password has none of these headers, so no page can read it: whoever puts a key into a page notices at once. Cookies and other
 * credentials of a browser are never asked for.
 */
export class CrossOrigin {
  constructor(
    /** Such as `https://shop.example`; none: no page of another origin can read anything. */
    private readonly origins: ReadonlySet<string>,
    private readonly routes: RouteBook,
    private readonly accessCheck: Pick<AccessCheck, 'factsOf' | 'hasTokenAlone'>,
  ) {}

  /**
   * The headers of the answer to OPTIONS, by which a browser asks before a call. It costs no credential and no look-up.
   * @param path without prefix and suffix
   */
  preflight({ headers }: FastifyRequest, path: string): Readonly<Record<string, string>> {
    const { origin } = headers;
    const methods = this.origins.size === 0 ? [] : this.routes.tokenMethodsOf(path);
    if (methods.length === 0) return {};
    const vary = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers';
    const asks = headers['access-control-request-method'] !== undefined;
    if (origin === undefined || !asks || !this.origins.has(origin)) return { vary };
    return {
      vary,
      'access-control-allow-origin': origin,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': String(CROSS_ORIGIN.remembered),
    };
  }

  /** Lets the page that called read the answer, an error too, if it came with a token and nothing else. */
  mark(request: FastifyRequest, reply: FastifyReply): void {
    if (this.origins.size === 0 || this.accessCheck.factsOf(request)?.access !== 'partner') return;
    void reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !this.origins.has(origin) || !this.accessCheck.hasTokenAlone(request)) return;
    void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
  }
}
