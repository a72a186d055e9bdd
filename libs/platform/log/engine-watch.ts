import type { Logger } from 'pino';
import type { Time, Timer } from '#eventsourcing';

/** Milliseconds between two checks of each server. */
const LOOK_EVERY = 2_000;
/** Milliseconds that a server has to answer. */
const WITHIN = 2_000;

/** A server that the process needs. */
export interface Watched {
  /** Its name, for metrics. */
  readonly name: string;
  /** Its name and host, without credentials. */
  readonly engine: string;
  /** Makes a small request. Rejects if the server does not answer. */
  readonly ask: () => Promise<unknown>;
}

/** Logs when a server stops answering, and when it answers again. */
export class EngineWatch {
  readonly #closing = new AbortController();
  readonly #timers: readonly Timer[];
  readonly #away = new Set<string>();

  constructor(
    private readonly watched: readonly Watched[],
    private readonly log: Logger,
    private readonly time: Time,
  ) {
    this.#timers = watched.map((each) => this.#watch(each));
  }

  /** Each server, and whether it answered last. */
  get servers(): readonly { readonly name: string; readonly answers: boolean }[] {
    return this.watched.map(({ name }) => ({ name, answers: !this.#away.has(name) }));
  }

  close(): void {
    this.#closing.abort();
    for (const timer of this.#timers) this.time.cancel(timer);
  }

  #watch({ name, engine, ask }: Watched): Timer {
    let lostAt: number | undefined;
    let asking = false;
    const look = async (): Promise<void> => {
      const fault = await faultOf(ask, this.time);
      if (this.#closing.signal.aborted) return;
      if (fault !== undefined && lostAt === undefined) {
        lostAt = this.time.monotonic();
        this.#away.add(name);
        this.log.error({ engine, reason: fault }, `${engine} does not answer`);
      } else if (fault === undefined && lostAt !== undefined) {
        const seconds = Math.round((this.time.monotonic() - lostAt) / 1_000);
        lostAt = undefined;
        this.#away.delete(name);
        this.log.warn({ engine, seconds }, `${engine} answers again`);
      }
    };
    return this.time
      .every(LOOK_EVERY, () => {
        if (asking) return;
        asking = true;
        void look().finally(() => (asking = false));
      })
      .unref();
  }
}

/** Why a server does not answer; undefined if it does. */
async function faultOf(ask: () => Promise<unknown>, time: Time): Promise<string | undefined> {
  let timer: Timer | undefined;
  const late = new Promise<string>((resolve) => {
    timer = time.after(WITHIN, () => resolve(`no answer within ${WITHIN} ms`));
  });
  const answer = ask().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([answer, late]).finally(() => time.cancel(timer));
}
