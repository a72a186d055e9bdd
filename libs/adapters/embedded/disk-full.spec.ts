import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog, EmbeddedSnapshotStore, EmbeddedState, EmbeddedViewStore } from '#adapters/embedded';
import { AppendOutcomeUnknown, Unavailable, type Append } from '#eventsourcing';
import { snapshotOf } from '../../../test/contracts/snapshot-store.contract.js';
import { tallyView } from '../../../test/support/tally.js';
import { SmallDisk } from '../../../test/support/small-disk.js';

const probe = SmallDisk.mount(1);
probe?.unmount();
const MEGABYTE = 1024 * 1024;
const METADATA = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'a' };

(probe === undefined ? describe.skip : describe)('a disk that is full', () => {
  let disk: SmallDisk;
  beforeEach(() => {
    const mounted = SmallDisk.mount(100);
    if (mounted === undefined) throw new Error('it was mounted a moment ago');
    disk = mounted;
  });
  afterEach(() => disk.unmount());

  it('takes no snapshot any more while there is some room for the log, and keeps the former one', async () => {
    const folder = join(disk.path, 'snapshots');
    const store = new EmbeddedSnapshotStore(folder);
    const large = { parts: [Buffer.alloc(MEGABYTE)] };
    await store.put(snapshotOf('tally-a', 'aa', large));
    disk.fill(64 * MEGABYTE);
    await expect(store.put(snapshotOf('tally-a', 'aa', { ...large, revision: 9 }))).rejects.toThrow('little room');
    expect((await store.get(snapshotOf('tally-a', 'aa')))?.revision).toBe(7);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  describe('the event log', () => {
    const listAt = (revision: number, size = 20_000): [Append] => {
      const event = { type: 't', data: { text: 'x'.repeat(size) }, id: `id-${revision}`, metadata: METADATA };
      return [{ stream: 's-1', expected: revision - 1, events: [event] }];
    };
    /** Appends until the disk is full; returns the revision that was not written. */
    const untilFull = async (log: EmbeddedLog, from: number): Promise<number> => {
      for (let revision = from; ; revision += 1) {
        try {
          await log.append(listAt(revision));
        } catch (error) {
          expect(error).toBeInstanceOf(AppendOutcomeUnknown);
          return revision;
        }
      }
    };

    it.each([false, true])(
      'continues by itself when there is room again, without loss; split %s',
      async (splitAppends) => {
        const reasons: (string | undefined)[] = [];
        const file = join(disk.path, 'events.db');
        const failed: unknown[] = [];
        let log = await EmbeddedLog.open({
          file,
          splitAppends,
          onHindered: (reason) => reasons.push(reason),
          onFailed: (error) => failed.push(error),
        });
        let next = 0;
        for (let times = 1; times <= 3; times += 1) {
          disk.fill();
          next = await untilFull(log, next);
          // Every try on the full disk gives the same answer.
          for (let tries = 0; tries < 3; tries += 1) {
            await expect(log.append(listAt(next))).rejects.toBeInstanceOf(AppendOutcomeUnknown);
          }
          expect(await log.readStream('s-1', 0, 10_000)).toHaveLength(next);
          expect(reasons).toHaveLength(2 * times - 1);
          expect(reasons.at(-1)).toContain('it continues by itself when there is room');
          disk.empty();
          // Repeated unchanged, as the command loop does.
          const [result] = await log.append(listAt(next));
          expect(result).toMatchObject({ kind: 'written', revision: next });
          expect(reasons).toHaveLength(2 * times);
          expect(reasons.at(-1)).toBeUndefined();
          next += 1;
        }
        expect(failed).toEqual([]);
        await log.close();
        log = await EmbeddedLog.open({ file });
        const events = await log.readStream('s-1', 0, 10_000);
        expect(events.map(({ id, revision }) => [id, revision])).toEqual(
          Array.from({ length: next }, (_, revision) => [`id-${revision}`, revision]),
        );
        await log.close();
      },
    );

    it('continues after a checkpoint that found no room', async () => {
      const file = join(disk.path, 'events.db');
      const failed: unknown[] = [];
      let log = await EmbeddedLog.open({ file, onFailed: (error) => failed.push(error) });
      // The WAL grows until a checkpoint is due, and leaves no room for the copy.
      disk.fill(12 * MEGABYTE);
      const next = await untilFull(log, 0);
      expect(next).toBeGreaterThan(200);
      await expect(log.append(listAt(next))).rejects.toBeInstanceOf(AppendOutcomeUnknown);
      disk.empty();
      expect(await log.append(listAt(next))).toMatchObject([{ kind: 'written' }]);
      expect(failed).toEqual([]);
      await log.close();
      log = await EmbeddedLog.open({ file });
      expect(await log.readStream('s-1', 0, 10_000)).toHaveLength(next + 1);
      await log.close();
    });

    it('reports at a start that the disk is full, and never that the log is damaged', async () => {
      const file = join(disk.path, 'events.db');
      const log = await EmbeddedLog.open({ file });
      disk.fill(MEGABYTE);
      await untilFull(log, 0);
      await log.close();
      await expect(EmbeddedLog.open({ file })).rejects.toThrow(/there is no room to open the event log/);
      disk.empty();
      await (await EmbeddedLog.open({ file })).close();
    });
  });

  describe('a view', () => {
    it('is not opened, for lack of room, and no message says to delete it', async () => {
      const log = 'log';
      let store = EmbeddedViewStore.open(disk.path);
      const { number, writer } = await store.begin(tallyView, log);
      await writer.write([], { log, position: 1n, event: 'id-1' });
      await writer.finish();
      await store.promote(tallyView, number);
      await store.close();
      disk.fill();
      store = EmbeddedViewStore.open(disk.path);
      const words = await store.generations(tallyView, log).then(
        () => 'it was opened',
        (error: unknown) => (error as Error).message,
      );
      expect(words).toMatch(/^there is no room for .*: make room on the disk; until then the view is not updated$/);
      disk.empty();
      expect(await store.generations(tallyView, log)).toMatchObject([{ number, live: true }]);
      await store.close();
    });
  });

  describe('state.db', () => {
    const key = (): Buffer => Buffer.alloc(32, 1);
    const record = (n: number): { credential: string; key: string } => ({ credential: 'acme', key: `k${n}` });

    it('continues by itself when there is room again, without loss', async () => {
      const file = join(disk.path, 'state.db');
      let state = await EmbeddedState.open(file, key);
      const answer = Buffer.alloc(20_000, 1);
      const kept: number[] = [];
      for (let n = 0; n < 300; n += 1) {
        // The disk is full now and then; calls are refused meanwhile and may be repeated.
        if (n % 100 === 50) disk.fill();
        if (n % 100 === 99) disk.empty();
        try {
          await state.records.begin(record(n), 'f', 'c', 1);
          await state.records.keep(record(n), answer, 1);
          kept.push(n);
        } catch (error) {
          expect(error).toBeInstanceOf(Unavailable);
        }
      }
      expect(kept.length).toBeGreaterThan(150);
      expect(kept.length).toBeLessThan(300);
      expect(kept.at(-1)).toBe(299);
      await state.close();
      state = await EmbeddedState.open(file, key);
      for (const n of kept) expect((await state.records.begin(record(n), 'f', 'c', 2)).kind).toBe('kept');
      await state.close();
    });
  });
});
