import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as TcpServer, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Time } from '#eventsourcing';
import { WAITS } from '#kernel/bounds';

/** How often a stop looks whether callers have their answers, in milliseconds. */
const LOOK_EVERY = 25;

/**
 * Lets a stop lose no call. To close a connection just when its next request arrives would reset it, and the caller would not
 * know whether the request was carried out. So a stop first refuses new connections only. Every answer from then on says that
 * it is the last one of its connection. A connection that is still open without a call is closed after `WAITS.lastCall`.
 */
export function closeAfterCalls(server: FastifyInstance, time: Time): void {
  const connections = new OpenConnections(server.server);
  server.addHook('onResponse', ({ raw: { socket } }, { raw }, done) => {
    connections.answered(socket, raw);
    done();
  });
  server.addHook('preClose', () => connections.close(time));
}

/** The connections of a server, each with the call that is under way. */
class OpenConnections {
  /** As they were accepted: with TLS, calls come on other sockets. */
  readonly #accepted = new Set<Socket>();
  /**
   * The answers that are under way; undefined for a socket that waits for its next call, because an answer leads to its request
   * and so to its secrets (ruling D7). They are replaced in place: that costs least.
   */
  readonly #answers = new Map<Socket, ServerResponse | undefined>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#accepted.add(socket);
      socket.once('close', () => this.#accepted.delete(socket));
    });
    server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
      if (!this.#answers.has(socket)) socket.once('close', () => this.#answers.delete(socket));
      this.#answers.set(socket, answer);
    });
  }

  /** The last byte of an answer is on its way. With pipelining, the next call may have begun. */
  answered(socket: Socket, answer: ServerResponse): void {
    if (this.#answers.get(socket) === answer) this.#answers.set(socket, undefined);
  }

  /** Accepts no more connections, and resolves when all are closed. */
  async close(time: Time): Promise<void> {
    // The close of an HTTP server would also break off connections without a call.
    TcpServer.prototype.close.call(this.server);
    for (const answer of this.#answers.values()) {
      if (answer?.headersSent === false) answer.setHeader('connection', 'close');
    }
    const began = time.monotonic();
    while (this.#accepted.size > 0) {
      await time.pause(LOOK_EVERY);
      // If the process stood still, calls wait to be read.
      await time.turn();
      const waited = time.monotonic() - began;
      if (waited >= WAITS.lastCall) this.#closeThose((answer) => answer === undefined);
      if (waited >= WAITS.lastAnswer) this.#closeThose((answer) => answer?.writableEnded === true);
    }
  }

  #closeThose(isDone: (answer: ServerResponse | undefined) => boolean): void {
    const calls = new Map([...this.#answers].map((call) => [endOf(call[0]), call]));
    for (const accepted of this.#accepted) {
      const [socket, answer] = calls.get(endOf(accepted)) ?? [accepted, undefined];
      if (isDone(answer)) socket.destroy();
    }
  }
}

/** The caller's end of a connection, by which a socket of TLS is found for the accepted one. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
