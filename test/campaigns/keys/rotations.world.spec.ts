import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast } from '../../support/backups.js';
import { discardLeftovers, newDataDir, RunningService } from '../../support/running-service.js';
import { type RotatedKey, ShopUnderRotation } from './shop-under-rotation.js';

/** Another address would be another form of answers. */
const PUBLIC_URL = 'http://shop.example';
const KEYS: readonly RotatedKey[] = ['data', 'urls', 'master'];
/** Milliseconds after the order at which the process is killed. */
const KILLS: readonly (readonly [key: RotatedKey, after: number])[] = [
  ['data', 2],
  ['data', 12],
  ['urls', 2],
  ['master', 4],
];

let service: RunningService;
let dataDir: string;
const shop = new ShopUnderRotation(() => service);
const start = async (): Promise<void> => {
  service = await RunningService.start({ dataDir, env: { PUBLIC_URL }, engines: undefined, ownProcess: true });
};

/** The key before, which an operator moves to where they keep the keys of old backups. */
const oldKey = (): string => join(dataDir, 'master.key.old');

/** The numbers of the keys under which rows are sealed, and how many keys seal. */
function sealedUnder(): { readonly rows: readonly unknown[]; readonly keys: number } {
  const database = new DatabaseSync(join(dataDir, 'state.db'), { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT key FROM person_keys WHERE destroyed = 0 UNION SELECT key FROM vault WHERE live = 1
           UNION SELECT key FROM idempotency_records WHERE state = 'done'`,
      )
      .all()
      .map(({ key }) => key);
    const entry = JSON.parse(
      String(database.prepare(`SELECT value FROM facts WHERE name = 'keys'`).get()?.['value']),
    ) as { readonly keys: readonly { readonly use: string }[] };
    return { rows, keys: entry.keys.filter(({ use }) => use === 'seal').length };
  } finally {
    database.close();
  }
}

beforeAll(async () => {
  dataDir = newDataDir();
  await start();
  await shop.open();
});
beforeEach(() => rmSync(oldKey(), { force: true }));
afterEach(() => {
  expect(shop.faults).toEqual([]);
});
afterAll(async () => {
  await service.stop();
  await discardLeftovers();
});

describe('G14: a rotation of each key under load', () => {
  it.each(KEYS)('%s: nobody waits, and what was made before holds', async (key) => {
    const before = await shop.idOf(key);
    const sold = shop.sold;
    const over = new AbortController();
    const load = shop.load(over.signal);
    await pause(300);
    await shop.rotate(key);
    await pause(300);
    over.abort();
    await load;
    expect(shop.sold).toBeGreaterThan(sold);
    expect(await shop.idOf(key)).not.toBe(before);
    await shop.holds();
    await service.stop();
    expect(sealedUnder()).toEqual({ rows: [1], keys: 1 });
    await start();
    await shop.holds();
  });

  it('the master key before opens nothing any more, and says which one does', async () => {
    await shop.rotate('master');
    expect(existsSync(oldKey())).toBe(true);
    await service.stop();
    const refused = await holdfast(['doctor', '--json'], {
      DATA_DIR: dataDir,
      MASTER_KEY: readFileSync(oldKey(), 'utf8').trim(),
    });
    expect(refused.out).toContain('After a rotation of the master key, that is the new one');
    await start();
  });
});

describe('G14: a rotation that a kill breaks off', () => {
  it.each(KILLS)('%s, %d ms after its order, goes on at the next start', async (key, after) => {
    const before = await shop.idOf(key);
    await shop.begin(key);
    await pause(after);
    await service.kill();
    await start();
    await shop.ended();
    expect(await shop.idOf(key)).not.toBe(before);
    await shop.holds();
  });

  it('leaves nothing under a key before', async () => {
    await service.stop();
    expect(sealedUnder()).toMatchObject({ rows: [expect.any(Number)], keys: 1 });
    await start();
  });
});

describe('G14: a backup', () => {
  it('that is taken during rotations is whole', async () => {
    const backup = newDataDir();
    const env = { DATA_DIR: dataDir, HOLDFAST_URL: service.url };
    for (const key of ['data', 'urls'] as const) {
      await shop.begin(key);
      expect(await holdfast(['backup', backup], env)).toMatchObject({ code: 0 });
      await shop.ended();
      const drill = ['drill', backup, '--erasures', 'none', '--master-key-file', join(dataDir, 'master.key')];
      expect(await holdfast(drill, {})).toMatchObject({ code: 0 });
    }
  });
});
