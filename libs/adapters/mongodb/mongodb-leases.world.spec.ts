import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbLeases } from '#adapters/mongodb';
import { arrivingTwice } from '../../../test/support/mongodb/arrive-twice.js';
import { MongoDbDatabase } from '../../../test/support/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../test/support/mongodb/mongodb-server.js';

const child = fileURLToPath(new URL('../../../test/support/mongodb/lease-holder.child.js', import.meta.url));
const server = await startMongoDb();

(server === undefined ? describe.skip : describe)('leases on MongoDB', () => {
  let database: MongoDbDatabase;
  let failures: unknown[];
  const opened: MongoDbLeases[] = [];

  beforeEach(() => {
    database = new MongoDbDatabase(server ?? { url: '' });
    failures = [];
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((leases) => leases.close()));
    await database.dispose();
  });
  afterAll(() => server?.stop());

  const open = async (): Promise<MongoDbLeases> => {
    const leases = new MongoDbLeases(await database.connect(), (_, error) => failures.push(error));
    opened.push(leases);
    return leases;
  };

  /** Work that runs until its signal aborts; it reports its begin. */
  const holding = (leases: MongoDbLeases) => {
    const { promise: begun, resolve } = Promise.withResolvers<number>();
    const lease = leases.hold('projector', async (signal) => {
      resolve(performance.now());
      if (!signal.aborted) await once(signal, 'abort');
    });
    return { begun, lease };
  };

  const soon = async (promise: Promise<unknown>, within: number): Promise<boolean> =>
    Promise.race([
      promise.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), within).unref()),
    ]);

  // Two that feed the same views would do everything twice, and undo each other's promotions.
  it('one of many has it while it lives, and it is given back to the next one', async () => {
    let at = 0;
    let most = 0;
    const turns: number[] = [];
    const all = await Promise.all(Array.from({ length: 4 }, open));
    const held = all.map((leases, index) =>
      leases.hold('projector', async (signal) => {
        most = Math.max(most, ++at);
        turns.push(index);
        if (!signal.aborted) await once(signal, 'abort');
        at--;
      }),
    );
    await pause(6_500);
    expect(turns).toHaveLength(1);
    const [before] = await database.documents('leases');
    await held[turns[0] ?? 0]?.close();
    // A lease that was not given back would be free only after 5 s.
    const [after] = await database.documents('leases');
    expect(after?.['holder']).not.toBe(before?.['holder']);
    while (turns.length < 2) await pause(5);
    expect(turns[1]).not.toBe(turns[0]);
    expect(most).toBe(1);
    expect(failures).toEqual([]);
  });

  // The holder's machine is gone: nothing gives the lease back.
  it('is taken over from a killed process, and not before', async () => {
    const running = spawn(process.execPath, [child, database.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(createInterface({ input: running.stdout }), 'line');
    const next = holding(await open());
    expect(await soon(next.begun, 6_500)).toBe(false);
    running.kill('SIGKILL');
    await next.begun;
  });

  // It did not notice its own silence; the other one already works.
  it('a holder that finds another in its place ends its work', async () => {
    const [first, second] = [await open(), await open()];
    const { begun } = holding(first);
    await begun;
    const mongo = await database.connect();
    await mongo.collection<{ _id: string }>('leases').updateOne({ _id: 'projector' }, { $set: { holder: 'another' } });
    const began = performance.now();
    await holding(second).begun;
    expect(performance.now() - began).toBeGreaterThan(4_500);
  });

  // Work that fails immediately must not begin a thousand times a second, and its failure must be reported.
  it('is given back when the work fails, and taken again after a pause', async () => {
    const leases = await open();
    const times: number[] = [];
    const { promise: twice, resolve } = Promise.withResolvers<undefined>();
    leases.hold('projector', async () => {
      times.push(performance.now());
      if (times.length === 2) resolve(undefined);
      throw new Error('failed');
    });
    await twice;
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900);
    expect(failures[0]).toMatchObject({ message: 'failed' });
  });

  // The next one would take it at once, while its holder works on until its next beat.
  it('what gave it back does not end it when it arrives again, after the same process took it again', async () => {
    const { mongo, again } = arrivingTwice(await database.connect(), ['deleteOne']);
    const leases = new MongoDbLeases(mongo, (_, error) => failures.push(error));
    opened.push(leases);
    const turns = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    let turn = 0;
    leases.hold('projector', async (signal) => {
      turns[turn++]?.resolve(undefined);
      if (turn > 1 && !signal.aborted) await once(signal, 'abort');
    });
    for (const { promise } of turns) await promise;
    await again();
    expect(await database.documents('leases')).toHaveLength(1);
  });

  it('stops waiting when it is closed', async () => {
    const first = holding(await open());
    await first.begun;
    const second = holding(await open());
    await second.lease.close();
    await first.lease.close();
    expect(await soon(second.begun, 1_500)).toBe(false);
  });
});
