import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Snapshot, SnapshotName, SnapshotStore } from '#eventsourcing';

/** A store of snapshots with its data. */
export interface SnapshotStoreSubject {
  readonly store: SnapshotStore;
  /** Opens the same snapshots as another process would see them. */
  reopen(): Promise<SnapshotStore>;
  /** Closes everything that is open and deletes it. */
  dispose(): Promise<void>;
}

const NEVER = '0'.repeat(64);

/** A snapshot of a made-up state. */
export function snapshotOf(stream: string, digest: string, part: Partial<Snapshot> = {}): Snapshot {
  const event = '11111111-2222-3333-4444-555555555555';
  const parts = [Buffer.from('one'), Buffer.alloc(0), Buffer.from([0, 10, 13, 255])];
  const log = 'the log';
  return { stream, digest, log, revision: 7, position: 9n, event, first: event, parts, checksum: NEVER, ...part };
}

/** Its fields and the bytes of its parts, whatever class these have. */
function plain(snapshot: Snapshot | undefined): unknown {
  return snapshot && { ...snapshot, parts: snapshot.parts.map((part) => Buffer.from(part).toString('base64')) };
}

/** What every store of snapshots must do. */
export function snapshotStoreContract(name: string, makeSubject: () => Promise<SnapshotStoreSubject>): void {
  describe(`snapshots contract: ${name}`, () => {
    let subject: SnapshotStoreSubject;
    let store: SnapshotStore;
    beforeEach(async () => {
      subject = await makeSubject();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

    const named = (stream: string, digest: string): SnapshotName => ({ stream, digest });

    it('has nothing at first', async () => {
      expect(await store.get(named('tally-a', 'aa'))).toBeUndefined();
      expect(await store.others(new Set(), 10)).toEqual([]);
      await store.delete(named('tally-a', 'aa'));
    });

    it('keeps a snapshot with each of its fields and bytes', async () => {
      const position = 2n ** 63n - 1n;
      const large = Buffer.alloc(3 * 1024 * 1024, 'large');
      const kept = [
        snapshotOf('tally-a', 'aa', { position, revision: 4_000_000 }),
        snapshotOf('tally-Zoë 🙂/..\n', 'aa'),
        snapshotOf('tally-large', 'aa', { parts: [large, Buffer.from('rest'), large] }),
        snapshotOf('tally-empty', 'aa', { parts: [] }),
      ];
      for (const each of kept) await store.put(each);
      for (const of of [store, await subject.reopen()])
        for (const each of kept) expect(plain(await of.get(each))).toEqual(plain(each));
    });

    it('distinguishes streams and digests', async () => {
      await store.put(snapshotOf('tally-a', 'aa', { revision: 1 }));
      await store.put(snapshotOf('tally-b', 'aa', { revision: 2 }));
      await store.put(snapshotOf('tally-a', 'bb', { revision: 3 }));
      expect((await store.get(named('tally-a', 'aa')))?.revision).toBe(1);
      expect((await store.get(named('tally-b', 'aa')))?.revision).toBe(2);
      expect((await store.get(named('tally-a', 'bb')))?.revision).toBe(3);
      expect(await store.get(named('tally-b', 'bb'))).toBeUndefined();
      await store.delete(named('tally-a', 'aa'));
      expect(await store.get(named('tally-a', 'aa'))).toBeUndefined();
      expect((await (await subject.reopen()).get(named('tally-a', 'bb')))?.revision).toBe(3);
    });

    it('replaces a snapshot by another of its name, also a longer one by a shorter one', async () => {
      const long = Array.from({ length: 20 }, () => Buffer.alloc(300_000, 'x'));
      await store.put(snapshotOf('tally-a', 'aa', { parts: long }));
      const short = snapshotOf('tally-a', 'aa', { revision: 8 });
      await store.put(short);
      expect(plain(await store.get(short))).toEqual(plain(short));
      const next = snapshotOf('tally-a', 'aa', { revision: 9, parts: long });
      await store.put(next);
      expect(plain(await (await subject.reopen()).get(next))).toEqual(plain(next));
    });

    it('gives a reader one snapshot or the next, never a part of each', async () => {
      const at = (revision: number): Snapshot =>
        snapshotOf('tally-a', 'aa', { revision, parts: [Buffer.alloc(1_500_000, revision), Buffer.from([revision])] });
      const reader = await subject.reopen();
      await store.put(at(1));
      const writes = (async () => {
        for (let revision = 2; revision <= 12; revision++) await store.put(at(revision));
      })();
      for (let found = await reader.get(named('tally-a', 'aa')); found?.revision !== 12;) {
        found = await reader.get(named('tally-a', 'aa'));
        if (found !== undefined) expect(plain(found)).toEqual(plain(at(found.revision)));
      }
      await writes;
    });

    it('names what other builds have left', async () => {
      for (const stream of ['tally-a', 'tally-b', 'copy-c'])
        for (const digest of ['aa', 'bb', 'cc']) await store.put(snapshotOf(stream, digest));
      const sorted = async (digests: readonly string[]): Promise<string[]> =>
        (await store.others(new Set(digests), 100)).map(({ stream, digest }) => `${stream} ${digest}`).toSorted();
      expect(await sorted(['aa', 'bb'])).toEqual(['copy-c cc', 'tally-a cc', 'tally-b cc']);
      expect(await sorted(['aa', 'bb', 'cc'])).toEqual([]);
      expect(await store.others(new Set(), 5)).toHaveLength(5);
      for (const each of await store.others(new Set(['aa']), 100)) await store.delete(each);
      expect(await sorted([])).toEqual(['copy-c aa', 'tally-a aa', 'tally-b aa']);
    });
  });
}
