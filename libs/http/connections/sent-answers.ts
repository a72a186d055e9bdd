import type { Time } from '#eventsourcing';
import { UNTAKEN, WAITS } from '#kernel/bounds';
import type { Connection, Connections } from './connections.js';

interface Sent {
  readonly bytes: number;
  /** The partner or operator, or a stranger's network: each has a share. */
  readonly of: string;
  readonly isStranger: boolean;
  /** Milliseconds of `Time.monotonic`. */
  readonly since: number;
}

/**
 * The large answers that the operating system may still hold for readers who do not read: Node cannot ask it. The last one of each
 * connection counts until the next large one, the end of the connection, or `WAITS.answer`: that a caller sends another call does not
 * show that they have read. Without a bound, ten thousand connections hold gigabytes of its memory, and it delays everybody.
 */
export class SentAnswers {
  readonly #last = new Map<Connection, Sent>();
  /** Bytes by who was sent them; only those who were sent some. */
  readonly #of = new Map<string, number>();
  #bytes = 0;
  #toStrangers = 0;

  constructor(
    private readonly connections: Pick<Connections, 'open'>,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {}

  /** Whether there is room for an answer. If so, it counts from now on. */
  take(connection: Connection, answer: Pick<Sent, 'bytes' | 'of' | 'isStranger'>): boolean {
    this.#forget(connection);
    if (!this.#fits(answer)) {
      for (const [each, sent] of this.#last) if (!this.#mayBeHeld(each, sent)) this.#forget(each);
      if (!this.#fits(answer)) return false;
    }
    this.#last.set(connection, { ...answer, since: this.time.monotonic() });
    this.#add(answer, answer.bytes);
    return true;
  }

  #fits({ bytes, of, isStranger }: Pick<Sent, 'bytes' | 'of' | 'isStranger'>): boolean {
    const most = isStranger ? UNTAKEN.sentToStrangers : UNTAKEN.sent;
    const share = most / UNTAKEN.shares;
    if ((this.#of.get(of) ?? 0) + bytes > share) return false;
    return this.#bytes + bytes <= UNTAKEN.sent && (!isStranger || this.#toStrangers + bytes <= most);
  }

  #mayBeHeld(connection: Connection, { since }: Sent): boolean {
    return this.connections.open.has(connection) && this.time.monotonic() - since < WAITS.answer;
  }

  #forget(connection: Connection): void {
    const sent = this.#last.get(connection);
    if (sent === undefined) return;
    this.#last.delete(connection);
    this.#add(sent, -sent.bytes);
  }

  #add({ of, isStranger }: Pick<Sent, 'of' | 'isStranger'>, bytes: number): void {
    this.#bytes += bytes;
    if (isStranger) this.#toStrangers += bytes;
    const now = (this.#of.get(of) ?? 0) + bytes;
    if (now > 0) this.#of.set(of, now);
    else this.#of.delete(of);
  }
}
