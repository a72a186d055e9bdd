import type { MongoDb } from '#adapters/mongodb';
import { Unavailable } from '#eventsourcing';

/** The calls that change documents. */
const WRITES: readonly PropertyKey[] = ['insertOne', 'updateOne', 'replaceOne', 'findOneAndUpdate', 'deleteOne'];

/** A connection, and how the requests that were kept arrive, in their order; nobody gets the answers. */
export interface KeptRequests {
  readonly mongo: MongoDb;
  again(): Promise<void>;
}

/**
 * A connection whose requests may arrive twice.
 * @param writes the calls that do
 * @returns the connection, and how all these calls that were made through it arrive a second time
 */
export function arrivingTwice(mongo: MongoDb, writes = WRITES): KeptRequests {
  return keeping(mongo, writes, (call) => call());
}

/**
 * A connection whose requests arrive late, when their callers no longer wait for an answer.
 * @param writes the calls that do
 * @returns the connection, and how all these calls that were made through it arrive
 */
export function arrivingLate(mongo: MongoDb, writes = WRITES): KeptRequests {
  return keeping(mongo, writes, () => Promise.reject(new Unavailable('MongoDB does not answer')));
}

function keeping(mongo: MongoDb, writes: typeof WRITES, first: (call: () => unknown) => unknown): KeptRequests {
  const requests: (() => Promise<unknown>)[] = [];
  const kept = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, target, args);
          if (name === 'collection') return kept(call() as object);
          if (!writes.includes(name)) return call();
          requests.push(() => call() as Promise<unknown>);
          return first(call);
        };
      },
    });
  return {
    mongo: kept(mongo),
    async again() {
      for (const request of requests.splice(0)) await request().catch(() => undefined);
    },
  };
}
