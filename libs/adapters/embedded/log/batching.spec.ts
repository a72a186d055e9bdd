import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog, EmbeddedLogReader } from '#adapters/embedded';
import { type Append, NO_STREAM } from '#eventsourcing';

let dir: string;
let file: string;
let log: EmbeddedLog;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
  file = join(dir, 'log.db');
  log = await EmbeddedLog.open({ file });
});

afterEach(async () => {
  await log.close();
  rmSync(dir, { recursive: true });
});

function one(stream: string, expected: number, data: object = {}): Append {
  const metadata = { time: 1, command_id: 'c', correlation: 'r', causation: null, actor: 'system:test' };
  return { stream, expected, events: [{ id: 'id', type: 'happened.v1', data, metadata }] };
}

function several(stream: string, expected: number, events: number): Append {
  return {
    ...one(stream, expected),
    events: Array.from({ length: events }, () => one(stream, expected).events).flat(),
  };
}

describe('the batches of the embedded log', () => {
  it('gives the appends of one turn one transaction and one sync', async () => {
    const results = await Promise.all(
      Array.from({ length: 500 }, (_, index) => log.append([one(`deal-${index}`, NO_STREAM), one('all-1', index - 1)])),
    );
    expect(results.flat().every(({ kind }) => kind === 'written')).toBe(true);
    expect(log.stats()).toEqual({ appends: 1_000, commits: 1 });
  });

  it('collects appends while the writer is busy', async () => {
    const callers = 50;
    const rounds = 10;
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        for (let round = 0; round < rounds; round++) {
          await new Promise(setImmediate);
          await log.append([one(`deal-${caller}`, round - 1)]);
        }
      }),
    );
    expect(log.stats().appends).toBe(callers * rounds);
    expect(log.stats().commits).toBeLessThan((callers * rounds) / 5);
  });

  it('bounds a batch by events and by size, so that none is endless', async () => {
    await Promise.all(Array.from({ length: 4_100 }, (_, index) => log.append([one(`deal-${index}`, NO_STREAM)])));
    expect(log.stats().commits).toBe(3);
    const data = { text: 'x'.repeat(500_000) };
    await Promise.all(Array.from({ length: 6 }, (_, index) => log.append([one(`large-${index}`, NO_STREAM, data)])));
    expect(log.stats().commits).toBe(5);
  });

  it('counts no commit for a batch of conflicts', async () => {
    expect(await log.append([one('deal-1', 4)])).toEqual([{ kind: 'conflict', actual: NO_STREAM }]);
    expect(log.stats().commits).toBe(0);
  });

  it('answers lists of one batch that depend on one another', async () => {
    const results = await Promise.all([
      log.append([one('deal-1', NO_STREAM)]),
      log.append([one('deal-1', 0)]),
      log.append([one('deal-1', 0), one('deal-2', NO_STREAM)]),
      log.append([one('deal-1', 1)]),
    ]);
    expect(results.map(([result]) => result?.kind)).toEqual(['written', 'written', 'conflict', 'written']);
    expect(await log.readStream('deal-2', 0, 10)).toEqual([]);
    expect(log.stats().commits).toBe(1);
  });

  it('answers every append of a batch with the revision and the position that its last event has', async () => {
    await log.append([one('deal-1', NO_STREAM)]);
    const lists = Array.from({ length: 30 }, (_, index): [Append, Append] => [
      several(`stock-${index}`, NO_STREAM, 1 + (index % 5)),
      index === 0 ? several('deal-1', 0, 3) : several(`sale-${index}`, NO_STREAM, 1 + (index % 2)),
    ]);
    const results = await Promise.all(lists.map((list) => log.append(list)));
    for (const [index, list] of lists.entries()) {
      for (const [place, { stream }] of list.entries()) {
        const last = (await log.readStream(stream, 0, 10)).at(-1);
        expect(results[index]?.[place]).toEqual({
          kind: 'written',
          revision: last?.revision,
          position: last?.position,
        });
      }
    }
    expect(await log.head()).toBe(lists.flat().reduce((events, append) => events + BigInt(append.events.length), 1n));
    expect(log.stats().commits).toBe(2);
  });

  it('writes what it can of a batch with conflicts, in one transaction', async () => {
    await log.append([one('deal-7', NO_STREAM)]);
    const lists = Array.from({ length: 40 }, (_, index): [Append, Append] => [
      one(`deal-${index}`, index === 20 ? 3 : NO_STREAM),
      one(`sale-${index}`, NO_STREAM),
    ]);
    const results = await Promise.all(lists.map((list) => log.append(list)));
    expect(results[7]).toEqual([{ kind: 'conflict', actual: 0 }, { kind: 'skipped' }]);
    expect(results[20]).toEqual([{ kind: 'conflict', actual: NO_STREAM }, { kind: 'skipped' }]);
    expect(results.flat().filter(({ kind }) => kind === 'written')).toHaveLength(76);
    expect(await log.head()).toBe(77n);
    expect(log.stats().commits).toBe(2);
  });

  it('remembers no revision that a batch did not lead to', async () => {
    await log.append([one('deal-1', NO_STREAM), one('deal-2', NO_STREAM)]);
    const [conflict, skipped] = await log.append([one('deal-2', NO_STREAM), one('deal-1', 0)]);
    expect([conflict?.kind, skipped?.kind]).toEqual(['conflict', 'skipped']);
    expect(await log.append([one('deal-1', 1)])).toEqual([{ kind: 'conflict', actual: 0 }]);
    expect(await log.append([one('deal-1', 0)])).toMatchObject([{ kind: 'written', revision: 1 }]);
    expect(await log.append([one('deal-1', 0)])).toEqual([{ kind: 'conflict', actual: 1 }]);
  });

  it('refuses names that SQLite would store as other names, and values that it cannot bind, before the writer sees them', async () => {
    const bad: Append[] = [
      one('', NO_STREAM),
      one('deal-\ud800', NO_STREAM),
      one('deal-\0', NO_STREAM),
      one('deal-1', 0.5),
      one('deal-1', -2),
      { ...one('deal-1', NO_STREAM), events: [] },
      { ...one('deal-1', NO_STREAM), events: [{ ...one('', 0).events[0], id: undefined } as never] },
    ];
    for (const append of bad) await expect(log.append([append])).rejects.toThrow(/must (be|have)/);
    expect(await log.append([one('deal-1', NO_STREAM)])).toMatchObject([{ revision: 0 }]);
  });

  it('answers waiting appends when it is closed, and refuses later ones', async () => {
    const waiting = log.append([one('deal-1', NO_STREAM)]);
    const refused = log.append([{ ...one('deal-1', NO_STREAM), events: [] }]).catch(() => 'refused');
    const closed = log.close();
    await expect(log.append([one('deal-2', NO_STREAM)])).rejects.toThrow('closed');
    expect(await waiting).toMatchObject([{ kind: 'written' }]);
    expect(await refused).toBe('refused');
    await closed;
    await expect(log.readStream('deal-1', 0, 1)).rejects.toThrow('closed');
  });

  it('starts its WAL again under a load that never rests', async () => {
    const data = { text: 'x'.repeat(200_000) };
    const walIsShorterThan = (bytes: number): boolean => statSync(`${file}-wal`).size < bytes;
    let written = 0;
    // Without a checkpoint that finishes, the WAL would hold all that was written. On a busy machine it finishes late.
    for (; written < 2_000 && (written < 400 || !walIsShorterThan((written * 200_000) / 2)); written += 1) {
      await log.append([one('deal-1', written - 1, data)]);
    }
    expect(walIsShorterThan((written * 200_000) / 2)).toBe(true);
  });

  it('leaves no WAL behind when it is closed', async () => {
    await log.append([one('deal-1', NO_STREAM)]);
    await log.close();
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('a reader beside the embedded log', () => {
  it('is woken by a notification, and finds appends without one', async () => {
    const reader = EmbeddedLogReader.open(file);
    expect(reader.identity).toBe(log.identity);
    const stop = new AbortController();
    const batches = reader.subscribe(0n, 10, stop.signal)[Symbol.asyncIterator]();
    await batches.next();
    for (const [index, notified] of [false, true].entries()) {
      const next = batches.next();
      await log.append([one('deal-1', index - 1)]);
      if (notified) reader.notify();
      expect((await next).value).toMatchObject({ caughtUp: true, events: [{ revision: index }] });
    }
    const last = batches.next();
    await reader.close();
    expect((await last).done).toBe(true);
  });

  it('is woken immediately: a round of 100 appends and batches needs no poll', async () => {
    const reader = EmbeddedLogReader.open(file);
    const notifying = await EmbeddedLog.open({ file: join(dir, 'other.db'), onAppended: () => other.notify() });
    const other = EmbeddedLogReader.open(join(dir, 'other.db'));
    const batches = other.subscribe(0n, 10, new AbortController().signal)[Symbol.asyncIterator]();
    await batches.next();
    const start = performance.now();
    for (let round = 0; round < 100; round++) {
      const next = batches.next();
      await notifying.append([one('deal-1', round - 1)]);
      expect((await next).value?.events).toHaveLength(1);
    }
    // Polling alone would take 20 s.
    expect(performance.now() - start).toBeLessThan(10_000);
    await notifying.close();
    await other.close();
    await reader.close();
  });
});
