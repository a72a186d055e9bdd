import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HEADERS } from '#kernel/bounds';

/** One way to write an answer: its bytes, with the tag that they are known by. */
interface Variant {
  readonly bytes: Buffer;
  /** Strong: it names these very bytes. */
  readonly etag: string;
}

const GZIP = /(?:^|,)[ \t]*(?:gzip|\*)[ \t]*(?:;[ \t]*q=([\d.]+)[ \t]*)?(?=,|$)/i;

/**
 * An answer that is the same for everybody: its bytes, plain and compressed, are made once, and a caller who has them already
 * is told so. What no key is asked for must cost nothing but the sending.
 */
export class PreparedAnswer {
  readonly #plain: Variant;
  readonly #small: Variant;

  constructor(
    text: string,
    /** What it says of itself beside its bytes. */
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    const bytes = Buffer.from(text);
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
    this.#plain = { bytes, etag: `"${hash}"` };
    this.#small = { bytes: gzipSync(bytes, { level: 9 }), etag: `"${hash}-gzip"` };
  }

  /** Answers with what the caller accepts; 304 where they have it (RFC 9110, 13.1.2). */
  send({ headers }: FastifyRequest, reply: FastifyReply): void {
    const isSmall = acceptsGzip(headers['accept-encoding']);
    const { bytes, etag } = isSmall ? this.#small : this.#plain;
    void reply.headers({ ...this.headers, etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
    if (names(headers['if-none-match'], etag)) {
      void reply.status(304).send();
      return;
    }
    if (isSmall) void reply.header('content-encoding', 'gzip');
    void reply.send(bytes);
  }
}

/** Whether a caller says that they take gzip; who says nothing is sent what anybody can read. */
export function acceptsGzip(accepted: string | string[] | undefined): boolean {
  const [found, weight = '1'] = GZIP.exec(String(accepted ?? '')) ?? [];
  return found !== undefined && Number(weight) > 0;
}

/** Whether a list of tags has this one, or is any. */
function names(sent: string | undefined, etag: string): boolean {
  if (sent === undefined || sent.length > HEADERS['If-None-Match']) return false;
  return sent.trim() === '*' || sent.includes(etag);
}
