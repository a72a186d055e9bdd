import type { MongoDb } from '#adapters/mongodb';

/** The calls that change documents. */
const WRITES: readonly PropertyKey[] = ['insertOne', 'updateOne', 'replaceOne', 'findOneAndUpdate', 'deleteOne'];

/**
 * A connection whose requests may arrive twice.
 * @param writes the calls that do
 * @returns the connection, and how all these calls that were made through it arrive a second time, in their order; nobody
 * gets the answers
 */
export function arrivingTwice(mongo: MongoDb, writes = WRITES): { readonly mongo: MongoDb; again(): Promise<void> } {
  const requests: (() => Promise<unknown>)[] = [];
  const twice = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(member, target, args);
          if (name === 'collection') return twice(call() as object);
          if (writes.includes(name)) requests.push(() => call() as Promise<unknown>);
          return call();
        };
      },
    });
  return {
    mongo: twice(mongo),
    async again() {
      for (const request of requests.splice(0)) await request().catch(() => undefined);
    },
  };
}
