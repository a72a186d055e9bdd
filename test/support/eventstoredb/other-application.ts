import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { binaryEvent, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';

/** Events per append. */
const BATCH = 250;
/** Milliseconds between two appends of a writer that goes on. */
const EVERY = 40;

/** Writes events to the server that are not Holdfast's: without our metadata, binary, and under our type names. */
export class OtherApplication {
  readonly #client: EventStoreDBClient;
  readonly #over = new AbortController();
  #writing: Promise<void> = Promise.resolve();
  /** How many events it has written. */
  written = 0;
  /** Why it stopped by itself. */
  failure: unknown;

  constructor(url: string) {
    this.#client = EventStoreDBClient.connectionString(url);
  }

  /** Writes this many events. */
  async write(count: number): Promise<void> {
    for (let left = count; left > 0; left -= BATCH) await this.#append(Math.min(left, BATCH));
  }

  /** Writes this many events per second from now on. */
  goOn(rate: number): void {
    this.#writing = this.#goOn(rate).catch((error: unknown) => void (this.failure = error));
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#writing;
    await this.#client.dispose();
  }

  async #goOn(rate: number): Promise<void> {
    const began = performance.now();
    for (let done = 0; !this.#over.signal.aborted;) {
      const due = Math.floor(((performance.now() - began) * rate) / 1_000) - done;
      if (due > 0) await this.#append(due);
      done += Math.max(0, due);
      await pause(EVERY, undefined, { signal: this.#over.signal }).catch(() => undefined);
    }
  }

  async #append(count: number): Promise<void> {
    const events = Array.from({ length: count }, (_, nth) => {
      const kind = (this.written + nth) % 4;
      if (kind === 0) return binaryEvent({ type: 'frame', data: Buffer.from([0, 255, nth % 256]) });
      if (kind === 1) return jsonEvent({ type: 'hold-placed.v1', data: { of: 'others' }, metadata: { time: 'noon' } });
      return jsonEvent({ type: 'order-placed', data: { total: nth } });
    });
    await this.#client.appendToStream(`order-${randomUUID()}`, events, { expectedRevision: NO_STREAM });
    this.written += count;
  }
}
