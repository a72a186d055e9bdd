import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MongoDb, MongoDbKeyStore, MongoDbVault } from '#adapters/mongodb';
import { thisMachine } from '#adapters/machine';
import { Keyring, Unavailable } from '#eventsourcing';
import { databaseUrl } from '../../../test/support/mongodb/database-url.js';
import { type MongoDbServer, startMongoDb } from '../../../test/support/mongodb/mongodb-server.js';
import { awaitServer, awaitSlow } from './await-server.js';

describe('the connection to MongoDB', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** The address of a server that accepts connections and stays silent. */
  const silent = async (): Promise<string> => {
    const server = createServer((socket) => socket.unref().on('error', () => undefined)).unref();
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as { port: number }).port}`;
  };

  const reason = async (url: string): Promise<string> =>
    MongoDb.connect(url).then(
      () => 'connected',
      (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`,
    );

  // Operators and logs see this line: it must name the setting and must not contain the password.
  it('reports an unreachable server without waiting for the driver’s 30 s, and without credentials', async () => {
    const began = performance.now();
    const closed = await reason('mongodb://ann:s3cret@127.0.0.1:1/holdfast');
    expect(closed).toContain('MongoDbUnusable: MONGODB_URL: MongoDB at 127.0.0.1:1 cannot be used');
    const mute = await reason(`mongodb://ann:s3cret@${await silent()}/`);
    expect(mute).toContain('cannot be used');
    expect(closed + mute).not.toContain('s3cret');
    expect(performance.now() - began).toBeLessThan(28_000);
  });

  it.each(['localhost:27017', 'http://ann:s3cret@localhost', 'mongodb://ann:s3cret@@', ''])(
    'reports an invalid URL without credentials: %j',
    async (url) => {
      const refusal = await reason(url);
      expect(refusal).toContain('MongoDbUnusable: MONGODB_URL is not a MongoDB URL');
      expect(refusal).not.toContain('s3cret');
    },
  );
});

// The driver writes to a connection that the server has just ended, and passes the system's error on. Node made that error:
// it is no instance of the `Error` of Jest's context.
it.each(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])(
  'takes %s for a lost answer',
  async (code) => {
    const error = Object.assign(
      runInNewContext('new Error("This socket has been ended by the other party")') as Error,
      { code },
    );
    expect(error).not.toBeInstanceOf(Error);
    await expect(awaitServer(Promise.reject(error))).rejects.toMatchObject({ name: 'Unavailable' });
  },
);

describe('a call that may take long', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is made again while there is no answer, each time later; the first answer counts', async () => {
    const answers: ((answer: string) => void)[] = [];
    const told = awaitSlow(() => new Promise<string>((resolve) => answers.push(resolve)));
    const made: number[] = [];
    for (const seconds of [7, 2, 14, 2, 30, 2]) {
      await jest.advanceTimersByTimeAsync(seconds * 1_000);
      made.push(answers.length);
    }
    expect(made).toEqual([1, 2, 2, 3, 3, 4]);
    answers[1]?.('built');
    await expect(told).resolves.toBe('built');
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(answers).toHaveLength(4);
  });

  it('fails as unavailable when one of them is lost', async () => {
    const lost = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
    await expect(awaitSlow(() => Promise.reject(lost))).rejects.toMatchObject({ name: 'Unavailable' });
  });
});

const server = process.env['MONGODB_URL'] === undefined ? await startMongoDb() : undefined;

// Not with MONGODB_URL: that server is not ours to stop.
(server === undefined ? describe.skip : describe)('a MongoDB that goes away', () => {
  const { url, stop }: Pick<MongoDbServer, 'url' | 'stop'> = server ?? { url: '', stop: async () => undefined };

  // The caller gets 503 and may try again; a call without an end would hold the request for ever.
  it('makes each call fail as unavailable before the driver’s 30 s', async () => {
    const mongo = await MongoDb.connect(databaseUrl({ url }, 'test'));
    const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
    const [vault, keys] = [new MongoDbVault(mongo, keyring), new MongoDbKeyStore(mongo, keyring)];
    await vault.put('card', Buffer.from('4242'));
    await stop();
    const began = performance.now();
    const calls = [vault.get('card'), vault.put('card', Buffer.alloc(1)), vault.destroy('card'), keys.obtain('ann')];
    const outcomes = await Promise.allSettled(calls);
    const reasons = outcomes.map((each) => (each.status === 'rejected' ? (each.reason as Error) : undefined));
    // What it is otherwise must be seen: a system's error has its code, and its stack.
    expect(reasons.filter((each) => !(each instanceof Unavailable))).toEqual([]);
    expect(performance.now() - began).toBeLessThan(28_000);
    await mongo.close();
  });
});
