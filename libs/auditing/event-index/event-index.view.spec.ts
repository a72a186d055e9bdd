import { beforeEach, describe, expect, it } from '@jest/globals';
import { type RowChange, type StoredRow, ViewFeed, type ViewWriter } from '#eventsourcing';
import type { Position, Recorded } from '#kernel';
import { eventIndexView, type IndexedBlock } from './event-index.view.js';
import { offsetsOf } from './marks.js';
import { termsOf } from './terms.js';

const MOVED = 'deal-moved.v1';

const event = (position: Position, type = MOVED, actor = 'partner:acme/key:1'): Recorded => ({
  ...{ position, type, id: `event-${position}`, stream: 'deal-1', revision: Number(position), data: {} },
  metadata: { time: 0, command_id: 'c', correlation: 'r', causation: null, actor },
});

/** Keeps rows, and counts what is written. */
class Rows implements ViewWriter {
  readonly kept = new Map<string, StoredRow>();
  readonly batches: (readonly RowChange[])[] = [];

  async checkpoint(): Promise<undefined> {
    await Promise.resolve();
  }
  async load(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    return new Map([...this.kept].filter(([key]) => keys.includes(key)));
  }
  async write(changes: readonly RowChange[]): Promise<void> {
    this.batches.push(changes);
    for (const { key, row = {}, position } of changes) this.kept.set(key, { key, row, position });
  }
  async finish(): Promise<void> {
    await Promise.resolve();
  }
  async close(): Promise<void> {
    await Promise.resolve();
  }
  feed(): Promise<ViewFeed> {
    return ViewFeed.open(eventIndexView, this, 'log');
  }
  marks(): Readonly<Record<string, readonly number[]>> {
    return Object.fromEntries([...this.kept].map(([key, { row }]) => [key, offsetsOf((row as IndexedBlock).marks)]));
  }
}

describe('G7.8: the index of the log', () => {
  let rows: Rows;
  beforeEach(() => {
    rows = new Rows();
  });

  it.each<[string, string, string, readonly string[]]>([
    ['a partner with any key', MOVED, 'partner:acme/key:1', ['type:deal-moved', 'actor:partner:acme']],
    ['an operator', 'stock-set.v2', 'operator:ann', ['type:stock-set', 'actor:operator:ann', 'role:operator']],
    ['an auditor', MOVED, 'auditor:bo', ['type:deal-moved', 'actor:auditor:bo', 'role:auditor']],
    ['a user', MOVED, 'user:7', ['type:deal-moved', 'actor:user:7', 'role:user']],
    ['the service', MOVED, 'system:clock', ['type:deal-moved', 'actor:system:clock']],
  ])('has the terms of %s', (_, type, actor, terms) => {
    expect(termsOf(event(1n, type, actor))).toEqual(terms);
    expect(eventIndexView.keys(event(40_000n, type, actor))).toEqual(terms.map((term) => `${term}@1`));
  });

  it.each<[string, readonly Position[], Readonly<Record<string, readonly number[]>>]>([
    ['the first of each group', [1n, 2n, 31n, 32n, 63n, 70n], { 0: [1, 32, 70] }],
    ['one that is alone', [5n], { 0: [5] }],
    ['each side of a block’s border', [32_767n, 32_768n, 32_769n, 32_800n], { 0: [32_767], 1: [0, 32] }],
    ['a batch that is applied again', [5n, 40n, 5n, 6n, 40n, 41n, 100n], { 0: [5, 40, 100] }],
    [
      'positions that count bytes',
      [1_000n, 1_731n, 33_000n, 2n ** 40n + 9n],
      { 0: [1_000, 1_731], 1: [232], 33_554_432: [9] },
    ],
  ])('marks %s', (_, positions, marked) => {
    const blocks = new Map<string, IndexedBlock>();
    for (const each of positions.map((position) => event(position)))
      for (const key of eventIndexView.keys(each)) {
        const row = eventIndexView.apply(blocks.get(key), each, key);
        if (row !== undefined) blocks.set(key, row);
      }
    for (const term of ['type:deal-moved', 'actor:partner:acme']) {
      const found = [...blocks.values()].filter((row) => row.term === term);
      expect(Object.fromEntries(found.map(({ block, marks }) => [block, offsetsOf(marks)]))).toEqual(marked);
    }
  });

  it('writes a row at most once per batch, and changes it once per group', async () => {
    const feed = await rows.feed();
    const [types, batch, all] = [['deal-moved.v1', 'stock-set.v1', 'terms-set.v1'], 333, 40_959];
    const changes = new Map<string, number>();
    for (let first = 1; first <= all; first += batch) {
      const events = Array.from({ length: batch }, (_, at) =>
        event(BigInt(first + at), types[(first + at) % types.length]),
      );
      for (const { key } of await feed.take(events)) changes.set(key, (changes.get(key) ?? 0) + 1);
    }
    for (const batchOfRows of rows.batches)
      expect(new Set(batchOfRows.map(({ key }) => key)).size).toBe(batchOfRows.length);
    expect([...rows.kept.keys()].toSorted()).toEqual(
      ['actor:partner:acme', 'type:deal-moved', 'type:stock-set', 'type:terms-set'].flatMap((term) => [
        `${term}@0`,
        `${term}@1`,
      ]),
    );
    for (const [key, marks] of Object.entries(rows.marks()))
      expect([key, marks.length]).toEqual([key, key.endsWith('@0') ? 1_024 : 256]);
    for (const times of changes.values()) expect(times).toBeLessThanOrEqual(32_768 / batch + 1);
  });

  it('writes nothing for an event whose group has its marks', async () => {
    const feed = await rows.feed();
    await feed.take([event(64n)]);
    const before = rows.kept.get('type:deal-moved@0');
    for (let position = 65n; position < 96n; position += 1n) expect(await feed.take([event(position)])).toEqual([]);
    expect([rows.batches.length, rows.kept.get('type:deal-moved@0')]).toEqual([1, before]);
    expect((await feed.take([event(96n)])).map(({ key }) => key)).toEqual([
      'type:deal-moved@0',
      'actor:partner:acme@0',
    ]);
    // As after a lost checkpoint.
    const again = await rows.feed();
    for (let position = 64n; position <= 96n; position += 1n) expect(await again.take([event(position)])).toEqual([]);
    expect(rows.batches.length).toBe(2);
  });
});
