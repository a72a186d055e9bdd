import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { sharedEngines } from '../support/cluster.js';
import { copyOf } from '../support/data-folder.js';
import { databaseUrl } from '../support/mongodb/database-url.js';
import { documentsOf, fillDatabase, startMongoDb } from '../support/mongodb/mongodb-server.js';
import { Program } from '../support/program.js';
import { discardLeftovers, newDataDir, RunningService } from '../support/running-service.js';

const server = sharedEngines() === undefined ? await startMongoDb() : undefined;
/** The same for every installation here: it must not be the only difference between them. */
const MASTER_KEY = '7'.repeat(64);
const ENV = { ARGON2_MEMORY: '64', ARGON2_TIME: '1', TEST_CLOCK: 'true', DEMO: 'false', MASTER_KEY };

if (server === undefined) {
  describe('a data folder with its keys on MongoDB', () => it.skip('no server is available here', () => undefined));
} else {
  const { url } = server;
  const of = (database: string): string => databaseUrl({ url }, database);

  describe(`a data folder with its keys on MongoDB (${server.name})`, () => {
    const [mine, theirs] = [`test-${randomUUID()}`, `test-${randomUUID()}`];
    const dataDir = newDataDir();
    let older: Readonly<Record<string, readonly Document[]>>;
    let latest: typeof older;

    const start = (database: string, folder: string): Promise<RunningService> =>
      RunningService.start({ dataDir: folder, env: { ...ENV, MONGODB_URL: of(database) } });
    const run = async (database: string, folder: string, slug: string): Promise<void> => {
      const service = await start(database, folder);
      const { key } = await service.newPartner(slug);
      await service.newUser(key, `${slug}@example.org`);
      await service.stop();
    };
    /** The output of a start that fails and writes nothing. */
    const refused = async (database: string, folder = dataDir): Promise<string> => {
      const before = await documentsOf(of(database));
      const env = { PORT: '0', DATA_DIR: folder, ...ENV, MONGODB_URL: of(database) };
      const program = Program.startInHost('apps/api/main.js', env);
      expect(await program.ended()).toBe(1);
      expect(await documentsOf(of(database))).toEqual(before);
      return program.printed;
    };

    beforeAll(async () => {
      await run(mine, dataDir, 'acme');
      older = await documentsOf(of(mine));
      await run(mine, dataDir, 'beta');
      latest = await documentsOf(of(mine));
      const other = newDataDir();
      await run(theirs, other, 'acme');
    });
    afterAll(async () => {
      await discardLeftovers();
      for (const each of [mine, theirs]) await fillDatabase(of(each), {});
      await server.stop();
    });

    it('is refused when the database was dropped, and gets no new keys', async () => {
      await fillDatabase(of(mine), {});
      expect(await refused(mine)).toContain('the database of MONGODB_URL has no keys, but the data folder');
      // Nor when the folder is new and only the log exists.
      const copy = copyOf(dataDir);
      rmSync(`${copy}/holdfast.json`);
      expect(await refused(mine, copy)).toContain('has no keys, but the event log');
    });

    it('is refused with the database of another installation', async () => {
      expect(await refused(theirs)).toContain(
        'the database of MONGODB_URL belongs to another installation than the folder',
      );
    });

    it('is refused with an older copy of the database', async () => {
      await fillDatabase(of(mine), older);
      expect(await refused(mine)).toContain('the key store is older than the rest of the folder (start 1 of 2)');
    });

    it('G9: is refused with a database of another build', async () => {
      const facts = (latest['facts'] ?? []).map((fact) => (fact['_id'] === 'format' ? { ...fact, text: '1' } : fact));
      await fillDatabase(of(mine), { ...latest, facts });
      expect(await refused(mine)).toContain(
        'the database of MONGODB_URL was written by another build of Holdfast: it has the format 1',
      );
    });

    it('is whole again with the right one', async () => {
      await fillDatabase(of(mine), latest);
      const service = await start(mine, dataDir);
      await service.stop();
    });

    // No folder remembers for processes that share their engines: then the log does.
    it('reports in health when the log has people for whom the database never had a key', async () => {
      const now = await documentsOf(of(mine));
      const before = {
        ...now,
        person_keys: [],
        facts: (now['facts'] ?? []).map((fact) => (fact['_id'] === 'mark' ? markAtBegin(fact) : fact)),
      };
      await fillDatabase(of(mine), before);
      const service = await RunningService.start({
        dataDir,
        env: { ...ENV, MONGODB_URL: of(mine) },
        unready: true,
      });
      const ready = await service.health();
      expect([ready.status, ready.text]).toEqual([
        503,
        expect.stringContaining('The key store is older than the event log'),
      ]);
      const [, code] = /ACCEPT=([0-9a-f]{12})/.exec(service.printed) ?? [];
      await service.stop();
      const accepted = await RunningService.start({
        dataDir,
        env: { ...ENV, MONGODB_URL: of(mine), ACCEPT: code ?? '' },
      });
      await accepted.stop();
      await fillDatabase(of(mine), latest);
    });

    /** The mark before there was any event. */
    function markAtBegin(fact: Document): Document {
      const { identity } = JSON.parse(String(fact['text'])) as { identity: string };
      const text = JSON.stringify({ identity, position: '0', stream: '', revision: -1, id: '' });
      return { ...fact, text };
    }
  });
}
