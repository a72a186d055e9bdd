import { afterAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import {
  MongoDbIdempotencyRecords,
  MongoDbKeyStore,
  MongoDbLeases,
  MongoDbSealedRows,
  MongoDbVault,
  openMongoDbKeys,
} from '#adapters/mongodb';
import { thisMachine } from '#adapters/machine';
import { type Machine, SEALED_KINDS } from '#eventsourcing';
import { operations, SERVICE_KEYS, serviceKeys } from '#operations/model';
import { MongoDbDatabase } from '../../../test/support/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../test/support/mongodb/mongodb-server.js';
import { openPeopleEngine, type PeopleEngine } from '../../../test/support/people-engine.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { KeyRotation } from './key-rotation.js';
import { MasterKeyFiles } from './master-key-files.js';

/** Time runs so many times as fast as on the wall. */
const FAST = 20;
const { time, randomness } = thisMachine;
const machine: Machine = {
  ...thisMachine,
  time: {
    ...time,
    monotonic: () => time.monotonic() * FAST,
    pause: (milliseconds, options) => time.pause(milliseconds / FAST, options),
    every: (milliseconds, work) => time.every(milliseconds / FAST, work),
  },
};
const logger = pino({ level: 'silent' });
const server = await startMongoDb();
afterAll(() => server?.stop());

(server === undefined ? describe.skip : describe)('G14: a rotation that processes share', () => {
  const folder = tempFolder();
  const database = new MongoDbDatabase(server ?? { url: '' });
  let engine: PeopleEngine;
  afterAll(async () => {
    await database.dispose();
    folder.remove();
  });

  /** A process on the database. */
  async function open() {
    const mongo = await database.connect();
    const live = await openMongoDbKeys(Object.assign(Object.create(mongo) as typeof mongo, { machine }), () =>
      Buffer.alloc(32, 7),
    );
    const { keyring } = live;
    const leases = new MongoDbLeases(mongo, () => undefined);
    const rotation = new KeyRotation({
      live,
      rows: new MongoDbSealedRows(mongo),
      guard: { passed: () => Promise.resolve() },
      writer: engine.engine.writer,
      time: machine.time,
      randomness,
      logger,
      files: new MasterKeyFiles(folder.path),
      ownsMasterKey: false,
      isAlone: false,
      isShared: true,
      leases,
      signWith: () => Promise.resolve(() => undefined),
    });
    rotation.start();
    return {
      live,
      rotation,
      keys: new MongoDbKeyStore(mongo, keyring, undefined, live),
      vault: new MongoDbVault(mongo, keyring, live),
      records: new MongoDbIdempotencyRecords(mongo, keyring, live),
      rows: new MongoDbSealedRows(mongo),
      async close() {
        await rotation.close();
        await leases.close();
      },
    };
  }

  it('seals everything again while both write, also what is written meanwhile, though the one that began it ends', async () => {
    engine = await openPeopleEngine([operations]);
    const [first, second] = [await open(), await open()];
    const written: string[] = [];
    const over = new AbortController();
    const write = async (of: typeof first, name: string): Promise<void> => {
      for (let nth = 0; !over.signal.aborted; nth += 1) {
        const id = `${name}-${nth}`;
        await of.keys.obtain(id);
        await of.vault.put(id, Buffer.from(id));
        await of.records.begin({ credential: 'c', key: id }, 'f', id, 1);
        await of.records.keep({ credential: 'c', key: id }, Buffer.from(id), 1);
        // The other process opens it, whichever key it is under.
        expect((await (of === first ? second : first).vault.get(id))?.toString()).toBe(id);
        written.push(id);
      }
    };
    const writing = Promise.all([write(first, 'a'), write(second, 'b')]);
    for (let turn = 0; turn < 2; turn += 1) {
      const before = first.live.keyring.ids.seal[0] ?? '';
      const command = { type: 'begin', key: 'data', from: before, reason: null } as const;
      await engine.engine.writer.execute(serviceKeys, SERVICE_KEYS, command, engine.context());
      first.rotation.wake();
      // The process that rotates ends in the middle of the first rotation; the other one takes over.
      if (turn === 0) {
        await time.pause(300);
        await first.rotation.close();
        second.rotation.wake();
      }
      while ((await second.rotation.status()).some(({ rotation }) => rotation !== undefined)) {
        second.rotation.wake();
        await time.pause(50);
      }
      expect(second.live.keyring.ids.seal).toHaveLength(1);
      expect(second.live.keyring.ids.seal[0]).not.toBe(before);
      await first.live.refresh();
    }
    over.abort();
    await writing;
    const third = await open();
    const numbers = new Set<number>();
    for (const kind of SEALED_KINDS) {
      for (let after: string | undefined; ;) {
        const part = await third.rows.part(kind, after);
        for (const { sealed } of part.rows) numbers.add(sealed.key);
        if (part.next === undefined) break;
        after = part.next;
      }
    }
    expect([...numbers]).toEqual([third.live.keyring.sealingKey]);
    expect(written.length).toBeGreaterThan(20);
    for (const id of written) {
      expect([await third.keys.get(id), (await third.vault.get(id))?.toString()]).toEqual([expect.any(Buffer), id]);
      expect(await third.records.begin({ credential: 'c', key: id }, 'f', id, 1)).toMatchObject({ kind: 'kept' });
    }
    await Promise.all([first, second, third].map((each) => each.close()));
    await engine.close();
  }, 120_000);
});
