import { afterAll, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { type MongoDb, MongoDbVault } from '#adapters/mongodb';
import type { StateNews } from '#backup';
import { Keyring } from '#eventsourcing';
import { MongoDbDatabase } from '../../../test/support/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../test/support/mongodb/mongodb-server.js';
import { followedMongoDb } from './followed-mongodb.js';

const server = await startMongoDb();
afterAll(() => server?.stop());

const { time } = thisMachine;
const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);

/** Follows until it is ended. */
function follow(mongo: MongoDb) {
  const stop = new AbortController();
  const news: StateNews[] = [];
  const warned: string[] = [];
  const waits = { patient: true, signal: stop.signal, time, warn: (words: string) => void warned.push(words) };
  const ended = (async () => {
    for await (const each of followedMongoDb(mongo, () => Promise.resolve(1n), waits)) news.push(each);
  })();
  ended.catch(() => undefined);
  const until = async (isThere: () => boolean): Promise<void> => {
    while (!isThere()) await Promise.race([ended.then(() => Promise.reject(new Error('it ended'))), time.pause(20)]);
  };
  return {
    warned,
    ended,
    has: (name: string) => until(() => news.some((each) => 'kind' in each && 'name' in each && each.name === name)),
    wholes: (count: number) => until(() => news.filter((each) => 'whole' in each).length >= count),
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

(server === undefined ? describe.skip : describe)('G12.2: a backup that follows a database', () => {
  it('is the only one: a second one is refused, and takes its place when it has ended', async () => {
    const database = new MongoDbDatabase(server ?? { url: '' });
    const [one, two] = [await database.connect(), await database.connect()];
    const first = follow(one);
    await first.wholes(1);
    await expect(follow(two).ended).rejects.toThrow('another process follows this installation on MongoDB');
    await new MongoDbVault(one, keyring).put('card', Buffer.from('4242'));
    await first.has('card');
    await first.stop();
    const next = follow(two);
    await next.has('card');
    await next.stop();
    await database.dispose();
  });

  it('waits while the server hangs, and then reads everything again', async () => {
    const { pid } = server ?? {};
    // A server that the environment names is not ours to stop.
    if (pid === undefined) return;
    const database = new MongoDbDatabase(server ?? { url: '' });
    const mongo = await database.connect();
    const following = follow(mongo);
    await following.wholes(1);
    process.kill(pid, 'SIGSTOP');
    await time.pause(6_000);
    process.kill(pid, 'SIGCONT');
    await following.wholes(2);
    await new MongoDbVault(mongo, keyring).put('late', Buffer.from('4242'));
    await following.has('late');
    await following.stop();
    await database.dispose();
  });
});
