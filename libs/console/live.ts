import { PassThrough, type Readable } from 'node:stream';
import { type Time, type Timer, Unavailable } from '#eventsourcing';
import { SECOND } from '#kernel';
import { CONSOLE } from '#kernel/bounds';

/** A browser that reads the stream. */
interface Reader {
  readonly stream: PassThrough;
  /** Its session. */
  readonly session: string;
  /** Whether its session still counts. */
  readonly mayRead: () => Promise<boolean>;
}

/** Seconds after which a refused reader may try again. */
const AGAIN = 5;
/** Sessions of readers are looked up every so many values. */
const ASKED_EVERY = 15;
/** Bytes that a reader may leave: then values are left out for them, and they get later ones. */
const LEFT = 64 * 1024;

/**
 * Sends what changes all the time to every open console, once a second. The values are made once for all readers, and not at all
 * while nobody reads.
 */
export class LiveValues {
  readonly #readers = new Set<Reader>();
  #timer: Timer | undefined;
  #sent = 0;
  #closed = false;

  /** @param values makes the values of this moment */
  constructor(
    private readonly values: () => Promise<object>,
    private readonly time: Pick<Time, 'after' | 'cancel' | 'monotonic'>,
  ) {}

  /**
   * A stream of events for one reader (`text/event-stream`); it ends when they leave, or may read no more.
   * @param session tells the sessions of browsers apart; it is not kept
   * @throws Unavailable if too many read, in all or in this session, or the service stops
   */
  open(session: string, mayRead: () => Promise<boolean>): Readable {
    if (this.#closed || this.#readers.size >= CONSOLE.streams)
      throw new Unavailable('no more consoles can follow the values of this moment now', AGAIN);
    const ofSession = [...this.#readers].filter((reader) => reader.session === session).length;
    if (ofSession >= CONSOLE.streamsOfSession)
      throw new Unavailable(
        `a session has at most ${CONSOLE.streamsOfSession} open consoles: close another one`,
        AGAIN,
      );
    const reader = { stream: new PassThrough(), session, mayRead };
    this.#readers.add(reader);
    reader.stream.once('close', () => this.#readers.delete(reader));
    // A browser that loses the connection comes back after a second.
    reader.stream.write('retry: 1000\n\n');
    if (this.#readers.size === 1) void this.#send();
    return reader.stream;
  }

  /** Ends all streams. */
  close(): void {
    this.#closed = true;
    this.time.cancel(this.#timer);
    for (const reader of this.#readers) this.#end(reader);
  }

  async #send(): Promise<void> {
    this.time.cancel(this.#timer);
    if (this.#readers.size === 0 || this.#closed) return;
    const began = this.time.monotonic();
    this.#sent += 1;
    if (this.#sent % ASKED_EVERY === 0) await this.#endThoseWhoMayNot();
    const values = await this.values().catch((error: unknown) => ({
      failed: error instanceof Error ? error.message : 'unknown',
    }));
    const bytes = Buffer.from(`data: ${JSON.stringify(values)}\n\n`);
    for (const { stream } of this.#readers) if (stream.writableLength < LEFT) stream.write(bytes);
    const next = Math.max(0, SECOND - (this.time.monotonic() - began));
    this.#timer = this.time.after(next, () => void this.#send());
  }

  async #endThoseWhoMayNot(): Promise<void> {
    await Promise.all(
      [...this.#readers].map(async (reader) => {
        // While nobody can tell, they read on: the values name no person.
        if (!(await reader.mayRead().catch(() => true))) this.#end(reader);
      }),
    );
  }

  #end(reader: Reader): void {
    this.#readers.delete(reader);
    reader.stream.end();
  }
}
