import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Time } from '#eventsourcing';
import { PATIENCE, WAITS } from '#kernel/bounds';
import type { Connection, Connections } from './connections.js';

/** How often a stop looks whether callers have their answers, in milliseconds. */
const LOOK_EVERY = 25;

/**
 * Lets a stop lose no call. To close a connection just when its next request arrives would reset it, and the caller would not
 * know whether the request was carried out. So a stop first refuses new connections only. Every answer from then on says that
 * it is the last one of its connection. The others are closed when no call has come on them for `WAITS.lastCall`.
 * @param all the connections of each address where the server listens
 */
export function closeAfterCalls(server: FastifyInstance, all: readonly Connections[], time: Time): void {
  const stops = all.map((connections) => new Stop(connections, time));
  server.addHook('preClose', async () => void (await Promise.all(stops.map((stop) => stop.run()))));
}

class Stop {
  #began: number | undefined;

  constructor(
    private readonly connections: Connections,
    private readonly time: Time,
  ) {
    // Before `Connections` notes the call.
    connections.server.prependListener('request', ({ socket }: IncomingMessage) => {
      const before = this.#began === undefined ? undefined : connections.of(socket)?.call;
      // Pipelined calls: only the last answer closes the connection.
      if (typeof before === 'object' && !before.headersSent) before.removeHeader('connection');
    });
  }

  /** Accepts no more connections, and resolves when all are closed: after `PATIENCE.stop` at the latest. */
  async run(): Promise<void> {
    const { time, connections } = this;
    const began = time.monotonic();
    this.#began = began;
    // The close of an HTTP server would also break off connections without a call.
    TcpServer.prototype.close.call(connections.server);
    for (const { call } of connections.open) {
      if (typeof call === 'object' && !call.headersSent) call.setHeader('connection', 'close');
    }
    while (connections.open.size > 0) {
      await time.pause(LOOK_EVERY);
      // If the process stood still, calls wait to be read.
      await time.turn();
      const now = time.monotonic();
      for (const connection of connections.open) {
        if (this.#isDone(connection, began, now)) connection.accepted.destroy();
      }
    }
  }

  #isDone(connection: Connection, began: number, now: number): boolean {
    if (now - began >= PATIENCE.stop) return true;
    const { call = began, socket } = connection;
    if (typeof call === 'object') return this.#isLeft(connection, call, began, now);
    // A connection that says farewell to its caller ends by itself.
    return now - Math.max(began, call) >= (socket.writableEnded ? WAITS.lastAnswer : WAITS.lastCall);
  }

  /** Whether the caller has taken nothing of an answer for so long, from the stop on, that they will not. */
  #isLeft(connection: Connection, answer: ServerResponse, began: number, now: number): boolean {
    if (!answer.writableEnded && !answer.writableNeedDrain) return false;
    return now - Math.max(began, this.connections.takenOf(connection).since) >= WAITS.lastAnswer;
  }
}
