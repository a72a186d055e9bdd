import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Time } from '#eventsourcing';
import { LOOK_AT_ANSWERS_EVERY, UNTAKEN, WAITS } from '#kernel/bounds';
import { type Call, NOBODY } from '../call.js';
import { plain } from '../errors.js';
import { networkOf } from '../networks.js';
import type { Connection, Connections } from './connections.js';
import { SentAnswers } from './sent-answers.js';

/**
 * Bounds the answers that wait for their readers. The service cuts off callers who have taken no byte of an answer for
 * `WAITS.answer`. If more than `UNTAKEN.bytes` wait in all, it cuts off those who have taken none for the longest time, and
 * refuses further large answers to GET until less waits: such a call has changed nothing, and may be repeated. It refuses them too
 * while the operating system may hold too many that it has sent.
 */
export function boundUntaken(server: FastifyInstance, connections: Connections, time: Time): void {
  const answers = new UntakenAnswers(connections, time);
  const sent = new SentAnswers(connections, time);
  const looks = time.every(LOOK_AT_ANSWERS_EVERY, () => answers.look());
  looks.unref();
  server.addHook('onClose', (_, done) => {
    time.cancel(looks);
    done();
  });
  const mayGo = ({ raw: { socket }, ip, call }: FastifyRequest, bytes: number): boolean => {
    const connection = connections.of(socket);
    if (connection === undefined) return true;
    const caller = (call as Partial<Call> | undefined)?.caller ?? NOBODY;
    const isStranger = caller.kind === 'nobody';
    return (
      answers.take(bytes) && sent.take(connection, { bytes, of: isStranger ? networkOf(ip) : caller.id, isStranger })
    );
  };
  server.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || payload instanceof Buffer ? payload.length : 0;
    // An answer to HEAD has no body.
    if (bytes < UNTAKEN.large || request.method === 'HEAD' || mayGo(request, bytes) || request.method !== 'GET') {
      done(null, payload);
      return;
    }
    const { status, body } = plain(
      503,
      'unavailable',
      'too many large answers wait to be taken: read yours to their end, and try again, or ask for less',
    );
    void reply.code(status).headers({ 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' });
    reply.removeHeader('content-length').removeHeader('content-encoding').removeHeader('etag');
    done(null, JSON.stringify(body));
  });
}

class UntakenAnswers {
  /** Bytes that wait: as last counted, and what was added since. */
  #waiting = 0;

  constructor(
    private readonly connections: Connections,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {}

  /** Whether there is room for a large answer. If so, it counts from now on. */
  take(bytes: number): boolean {
    if (this.#waiting + bytes > UNTAKEN.bytes) this.look();
    if (this.#waiting + bytes > UNTAKEN.bytes) return false;
    this.#waiting += bytes;
    return true;
  }

  /** Counts what waits, and cuts off who must be. */
  look(): void {
    const now = this.time.monotonic();
    this.#waiting = 0;
    const still: { readonly connection: Connection; readonly bytes: number; readonly since: number }[] = [];
    for (const connection of this.connections.open) {
      const bytes = connection.socket.writableLength;
      if (bytes === 0) continue;
      const { since } = this.connections.takenOf(connection);
      if (now - since >= WAITS.answer) {
        connection.accepted.destroy();
        continue;
      }
      this.#waiting += bytes;
      if (now - since >= WAITS.pause) still.push({ connection, bytes, since });
    }
    if (this.#waiting <= UNTAKEN.bytes) return;
    for (const { connection, bytes } of still.sort((one, other) => one.since - other.since)) {
      if (this.#waiting <= UNTAKEN.bytes) return;
      connection.accepted.destroy();
      this.#waiting -= bytes;
    }
  }
}
