import type { CopiedLog } from '#backup';
import { type Time, Unavailable } from '#eventsourcing';

/** How a backup waits for servers that are away. */
export interface Waits {
  /** Whether it waits at all: one that follows does. */
  readonly patient: boolean;
  /** Aborts when the backup ends. */
  readonly signal: AbortSignal;
  readonly time: Time;
  /** Hears once of each server that is away. */
  readonly warn: (words: string) => void;
}

/** Milliseconds between two tries to reach a server that is away. */
const AGAIN = 1_000;

/** The answer of a server; while it is away, the call is made again. @throws whatever else the call throws */
async function answered<T>(call: () => Promise<T>, { patient, signal, time, warn }: Waits): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Unavailable) || !patient || signal.aborted) throw error;
      if (!isTold) warn(`${error.message}: waits for it`);
    }
    await time.pause(AGAIN, { signal });
  }
}

/** A log that waits while its server is away, and goes on where it was. */
export class WaitingLog implements CopiedLog {
  constructor(
    private readonly log: CopiedLog,
    private readonly waits: Waits,
  ) {}

  get engine(): string {
    return this.log.engine;
  }

  get identity(): string {
    return this.log.identity;
  }

  owner(): ReturnType<CopiedLog['owner']> {
    return answered(() => this.log.owner(), this.waits);
  }

  head(): ReturnType<CopiedLog['head']> {
    return answered(() => this.log.head(), this.waits);
  }

  idAt(...position: Parameters<CopiedLog['idAt']>): ReturnType<CopiedLog['idAt']> {
    return answered(() => this.log.idAt(...position), this.waits);
  }

  countAfter(...positions: Parameters<CopiedLog['countAfter']>): ReturnType<CopiedLog['countAfter']> {
    return answered(() => this.log.countAfter(...positions), this.waits);
  }

  async *events(...[after, upTo]: Parameters<CopiedLog['events']>): ReturnType<CopiedLog['events']> {
    let events = this.log.events(after, upTo)[Symbol.asyncIterator]();
    let last = after;
    try {
      for (;;) {
        const next = await answered(async () => {
          try {
            return await events.next();
          } catch (error) {
            events = this.log.events(last, upTo)[Symbol.asyncIterator]();
            throw error;
          }
        }, this.waits);
        if (next.done === true) return;
        last = next.value.at(-1)?.position ?? last;
        yield next.value;
      }
    } finally {
      await events.return?.();
    }
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
