import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as TcpServer, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Time } from '#eventsourcing';
import { PATIENCE, WAITS } from '#kernel/bounds';

/** How often a stop looks whether callers have their answers, in milliseconds. */
const LOOK_EVERY = 25;

/**
 * Lets a stop lose no call. To close a connection just when its next request arrives would reset it, and the caller would not
 * know whether the request was carried out. So a stop first refuses new connections only. Every answer from then on says that
 * it is the last one of its connection. The others are closed when no call has come on them for `WAITS.lastCall`.
 */
export function closeAfterCalls(server: FastifyInstance, time: Time): void {
  const connections = new OpenConnections(server.server, time);
  server.addHook('onResponse', ({ raw: { socket } }, { raw }, done) => {
    connections.answered(socket, raw);
    done();
  });
  server.addHook('preClose', () => connections.close());
}

/** What a caller has taken of an answer, and since when they have taken no more. */
interface Taken {
  readonly bytes: number;
  readonly whole: boolean;
  readonly since: number;
}

/** The connections of a server, each with the call that is under way. */
class OpenConnections {
  /** As they were accepted: with TLS, calls come on other sockets. */
  readonly #accepted = new Set<Socket>();
  /**
   * The answer that is under way, or the time of the last one. Nothing else of a call is kept, because an answer leads to its
   * request, and so to its secrets (ruling D7). They are replaced in place: that costs least.
   */
  readonly #calls = new Map<Socket, ServerResponse | number>();
  readonly #taken = new WeakMap<ServerResponse, Taken>();
  #began: number | undefined;

  constructor(
    private readonly server: Server,
    private readonly time: Time,
  ) {
    server.on('connection', (socket: Socket) => {
      this.#accepted.add(socket);
      socket.once('close', () => this.#accepted.delete(socket));
    });
    server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
      const before = this.#calls.get(socket);
      if (before === undefined) socket.once('close', () => this.#calls.delete(socket));
      // Pipelined calls: only the last answer closes the connection.
      else if (this.#began !== undefined && typeof before === 'object' && !before.headersSent)
        before.removeHeader('connection');
      this.#calls.set(socket, answer);
    });
  }

  /** The last byte of an answer is on its way. With pipelining, the next call may have begun. */
  answered(socket: Socket, answer: ServerResponse): void {
    if (this.#calls.get(socket) === answer) this.#calls.set(socket, this.time.monotonic());
  }

  /** Accepts no more connections, and resolves when all are closed: after `PATIENCE.stop` at the latest. */
  async close(): Promise<void> {
    const { time } = this;
    const began = time.monotonic();
    this.#began = began;
    // The close of an HTTP server would also break off connections without a call.
    TcpServer.prototype.close.call(this.server);
    for (const answer of this.#calls.values()) {
      if (typeof answer === 'object' && !answer.headersSent) answer.setHeader('connection', 'close');
    }
    while (this.#accepted.size > 0) {
      await time.pause(LOOK_EVERY);
      // If the process stood still, calls wait to be read.
      await time.turn();
      this.#closeThoseDone(began);
    }
  }

  #closeThoseDone(began: number): void {
    const now = this.time.monotonic();
    const calls = new Map([...this.#calls].map((call) => [endOf(call[0]), call]));
    for (const accepted of this.#accepted) {
      const [socket, call = began] = calls.get(endOf(accepted)) ?? [accepted];
      const isDone =
        typeof call === 'number'
          ? // A connection that says farewell to its caller ends by itself.
            now - Math.max(began, call) >= (socket.writableEnded ? WAITS.lastAnswer : WAITS.lastCall)
          : this.#isLeft(call, socket, now);
      if (isDone || now - began >= PATIENCE.stop) socket.destroy();
    }
  }

  /** Whether the caller has taken nothing of an answer for so long that they will not. */
  #isLeft(answer: ServerResponse, socket: Socket, now: number): boolean {
    if (!answer.writableEnded && !answer.writableNeedDrain) return false;
    const [bytes, whole] = [socket.bytesWritten, answer.writableEnded];
    const last = this.#taken.get(answer);
    if (last?.bytes === bytes && last.whole === whole) return now - last.since >= WAITS.lastAnswer;
    this.#taken.set(answer, { bytes, whole, since: now });
    return false;
  }
}

/** The caller's end of a connection, by which a socket of TLS is found for the accepted one. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
