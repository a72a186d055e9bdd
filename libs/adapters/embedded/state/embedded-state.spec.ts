import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedState } from '#adapters/embedded';
import { ANSWER_KEPT_FOR, KEYS_ENTRY, type MasterKey } from '#eventsourcing';
import { keyValueStoreContract } from '../../../../test/contracts/key-value-store.contract.js';
import { idempotencyRecordsContract } from '../../../../test/contracts/idempotency-records.contract.js';
import { keyStoreContract } from '../../../../test/contracts/key-store.contract.js';
import { withNumberOne } from '../../../../test/support/rotated.js';
import { sealedRowsContract } from '../../../../test/contracts/sealed-rows.contract.js';
import { vaultContract } from '../../../../test/contracts/vault.contract.js';
import { readLocked } from '../../../../test/support/read-locked.js';
import { EmbeddedIdempotencyRecords } from './embedded-idempotency-records.js';
import { EmbeddedKeyStore } from './embedded-key-store.js';
import { EmbeddedVault } from './embedded-vault.js';
import { StateLink } from './state-link.js';
import { sealedRowsOf } from './sealed-rows.js';

const master: MasterKey = () => Buffer.alloc(32, 1);
const another: MasterKey = () => Buffer.alloc(32, 2);

async function makeSubject<Store>(pick: (state: EmbeddedState) => Store) {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  const file = join(folder, 'state.db');
  let state = await EmbeddedState.open(file, master);
  return {
    store: pick(state),
    reopen: async () => {
      await state.close();
      state = await EmbeddedState.open(file, master);
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
keyValueStoreContract('embedded', () => makeSubject((state) => state.keyValues));
idempotencyRecordsContract('embedded', () => makeSubject((state) => state));

sealedRowsContract('embedded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  let link: StateLink | undefined;
  return {
    async open(ring) {
      await link?.close();
      link = await StateLink.open({ file: join(folder, 'state.db') });
      return {
        keys: new EmbeddedKeyStore(link, ring),
        vault: new EmbeddedVault(link, ring),
        records: new EmbeddedIdempotencyRecords(link, ring),
        rows: sealedRowsOf(link),
      };
    },
    async dispose() {
      await link?.close();
      rmSync(folder, { recursive: true });
    },
  };
});

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

  async function open(withKey = master): Promise<EmbeddedState> {
    const state = await EmbeddedState.open(file, withKey);
    opened.push(state);
    return state;
  }

  const make = async (): Promise<void> => (await open()).close();
  const change = (sql: string): void => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };

  it('can be read only by its owner, and so can its journal', async () => {
    const state = await open();
    await state.keys.obtain('ann');
    for (const each of [file, `${file}-wal`]) expect(statSync(each).mode & 0o077).toBe(0);
    await state.close();
  });

  it('is refused under another master key, and opens again under its own', async () => {
    await make();
    await expect(open(another)).rejects.toThrow('was written with another MASTER_KEY');
    await make();
  });

  it('refuses another program’s file, and does not change it', async () => {
    change('CREATE TABLE notes (text)');
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(`${file} is not a state database of Holdfast`);
    expect(readFileSync(file)).toEqual(before);
  });

  it('refuses a file that is no database, and does not change it', async () => {
    writeFileSync(file, 'The quick brown fox jumps over the lazy dog. '.repeat(100));
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(`${file} is damaged or no SQLite file`);
    expect(readFileSync(file)).toEqual(before);
  });

  it.each([1, 4, 7])('G9: of another build (version %d) is refused by name, and not changed', async (version) => {
    await make();
    change(`PRAGMA user_version = ${version}`);
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow(
      `${file} was written by another build of Holdfast: it has the format ${version}, and this build knows only 5 to 6`,
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('G9: of the first build reads and writes, with what it has', async () => {
    await make();
    const order = { credential: 'partner:acme', key: 'order-1' };
    const first = await open();
    await first.records.begin(order, 'f1', 'c1', 1);
    await first.records.keep(order, Buffer.from('yes'), 1);
    await first.close();
    change('DROP INDEX answers_of_person; ALTER TABLE idempotency_records DROP COLUMN person; PRAGMA user_version = 5');
    const state = await open();
    expect(await state.records.begin(order, 'f1', 'c2', 2)).toEqual({ kind: 'kept', answer: Buffer.from('yes') });
    const later = { ...order, key: 'order-2' };
    await state.records.begin(later, 'f1', 'c2', 2);
    await state.records.keep(later, Buffer.from('Ann'), 2, 'ann');
    expect(await state.records.erase('ann')).toBe(1);
    await state.close();
  });

  it('under another master key, or of a killed process, can be inspected without a change', async () => {
    await make();
    const closed = readFileSync(file);
    await expect(open(another)).rejects.toThrow('another MASTER_KEY');
    expect([readFileSync(file), readdirSync(folder)]).toEqual([closed, ['state.db']]);
    // The state that a killed process leaves: all of the last changes are in the WAL.
    const state = await open();
    await state.keys.obtain('ann');
    const left = [file, `${file}-wal`].map((each) => readFileSync(each));
    await state.close();
    [file, `${file}-wal`].forEach((each, index) => writeFileSync(each, left[index] ?? ''));
    await expect(open(another)).rejects.toThrow('another MASTER_KEY');
    expect(readdirSync(folder).sort()).toEqual(['state.db', 'state.db-wal']);
    expect([file, `${file}-wal`].map((each) => readFileSync(each))).toEqual(left);
  });

  it('gets no keys if something was written under keys: neither beside a log nor with secrets', async () => {
    await expect(EmbeddedState.open(file, master, 'there is a log')).rejects.toThrow('has no keys, but there is a log');
    expect(readdirSync(folder)).toEqual([]);
    const state = await open();
    await state.keys.obtain('ann');
    await state.close();
    change('DELETE FROM facts');
    const before = readFileSync(file);
    await expect(open()).rejects.toThrow('has no keys, but it holds sealed secrets');
    expect(readFileSync(file)).toEqual(before);
  });

  it('opens data sealed under the numbers 0 and 1, each by its stored number', async () => {
    const first = await open();
    const text = (await first.keyValues.get(KEYS_ENTRY)) ?? '';
    const [order, later] = [
      { credential: 'c', key: 'order' },
      { credential: 'c', key: 'later' },
    ];
    const key = await first.keys.obtain('ann');
    await first.vault.put('card', Buffer.from('4242'));
    await first.vault.put('other', Buffer.from('1881'));
    await first.records.begin(order, 'f', 'c', 1);
    await first.records.keep(order, Buffer.from('yes'), 1);
    // As a rotation will do: a second key for sealing beside the old one.
    await first.keyValues.replace(KEYS_ENTRY, text, withNumberOne(text, master(false)));
    await first.close();
    const second = await open();
    expect(await second.keys.get('ann')).toEqual(key);
    const bob = await second.keys.obtain('bob');
    await second.vault.put('other', Buffer.from('1882'));
    await second.records.begin(later, 'f', 'c', 1);
    await second.records.keep(later, Buffer.from('no'), 1);
    await second.close();
    const third = await open();
    expect([await third.keys.get('ann'), await third.keys.get('bob')]).toEqual([key, bob]);
    expect([String(await third.vault.get('card')), String(await third.vault.get('other'))]).toEqual(['4242', '1882']);
    expect(await third.records.begin(order, 'f', 'c', 2)).toEqual({ kind: 'kept', answer: Buffer.from('yes') });
    expect(await third.records.begin(later, 'f', 'c', 2)).toEqual({ kind: 'kept', answer: Buffer.from('no') });
    await third.close();
    const database = new DatabaseSync(file);
    const numbers = ['person_keys', 'vault WHERE live = 1', 'idempotency_records'].map((of) =>
      database
        .prepare(`SELECT key FROM ${of} ORDER BY id`)
        .all()
        .map((row) => row['key']),
    );
    database.close();
    expect(numbers).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  /** The sealed bytes in the file's live vault rows. */
  const sealed = (): Map<string, Uint8Array> => {
    const database = new DatabaseSync(file);
    const rows = database.prepare('SELECT name, sealed FROM vault WHERE live = 1').all();
    database.close();
    return new Map(rows.map((row) => [String(row['name']), row['sealed'] as Uint8Array]));
  };

  it('D9: does not open sealed bytes that were moved to another id', async () => {
    const state = await open();
    await state.vault.put('mine', Buffer.from('4242'));
    await state.vault.put('yours', Buffer.from('1881'));
    await state.close();
    change(`UPDATE vault SET sealed = (SELECT sealed FROM vault WHERE name = 'yours') WHERE name = 'mine'`);
    const again = await open();
    await expect(again.vault.get('mine')).rejects.toThrow('do not open');
    expect(await again.vault.get('yours')).toEqual(Buffer.from('1881'));
  });

  // SQLite leaves old copies if rows change their size; neither replaced nor destroyed bytes may be found.
  it('G12: has no sealed bytes of secrets that were replaced or destroyed', async () => {
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

  it('G8.2: opens when somebody who only looks has gone', async () => {
    await make();
    const { ended } = await readLocked(file);
    await make();
    await ended;
  });

  it('names a missing folder', async () => {
    await expect(EmbeddedState.open(join(folder, 'missing', 'state.db'), master)).rejects.toThrow('missing');
  });

  it('A11: removes expired answers as new ones come', async () => {
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
    // The sweep runs every 128 begins over 256 rows: it removes twice as many as come.
    expect(left?.['n']).toBe(1_000);
  });

  it('on closing waits for earlier calls, and refuses later ones', async () => {
    const state = await open();
    const asked = Promise.all(Array.from({ length: 20 }, (_, index) => state.keys.obtain(`person-${index}`)));
    await state.close();
    await state.close();
    expect((await asked).every((key) => key?.length === 32)).toBe(true);
    await expect(state.keys.get('person-30')).rejects.toMatchObject({ name: 'StoreFailed' });
  });
});
