import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HEADERS } from '#kernel/bounds';

/** One encoding of an answer: its bytes and their tag. */
interface Variant {
  readonly bytes: Buffer;
  /** A strong tag: it names exactly these bytes. */
  readonly etag: string;
}

const GZIP = /(?:^|,)[ \t]*(?:gzip|\*)[ \t]*(?:;[ \t]*q=([\d.]+)[ \t]*)?(?=,|$)/i;

/**
 * An answer that is the same for everybody. Its bytes, plain and compressed, are made once: a call without a key must cost no
 * more than sending the answer. A caller with the same copy gets a 304.
 */
export class StaticAnswer {
  readonly #plain: Variant;
  readonly #small: Variant;

  constructor(
    text: string,
    /** Headers beside the tag and the encoding. */
    private readonly headers: Readonly<Record<string, string>>,
    /** How long a caller may use it without asking again. */
    private readonly keep = 'no-cache',
  ) {
    const bytes = Buffer.from(text);
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
    this.#plain = { bytes, etag: `"${hash}"` };
    this.#small = { bytes: gzipSync(bytes, { level: 9 }), etag: `"${hash}-gzip"` };
  }

  /** Answers in an encoding that the caller accepts; 304 if they have the same copy (RFC 9110, 13.1.2). */
  send({ headers }: FastifyRequest, reply: FastifyReply): void {
    const isSmall = acceptsGzip(headers['accept-encoding']);
    const { bytes, etag } = isSmall ? this.#small : this.#plain;
    void reply.headers({ ...this.headers, etag, vary: 'accept-encoding', 'cache-control': this.keep });
    if (names(headers['if-none-match'], etag)) {
      void reply.status(304).send();
      return;
    }
    if (isSmall) void reply.header('content-encoding', 'gzip');
    void reply.send(bytes);
  }
}

/** Whether a caller accepts gzip. Without the header, the answer is not compressed. */
export function acceptsGzip(accepted: string | string[] | undefined): boolean {
  const [found, weight = '1'] = GZIP.exec(String(accepted ?? '')) ?? [];
  return found !== undefined && Number(weight) > 0;
}

/** Whether a list of tags contains this one, or is `*`. */
function names(sent: string | undefined, etag: string): boolean {
  if (sent === undefined || sent.length > HEADERS['If-None-Match']) return false;
  return sent.trim() === '*' || sent.includes(etag);
}
