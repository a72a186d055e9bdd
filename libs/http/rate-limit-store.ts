import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import { BoundedMap, type Time } from '#eventsourcing';

/** Half of the callers that a limit counts at a time. Beyond that, it forgets those that it has not seen for a long time. */
const CALLERS = 50_000;

interface Counted {
  current: number;
  /** When the caller's present window began, in milliseconds. */
  readonly began: number;
}

/**
 * Where `@fastify/rate-limit` counts. Its own store reads the wall clock, which somebody may set back, and which a simulated
 * world does not have.
 */
export function storeOn(time: Pick<Time, 'monotonic'>): FastifyRateLimitStoreCtor {
  return class Store implements FastifyRateLimitStore {
    readonly #counted = new BoundedMap<string, Counted>(CALLERS);

    incr(
      key: string,
      callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
      timeWindow: number,
    ): void {
      const now = time.monotonic();
      const known = this.#counted.get(key);
      const counted = known === undefined || known.began + timeWindow <= now ? { current: 0, began: now } : known;
      counted.current += 1;
      this.#counted.set(key, counted);
      callback(null, { current: counted.current, ttl: counted.began + timeWindow - now });
    }

    child(): Store {
      return new Store();
    }
  };
}
