import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/**
 * A proxy for gRPC, as nginx is one: a connection goes to the target that it began with. When it is reloaded, it lets calls
 * under way end there (GOAWAY), and leads new connections to the new target.
 */
export class Http2Proxy {
  /** Called after an answer of a call with this path's end, as `/BatchAppend`. */
  answered: { readonly path: string; readonly call: () => void } | undefined;
  readonly #targets = new Map<ServerHttp2Session, ClientHttp2Session>();

  private constructor(
    private readonly server: Http2Server,
    /** The port to which new connections lead. */
    private target: number,
  ) {
    server.on('session', (session: ServerHttp2Session) => {
      const target = connect(`http://127.0.0.1:${this.target}`).on('error', () => undefined);
      this.#targets.set(session, target);
      session.on('error', () => undefined);
      session.on('close', () => {
        this.#targets.delete(session);
        target.destroy();
      });
    });
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => this.#pass(stream, headers));
  }

  static async start(target: number): Promise<Http2Proxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Http2Proxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Leads new connections to this port; the present ones take no more calls if `drains`. */
  lead(target: number, { drains }: { readonly drains: boolean }): void {
    this.target = target;
    if (drains) for (const session of this.#targets.keys()) session.goaway(constants.NGHTTP2_NO_ERROR);
  }

  close(): void {
    for (const session of this.#targets.keys()) session.destroy();
    this.server.close();
  }

  #pass(stream: ServerHttp2Stream, { ':authority': _, ...headers }: IncomingHttpHeaders): void {
    const target = stream.session && this.#targets.get(stream.session as ServerHttp2Session);
    if (target === undefined || target.destroyed) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    const request = target.request(headers, { endStream: false });
    let trailers: OutgoingHttpHeaders = {};
    request.on('trailers', (given) => (trailers = withoutDate(given)));
    request.on('response', (answer, flags) => {
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) {
        stream.respond(withoutDate(answer), { endStream: true });
        return;
      }
      stream.respond(withoutDate(answer), { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      request.on('data', (bytes: Buffer) => {
        stream.write(bytes);
        if (this.answered !== undefined && headers[':path']?.endsWith(this.answered.path) === true)
          this.answered.call();
      });
      request.on('end', () => stream.end());
    });
    request.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    stream.on('error', () => undefined);
    stream.on('data', (bytes: Buffer) => request.write(bytes));
    stream.on('end', () => request.end());
    stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
  }
}

function withoutDate({ date: _, ...headers }: IncomingHttpHeaders): OutgoingHttpHeaders {
  return headers;
}
