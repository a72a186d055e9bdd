import type { MongoDb } from '#adapters/mongodb';
import { BackupRefused, copyState, type StateNews } from '#backup';
import { Unavailable } from '#eventsourcing';
import type { Position } from '#kernel';
import type { Waits } from './waits.js';

/** The lease of the process that follows a database. */
const LEASE = 'backup that follows';
/** Milliseconds that it waits for the lease: that of a killed process is free after five seconds. */
const FREE_WITHIN = 8_000;
/** Milliseconds between two tries. */
const AGAIN = 1_000;

const OTHER =
  'another process follows this installation on MongoDB into a backup, and only one may: end that one, or leave --follow out';

/**
 * What is kept in MongoDB, and then each change as it comes. Whenever the server was away, everything is read again.
 * @throws BackupRefused if another process follows
 */
export async function* followedMongoDb(
  mongo: MongoDb,
  head: () => Promise<Position>,
  waits: Waits,
): AsyncGenerator<StateNews, void, void> {
  const { signal, time, warn } = waits;
  for (let isTold = false; !signal.aborted;) {
    try {
      for await (const news of whileAlone(mongo, head, waits)) {
        isTold = false;
        yield news;
      }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (!isTold) warn(`${error.message}: waits for it`);
      isTold = true;
      await time.pause(AGAIN, { signal });
    }
  }
}

/** Follows as the only process that does, until it cannot be sure of that any more. */
async function* whileAlone(
  mongo: MongoDb,
  head: () => Promise<Position>,
  { signal, time }: Waits,
): AsyncGenerator<StateNews, void, void> {
  const { MongoDbFollowedRows, MongoDbLeases } = await import('#adapters/mongodb');
  let trouble: Error | undefined;
  const leases = new MongoDbLeases(mongo, (_, error) => (trouble = error as Error));
  try {
    const alone = Promise.withResolvers<AbortSignal>();
    leases.hold(LEASE, async (lost) => {
      alone.resolve(lost);
      await new Promise<void>((done) => lost.addEventListener('abort', () => done(), { once: true }));
    });
    const waited = new AbortController();
    const patience = time.pause(FREE_WITHIN, { signal: AbortSignal.any([signal, waited.signal]) });
    const lost = await Promise.race([alone.promise, patience]);
    waited.abort();
    if (signal.aborted) return;
    if (lost === undefined) throw trouble ?? new BackupRefused(OTHER);
    const options = { follow: true, signal: AbortSignal.any([signal, lost]), time };
    yield* copyState(new MongoDbFollowedRows(mongo), head, options);
  } finally {
    await leases.close();
  }
}
