import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedState } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import {
  KEYS_ENTRY,
  PersonalData,
  resealed,
  SEALED_KINDS,
  type SealedRow,
  type SealedRows,
  withChangeEnded,
  withNewKey,
  withNewKeyUsed,
} from '#eventsourcing';

const master = Buffer.alloc(32, 0xa7);

/** The bytes as they are, in hexadecimal, and in base64 at each offset. */
function forms(canary: Buffer): Buffer[] {
  const hex = canary.toString('hex');
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), canary]).toString('base64');
    // The characters at the ends also hold bits of the neighbours.
    return text.slice(shift === 0 ? 0 : 4, text.length - 4);
  });
  const texts = [
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((each) => each.replace(/\+/g, '-').replace(/\//g, '_')),
  ];
  return [canary, ...texts.map((each) => Buffer.from(each))];
}

describe('the content of the state database', () => {
  let folder: string;
  let file: string;
  const opened: EmbeddedState[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'canaries-'));
    file = join(folder, 'state.db');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((state) => state.close()));
    rmSync(folder, { recursive: true });
  });

  async function open(): Promise<EmbeddedState> {
    const state = await EmbeddedState.open(file, () => master);
    opened.push(state);
    return state;
  }

  const onDisk = (): Buffer =>
    Buffer.concat([file, `${file}-wal`].filter((each) => existsSync(each)).map((each) => readFileSync(each)));
  const shows = (bytes: Buffer, canary: Buffer): boolean => forms(canary).some((form) => bytes.includes(form));

  it('A11: has neither keys nor idempotency keys nor sealed content, in any form', async () => {
    const state = await open();
    const personal = new PersonalData(state.keys, thisMachine.randomness);
    const record = { credential: 'credential-canary', key: 'idempotency-canary' };
    const plain = { email: 'e-mail-canary@example.org', name: 'Name Canary' };
    const sealed = await personal.seal('person-1', plain);
    await state.records.begin(record, state.keyring.hash('fingerprint', 'request-canary'), 'command-1', 1_000);
    await state.records.keep(record, Buffer.from(sealed + JSON.stringify(plain)), 1_000);
    const personKey = (await state.keys.get('person-1')) ?? Buffer.alloc(0);
    expect(personKey).toHaveLength(32);

    const whileOpen = onDisk();
    expect(readFileSync(`${file}-wal`).length).toBeGreaterThan(0);
    await state.close();
    for (const bytes of [whileOpen, onDisk()]) {
      // The search itself works: these two are not sealed.
      expect(shows(bytes, Buffer.from('person-1'))).toBe(true);
      expect(shows(bytes, Buffer.from('command-1'))).toBe(true);
      const canaries = ['credential-canary', 'idempotency-canary', 'request-canary', plain.email, plain.name];
      for (const canary of [master, personKey, ...canaries.map((text) => Buffer.from(text))]) {
        expect(shows(bytes, canary)).toBe(false);
      }
    }
  });

  it('G12: has not even the wrapped bytes of a destroyed key, in file or journal, however many keys are around it', async () => {
    const people = Array.from({ length: 2_000 }, (_, index) => `person-${(index * 7919) % 2_000}`);
    const state = await open();
    await Promise.all(people.map((person) => state.keys.obtain(person)));
    await state.close();

    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('SELECT person, wrapped FROM person_keys').all();
    database.close();
    const wrapped = new Map(rows.map((row) => [row['person'] as string, Buffer.from(row['wrapped'] as Uint8Array)]));
    expect(wrapped.size).toBe(2_000);

    const reopened = await open();
    await Promise.all(['new-1', 'new-2'].map((person) => reopened.keys.obtain(person)));
    const gone = people.filter((_, index) => index % 13 === 0);
    await Promise.all(gone.map((person) => reopened.keys.destroy(person)));
    const bytes = onDisk();
    expect(readFileSync(`${file}-wal`)).toHaveLength(0);
    await reopened.close();
    const found = (people: string[]): number =>
      people.filter((person) => bytes.includes(wrapped.get(person) ?? '')).length;
    expect(found(gone)).toBe(0);
    expect(found(people)).toBe(people.length - gone.length);
  });

  it('G14: has nothing that was sealed under a key before a rotation, nor that key, and a key that is destroyed later stays so', async () => {
    const state = await open();
    const { liveKeys, sealed } = state;
    const people = Array.from({ length: 700 }, (_, index) => `person-${(index * 7919) % 700}`);
    await Promise.all(people.map((person) => state.keys.obtain(person)));
    for (const [index, person] of people.entries()) {
      await state.vault.put(`card-${person}`, Buffer.from(`4242424242424242 ${index}`));
      await state.keyValues.insert(`entry-${person}`, 'x'.repeat(index));
    }
    await state.records.begin({ credential: 'c', key: 'k' }, 'f', 'c', 1_000);
    await state.records.keep({ credential: 'c', key: 'k' }, Buffer.from('answer'), 1_000);
    const ann = await state.keys.get('person-1');

    // The second time, the number of the key is one that another key had.
    for (const number of [1, 0]) {
      const before = await rowsOf(sealed);
      const canaries = [...before.map((row) => Buffer.from(row.sealed.bytes)), ...(await wrapped(state))];
      const count = (): number => {
        const bytes = onDisk();
        return canaries.filter((canary) => bytes.includes(canary)).length;
      };
      expect(count()).toBe(canaries.length);
      await liveKeys.replace(withNewKey(liveKeys.opened.keys, 'seal', randomBytes(32)), master);
      await liveKeys.replace(withNewKeyUsed(liveKeys.opened.keys), master);
      await sealed.reseal(before.map((row) => resealed(state.keyring, row)));
      // Each step wraps the keys anew: the older one is there until the last step.
      canaries.push(...(await wrapped(state)));
      await liveKeys.replace(withChangeEnded(liveKeys.opened.keys), master);
      expect([state.keyring.sealingKey, state.keyring.ids.seal.length]).toEqual([number, 1]);
      expect(count()).toBe(0);
    }
    expect((await state.vault.get('card-person-1'))?.toString()).toMatch(/^4242424242424242/);
    const found = (await rowsOf(sealed)).find(({ kind, name }) => kind === 'key' && name === 'person-2');
    const bytes = Buffer.from(found?.sealed.bytes ?? []);
    expect(onDisk().includes(bytes)).toBe(true);
    await state.keys.destroy('person-2');
    expect(onDisk().includes(bytes)).toBe(false);
    await state.close();
    const again = await open();
    expect(await again.keys.get('person-1')).toEqual(ann);
    expect(await again.records.begin({ credential: 'c', key: 'k' }, 'f', 'c', 2_000)).toEqual({
      kind: 'kept',
      answer: Buffer.from('answer'),
    });
  });
});

/** The keys of the installation as they are stored now. */
async function wrapped({ keyValues }: EmbeddedState): Promise<readonly Buffer[]> {
  const { keys } = JSON.parse((await keyValues.get(KEYS_ENTRY)) ?? '') as {
    readonly keys: readonly { wrapped: string }[];
  };
  return keys.map((key) => Buffer.from(key.wrapped));
}

async function rowsOf(sealed: SealedRows): Promise<readonly SealedRow[]> {
  const all: SealedRow[] = [];
  for (const kind of SEALED_KINDS) {
    for (let after: string | undefined; ;) {
      const { rows, next } = await sealed.part(kind, after);
      all.push(...rows);
      if (next === undefined) break;
      after = next;
    }
  }
  return all;
}
