import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedState } from '#adapters/embedded';
import { ANSWER_KEPT_FOR, Keyring } from '#eventsourcing';
import { idempotencyRecordsContract } from '../../../../test/contracts/idempotency-records.contract.js';
import { keyStoreContract } from '../../../../test/contracts/key-store.contract.js';

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
    change('PRAGMA user_version = 3');
    await expect(open()).rejects.toThrow('has version 3, this build reads version 2');
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
