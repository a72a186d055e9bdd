import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedState } from '#adapters/embedded';
import { ANSWER_KEPT_FOR, Keyring } from '#eventsourcing';
import { factsContract } from '../../../../test/contracts/facts.contract.js';
import { idempotencyRecordsContract } from '../../../../test/contracts/idempotency-records.contract.js';
import { keyStoreContract } from '../../../../test/contracts/key-store.contract.js';
import { vaultContract } from '../../../../test/contracts/vault.contract.js';

const keyring = Keyring.of(Buffer.alloc(32, 1));

async function makeSubject<Store>(pick: (state: EmbeddedState) => Store) {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  const file = join(folder, 'state.db');
  let state = await EmbeddedState.open(file, keyring);
  return {
    store: pick(state),
    reopen: async () => {
      await state.close();
      state = await EmbeddedState.open(file, keyring);
      return pick(state);
    },
    dispose: async () => {
      await state.close();
      rmSync(folder, { recursive: true });
    },
  };
}

keyStoreContract('embedded', () => makeSubject((state) => state.keys));
vaultContract('embedded', () => makeSubject((state) => state.vault));
factsContract('embedded', () => makeSubject((state) => state.facts));
idempotencyRecordsContract('embedded', () => makeSubject((state) => state.records));

describe('the state database', () => {
  let folder: string;
  let file: string;
  const opened: EmbeddedState[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'state-'));
    file = join(folder, 'state.db');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((state) => state.close()));
    rmSync(folder, { recursive: true });
  });

  async function open(withKeys = keyring): Promise<EmbeddedState> {
    const state = await EmbeddedState.open(file, withKeys);
    opened.push(state);
    return state;
  }

  const make = async (): Promise<void> => (await open()).close();
  const change = (sql: string): void => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };

  it('can be read by its owner only, and so can its journal', async () => {
    const state = await open();
    await state.keys.obtain('ann');
    for (const each of [file, `${file}-wal`]) expect(statSync(each).mode & 0o077).toBe(0);
    await state.close();
  });

  it('is refused under another master key, and opens again under its own', async () => {
    await make();
    await expect(open(Keyring.of(Buffer.alloc(32, 2)))).rejects.toThrow(
      'the data folder was written with another MASTER_KEY',
    );
    await make();
  });

  it('a foreign file is refused, and not touched', async () => {
    change('CREATE TABLE notes (text)');
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(`${file} is not a state database of Holdfast`);
    expect(readFileSync(file)).toEqual(before);
  });

  it('a file that is no database is refused, and not touched', async () => {
    writeFileSync(file, 'The quick brown fox jumps over the lazy dog. '.repeat(100));
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(`${file} is damaged or no SQLite file`);
    expect(readFileSync(file)).toEqual(before);
  });

  it('a file of a newer build is refused', async () => {
    await make();
    change('PRAGMA user_version = 4');
    await expect(open()).rejects.toThrow('has version 4, this build reads version 3');
  });

  it('of an older build, which had no vault, gets one and keeps what it has', async () => {
    const older = await open();
    const key = await older.keys.obtain('ann');
    await older.close();
    change('DROP TABLE vault; DROP TABLE facts; PRAGMA user_version = 1');
    for (const secret of ['one', 'two']) {
      const state = await open();
      expect(await state.keys.get('ann')).toEqual(key);
      await state.vault.put('card', Buffer.from(secret));
      expect(await state.vault.get('card')).toEqual(Buffer.from(secret));
      await state.close();
    }
  });

  it('of an older build is not touched under another master key', async () => {
    await make();
    change('DROP TABLE vault; DROP TABLE facts; PRAGMA user_version = 1');
    await expect(open(Keyring.of(Buffer.alloc(32, 2)))).rejects.toThrow('another MASTER_KEY');
    const database = new DatabaseSync(file);
    expect(database.prepare('PRAGMA user_version').get()?.['user_version']).toBe(1);
    database.close();
  });

  /** The sealed bytes of the vault as they lie in the file, of live rows alone. */
  const sealed = (): Map<string, Uint8Array> => {
    const database = new DatabaseSync(file);
    const rows = database.prepare('SELECT name, sealed FROM vault WHERE live = 1').all();
    database.close();
    return new Map(rows.map((row) => [String(row['name']), row['sealed'] as Uint8Array]));
  };

  it('D9: sealed bytes that were moved to another id do not open', async () => {
    const state = await open();
    await state.vault.put('mine', Buffer.from('4242'));
    await state.vault.put('yours', Buffer.from('1881'));
    await state.close();
    change(`UPDATE vault SET sealed = (SELECT sealed FROM vault WHERE name = 'yours') WHERE name = 'mine'`);
    const again = await open();
    await expect(again.vault.get('mine')).rejects.toThrow('do not open');
    expect(await again.vault.get('yours')).toEqual(Buffer.from('1881'));
  });

  // SQLite leaves old copies where rows change their size: neither what was replaced nor what was destroyed may be found.
  it('G12: secrets that were replaced or destroyed leave no sealed bytes in the file', async () => {
    const fill = async (times: number): Promise<void> => {
      const state = await open();
      const names = Array.from({ length: 200 }, (_, index) => `card-${index}`);
      await Promise.all(
        names.map((name, index) => state.vault.put(name, Buffer.alloc(50 + times * (index % 7), index))),
      );
      await state.close();
    };
    const gone: Uint8Array[] = [];
    for (const times of [1, 2, 3]) {
      await fill(times);
      if (times < 3) gone.push(...sealed().values());
    }
    const kept = sealed();
    const state = await open();
    for (const name of [...kept.keys()].filter((_, index) => index % 3 === 0)) {
      gone.push(kept.get(name) ?? new Uint8Array());
      kept.delete(name);
      await state.vault.destroy(name);
    }
    const files = [file, `${file}-wal`].map((each) => readFileSync(each));
    const found = (bytes: Uint8Array): boolean => files.some((each) => each.includes(Buffer.from(bytes)));
    expect(gone.length).toBeGreaterThan(400);
    expect(gone.filter(found)).toEqual([]);
    expect([...kept.values()].every(found)).toBe(true);
  });

  it('has one owner at a time', async () => {
    const owner = await open();
    await expect(open()).rejects.toThrow(`${file} is in use by another process`);
    await owner.close();
    await make();
  });

  it('a folder that is missing is told by name', async () => {
    await expect(EmbeddedState.open(join(folder, 'missing', 'state.db'), keyring)).rejects.toThrow('missing');
  });

  it('A11: expired answers are cleaned up as new ones come', async () => {
    const state = await open();
    const begin = (from: number, now: number) =>
      Promise.all(
        Array.from({ length: 1_000 }, (_, index) =>
          state.records.begin({ credential: 'c', key: `${from + index}` }, 'f', 'c', now),
        ),
      );
    await begin(0, 1_000);
    await begin(1_000, 1_000 + ANSWER_KEPT_FOR);
    await state.close();
    const database = new DatabaseSync(file, { readOnly: true });
    const left = database.prepare('SELECT count(*) AS n FROM idempotency_records').get();
    database.close();
    // The sweep runs every 128 begins, over 256 rows: it takes away twice what comes.
    expect(left?.['n']).toBe(1_000);
  });

  it('closing waits for what was asked before it, and refuses what is asked after it', async () => {
    const state = await open();
    const asked = Promise.all(Array.from({ length: 20 }, (_, index) => state.keys.obtain(`person-${index}`)));
    await state.close();
    await state.close();
    expect((await asked).every((key) => key?.length === 32)).toBe(true);
    await expect(state.keys.get('person-30')).rejects.toMatchObject({ name: 'StoreFailed' });
  });
});
