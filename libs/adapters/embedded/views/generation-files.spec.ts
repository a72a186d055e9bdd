import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedViewReaders, EmbeddedViewStore, seenByFiles } from '#adapters/embedded';
import { everything, ViewNotReady } from '#eventsourcing';
import { defineView, value } from '#kernel';

interface Row {
  readonly count: number;
}

const LOG = 'log-one';
const view = defineView<Row, never, 'count'>({
  name: 'counters',
  version: 3,
  key: () => [],
  on: {},
  fields: { count: value((row) => row.count) },
  indexes: [['count']],
});

describe('files of embedded views', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-views-'));
    file = join(folder, 'counters.v3.g1.db');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** A live generation with 500 rows. */
  async function build(): Promise<number> {
    const store = EmbeddedViewStore.open(folder);
    await store.generations(view, LOG);
    const { number, writer } = await store.begin(view, LOG);
    const rows = Array.from({ length: 500 }, (_, count) => ({ key: `k${count}`, row: { count }, position: 1n }));
    await writer.write(rows, { log: LOG, position: 1n, event: 'event' });
    await writer.finish();
    await store.promote(view, number);
    await store.close();
    return number;
  }

  // Operators recognise the files by these names; a reader must never open a file without a journal.
  it('are one per generation, under another name during its build, and one that names the live generation', async () => {
    const store = EmbeddedViewStore.open(folder);
    const { number, writer } = await store.begin(view, LOG);
    expect(readdirSync(folder)).toEqual(['counters.v3.g1.db.building', 'counters.v3.live']);
    await writer.finish();
    expect(readdirSync(folder)).toContain('counters.v3.g1.db');
    expect(readdirSync(folder).filter((name) => name.includes('building'))).toEqual([]);
    await store.promote(view, number);
    await store.close();
    expect(readdirSync(folder)).toEqual(['counters.v3.g1.db', 'counters.v3.live']);
    expect(readFileSync(join(folder, 'counters.v3.live'), 'utf8')).toBe('{"live":1,"last":1}\n');
  });

  it('are deleted when their generation is dropped', async () => {
    await build();
    const store = EmbeddedViewStore.open(folder);
    await store.generations(view, 'log-two');
    await store.begin(view, 'log-two');
    expect(readdirSync(folder)).toEqual(['counters.v3.g2.db.building', 'counters.v3.live']);
    await store.drop(view, 2);
    expect(readdirSync(folder)).toEqual(['counters.v3.live']);
    await store.close();
  });

  // Nobody should wait for a rebuild because of a small file.
  it.each(['is missing', 'is empty', 'is damaged'] as const)(
    'are read as before if the file that names the live one %s',
    async (how) => {
      await build();
      const standing = join(folder, 'counters.v3.live');
      if (how === 'is missing') rmSync(standing);
      else writeFileSync(standing, how === 'is empty' ? '' : '{"live":"x"}');
      const readers = EmbeddedViewReaders.open(folder);
      expect(await readers.reader(view).count(everything)).toBe(500);
      const store = EmbeddedViewStore.open(folder);
      expect(await store.generations(view, LOG)).toMatchObject([{ number: 1, finished: true, live: true }]);
      expect((await store.begin(view, LOG)).number).toBe(2);
      readers.refresh();
      expect(await readers.reader(view).count(everything)).toBe(500);
      await readers.close();
      await store.close();
    },
  );

  // The state after a power cut between two steps of a promotion: the file that names the live one counts.
  it.each([
    ['the new one', 1],
    ['the old one', 2],
  ])('are read by the file that names the live one if %s is not reported yet', async (_, live) => {
    await build();
    await build();
    writeFileSync(join(folder, 'counters.v3.live'), JSON.stringify({ live, last: 2 }));
    const readers = EmbeddedViewReaders.open(folder);
    const store = EmbeddedViewStore.open(folder);
    const writer = await store.open(view, live);
    await writer.write([{ key: 'k0', row: { count: 7_000 }, position: 2n }], { log: LOG, position: 2n, event: 'e2' });
    for (let start = 0; start < 2; start += 1) {
      readers.refresh();
      expect((await readers.reader(view).get('k0'))?.row).toEqual({ count: 7_000 });
      expect((await store.generations(view, LOG)).filter((each) => each.live)).toMatchObject([{ number: live }]);
    }
    await readers.close();
    await store.close();
  });

  // The log can give every view again, so an unreadable one is rebuilt without a question.
  it.each<[string, () => void]>([
    [
      'is overwritten',
      () => writeFileSync(file, 'no database at all, but long enough to look like a file'.repeat(100)),
    ],
    ['is empty', () => truncateSync(file, 0)],
    ['is cut off', () => truncateSync(file, 8192)],
    ['is cut off within a page', () => truncateSync(file, 5000)],
    ['has lost its first page', () => writeFileSync(file, readFileSync(file).fill(0, 100, 4096))],
    [
      'is a database of something else',
      () => {
        rmSync(file);
        const other = new DatabaseSync(file);
        other.exec('CREATE TABLE meta (id); INSERT INTO meta VALUES (1)');
        other.close();
      },
    ],
  ])('are rebuilt if one %s', async (_, damage) => {
    await build();
    damage();
    const readers = EmbeddedViewReaders.open(folder);
    await expect(readers.reader(view).count(everything)).rejects.toBeInstanceOf(ViewNotReady);
    await build();
    readers.refresh();
    expect(await readers.reader(view).count(everything)).toBe(500);
    await readers.close();
  });

  // Fields that change without a new version would ask for missing columns.
  it('are rebuilt if the declared fields changed', async () => {
    await build();
    const changed = { ...view, fields: { ...view.fields, other: value<Row>((row) => row.count) } };
    const readers = EmbeddedViewReaders.open(folder);
    await expect(readers.reader(changed).count(everything)).rejects.toBeInstanceOf(ViewNotReady);
    await readers.close();
    const store = EmbeddedViewStore.open(folder);
    expect(await store.generations(changed, LOG)).toEqual([]);
    await store.close();
  });

  // Without a journal half a write cannot be undone, so nothing may build on it.
  it('are useless after a failed write in the bulk phase', async () => {
    const store = EmbeddedViewStore.open(folder);
    const { writer } = await store.begin(view, LOG);
    const bad = {
      key: 'b',
      position: 2n,
      row: {
        toJSON() {
          throw new Error('no JSON');
        },
      },
    };
    const checkpoint = { log: LOG, position: 2n, event: 'event' };
    await expect(writer.write([{ key: 'a', row: { count: 1 }, position: 1n }, bad], checkpoint)).rejects.toThrow(
      'no JSON',
    );
    await expect(writer.write([], checkpoint)).rejects.toThrow('broke off');
    await expect(writer.finish()).rejects.toThrow('broke off');
    expect(await store.generations(view, LOG)).toEqual([]);
    const again = await store.begin(view, LOG);
    expect((await again.writer.load(['a'])).size).toBe(0);
    await store.close();
  });

  // A start compares the furthest of them with the log.
  it('say how far the finished generations of a log have come', async () => {
    const seen = (of = view, log = LOG): ReturnType<typeof seenByFiles> => seenByFiles(folder, [of], log);
    expect(seen()).toEqual([]);
    const number = await build();
    const store = EmbeddedViewStore.open(folder);
    const writer = await store.open(view, number);
    const checkpoint = { log: LOG, position: 2n ** 62n, event: 'last' };
    await writer.write([], checkpoint);
    await store.begin(view, LOG);
    // Also while it is being written, and from a file that nobody has closed.
    expect(seen()).toEqual([{ view: 'counters', checkpoint }]);
    expect(seen(view, 'log-two')).toEqual([]);
    expect(seen({ ...view, version: 4 })).toEqual([]);
    expect(seen({ ...view, indexes: [] })).toEqual([]);
    await store.close();
    expect(seen()).toEqual([{ view: 'counters', checkpoint }]);
    truncateSync(file, 100);
    expect(seen()).toEqual([]);
    rmSync(folder, { recursive: true });
    expect(seen()).toEqual([]);
    await build();
  });

  // The folder may be deleted while the service is down.
  it('are made again with their folder', async () => {
    await build();
    rmSync(folder, { recursive: true });
    expect(await build()).toBe(1);
    expect(readdirSync(folder)).toEqual(['counters.v3.g1.db', 'counters.v3.live']);
  });
});
