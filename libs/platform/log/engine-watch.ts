import type { Logger } from 'pino';

/** Milliseconds between two looks at each engine. */
const LOOK_EVERY = 2_000;
/** Milliseconds that an engine has to answer. */
const WITHIN = 2_000;

/** A server that the process needs. */
export interface Watched {
  /** Its name and where it is, without credentials. */
  readonly engine: string;
  /** Asks for something small. Rejects when nobody answers. */
  readonly ask: () => Promise<unknown>;
}

/** Tells in the log when a server answers no more, and when it answers again. */
export class EngineWatch {
  readonly #closing = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(
    watched: readonly Watched[],
    private readonly log: Logger,
  ) {
    this.#timers = watched.map((each) => this.#watch(each));
  }

  close(): void {
    this.#closing.abort();
    for (const timer of this.#timers) clearInterval(timer);
  }

  #watch({ engine, ask }: Watched): NodeJS.Timeout {
    let lostAt: number | undefined;
    let asking = false;
    const look = async (): Promise<void> => {
      const fault = await faultOf(ask);
      if (this.#closing.signal.aborted) return;
      if (fault !== undefined && lostAt === undefined) {
        lostAt = performance.now();
        this.log.error({ engine, reason: fault }, `${engine} does not answer`);
      } else if (fault === undefined && lostAt !== undefined) {
        const seconds = Math.round((performance.now() - lostAt) / 1_000);
        lostAt = undefined;
        this.log.warn({ engine, seconds }, `${engine} answers again`);
      }
    };
    return setInterval(() => {
      if (asking) return;
      asking = true;
      void look().finally(() => (asking = false));
    }, LOOK_EVERY).unref();
  }
}

/** Why it does not answer, in words; undefined where it does. */
async function faultOf(ask: () => Promise<unknown>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${WITHIN} ms`), WITHIN);
  });
  const asked = ask().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
