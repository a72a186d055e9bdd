import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import {
  type IdempotencyRecords,
  Keyring,
  type KeyStore,
  resealed,
  SEALED_KINDS,
  type SealedRow,
  type SealedRows,
  type Vault,
} from '#eventsourcing';

/** The stores of one engine that seal, and its sealed rows. */
export interface SealedSubject {
  readonly keys: KeyStore;
  readonly vault: Vault;
  readonly records: IdempotencyRecords;
  readonly rows: SealedRows;
}

export interface SealedStores {
  /** The same database, with another keyring. */
  open(keyring: Keyring): Promise<SealedSubject>;
  dispose(): Promise<void>;
}

const T = 1_800_000_000_000;
const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const hash = Buffer.alloc(32, 9);
const url = new Map([[0, hash]]);
const ringOf = (seal: ReadonlyMap<number, Buffer>, change?: 'used'): Keyring =>
  Keyring.holding(
    { hash, seal, url, change: change && { use: 'seal', from: 0, to: 1, step: change } },
    thisMachine.randomness,
  );
const record = (name: number) => ({ credential: 'partner:acme', key: `order-${name}` });

async function everyRow(rows: SealedRows): Promise<readonly SealedRow[]> {
  const all: SealedRow[] = [];
  for (const kind of SEALED_KINDS) {
    for (let after: string | undefined; ;) {
      const part = await rows.part(kind, after);
      all.push(...part.rows);
      if (part.next === undefined) break;
      after = part.next;
    }
  }
  return all;
}

/** What every engine keeps of the port `SealedRows`. */
export function sealedRowsContract(engine: string, make: () => Promise<SealedStores>): void {
  describe(`G14: sealed rows, ${engine}`, () => {
    let stores: SealedStores;
    beforeEach(async () => (stores = await make()));
    afterEach(() => stores.dispose());

    async function filled(count: number): Promise<SealedSubject> {
      const old = await stores.open(ringOf(new Map([[0, OLD]])));
      for (let n = 0; n < count; n += 1) {
        await old.keys.obtain(`person-${n}`);
        await old.vault.put(`card-${n}`, Buffer.from(`4242-${n}`));
        await old.records.begin(record(n), 'f', `c${n}`, T);
        await old.records.keep(record(n), Buffer.from(`answer ${n}`), T, `person-${n}`);
      }
      return old;
    }

    it('are all of them found and sealed again, and open with the newer key alone', async () => {
      const old = await filled(300);
      const keysBefore = await old.keys.get('person-7');
      const both = ringOf(
        new Map([
          [0, OLD],
          [1, NEW],
        ]),
        'used',
      );
      const { rows } = await stores.open(both);
      const before = await everyRow(rows);
      expect(before).toHaveLength(900);
      for (let from = 0; from < before.length; from += 100)
        await rows.reseal(before.slice(from, from + 100).map((row) => resealed(both, row)));
      expect(new Set((await everyRow(rows)).map(({ sealed }) => sealed.key))).toEqual(new Set([1]));
      const young = await stores.open(ringOf(new Map([[1, NEW]])));
      expect(await young.keys.get('person-7')).toEqual(keysBefore);
      expect((await young.vault.get('card-299'))?.toString()).toBe('4242-299');
      expect(await young.records.begin(record(299), 'f', 'again', T)).toEqual({
        kind: 'kept',
        answer: Buffer.from('answer 299'),
      });
    });

    it('stay as they are if they were replaced, destroyed or erased since they were read', async () => {
      await filled(3);
      const both = ringOf(
        new Map([
          [0, OLD],
          [1, NEW],
        ]),
        'used',
      );
      const { rows, keys, vault, records } = await stores.open(both);
      const before = await everyRow(rows);
      await vault.put('card-0', Buffer.from('other'));
      await vault.destroy('card-1');
      await keys.destroy('person-1');
      await records.erase('person-1');
      await rows.reseal(before.map((row) => resealed(both, row)));
      expect((await vault.get('card-0'))?.toString()).toBe('other');
      expect(await vault.get('card-1')).toBeUndefined();
      expect(await keys.get('person-1')).toBeUndefined();
      expect(await records.begin(record(1), 'f', 'again', T)).toEqual({ kind: 'erased' });
      const again = await stores.open(both);
      expect(await again.keys.obtain('person-1')).toBeUndefined();
    });
  });
}
