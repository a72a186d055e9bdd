import type { ServerResponse } from 'node:http';
import type { Time } from '#eventsourcing';
import { UNTAKEN, WAITS } from '#kernel/bounds';
import type { Connection, Connections } from './connections.js';

interface Sent {
  readonly bytes: number;
  readonly isStranger: boolean;
  /** Weak, because an answer leads to its request, and so to its secrets (ruling D7). */
  readonly answer: WeakRef<ServerResponse>;
  /** Milliseconds of `Time.monotonic`. */
  readonly since: number;
}

/**
 * The large answers that the operating system may still hold for readers who do not read: Node cannot ask it. What a caller was sent
 * last is taken when they send their next call or leave. Without a bound, ten thousand connections hold gigabytes of its memory,
 * and it delays everybody.
 */
export class SentAnswers {
  readonly #last = new Map<Connection, Sent>();
  #bytes = 0;
  #toStrangers = 0;

  constructor(
    private readonly connections: Pick<Connections, 'open'>,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {}

  /** Whether there is room for an answer. If so, it counts from now on. */
  take(
    connection: Connection,
    answer: ServerResponse,
    { bytes, isStranger }: Pick<Sent, 'bytes' | 'isStranger'>,
  ): boolean {
    this.#forget(connection);
    if (!this.#fits(bytes, isStranger)) {
      for (const [each, sent] of this.#last) if (!this.#mayBeHeld(each, sent)) this.#forget(each);
      if (!this.#fits(bytes, isStranger)) return false;
    }
    this.#last.set(connection, { bytes, isStranger, answer: new WeakRef(answer), since: this.time.monotonic() });
    this.#bytes += bytes;
    if (isStranger) this.#toStrangers += bytes;
    return true;
  }

  #fits(bytes: number, isStranger: boolean): boolean {
    return this.#bytes + bytes <= UNTAKEN.sent && (!isStranger || this.#toStrangers + bytes <= UNTAKEN.sentToStrangers);
  }

  #mayBeHeld(connection: Connection, { answer, since }: Sent): boolean {
    const { call } = connection;
    const isLast = call === answer.deref() || typeof call === 'number';
    return isLast && this.connections.open.has(connection) && this.time.monotonic() - since < WAITS.answer;
  }

  #forget(connection: Connection): void {
    const sent = this.#last.get(connection);
    if (sent === undefined) return;
    this.#last.delete(connection);
    this.#bytes -= sent.bytes;
    if (sent.isStranger) this.#toStrangers -= sent.bytes;
  }
}
