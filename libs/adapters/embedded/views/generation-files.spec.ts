import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { everything, ViewNotReady } from '#eventsourcing';
import { defineView, value } from '#kernel';

interface Row {
  readonly count: number;
}

const LOG = 'log-one';
const view = defineView<Row, never>({
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

  async function build(): Promise<void> {
    const store = EmbeddedViewStore.open(folder);
    const { writer, fresh } = await store.openWriter(view, LOG);
    expect(fresh).toBe(true);
    const rows = Array.from({ length: 500 }, (_, count) => ({ key: `k${count}`, row: { count }, position: 1n }));
    await writer.write(rows, { log: LOG, position: 1n, event: 'event' });
    await writer.finish();
    await store.close();
  }

  // Operators find their way by these names; a reader must never come across a file without a journal.
  it('are one per generation, under another name while it is built', async () => {
    const store = EmbeddedViewStore.open(folder);
    const { writer } = await store.openWriter(view, LOG);
    expect(readdirSync(folder)).toEqual(['counters.v3.g1.db.building']);
    await writer.finish();
    expect(readdirSync(folder)).toContain('counters.v3.g1.db');
    expect(readdirSync(folder).filter((name) => name.includes('building'))).toEqual([]);
    await store.close();
    expect(readdirSync(folder)).toEqual(['counters.v3.g1.db']);
  });

  it('are gone when their generation is dropped', async () => {
    await build();
    const store = EmbeddedViewStore.open(folder);
    await store.openWriter(view, 'log-two');
    expect(readdirSync(folder)).toEqual(['counters.v3.g2.db.building']);
    await store.reset(view, 'log-two');
    expect(readdirSync(folder)).toEqual(['counters.v3.g3.db.building']);
    await store.close();
  });

  // Views are worth nothing that the log could not give again: what cannot be read is built anew, without a question.
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
  ])('are built anew when one %s', async (_, damage) => {
    await build();
    damage();
    const readers = EmbeddedViewReaders.open(folder);
    await expect(readers.reader(view).count(everything)).rejects.toBeInstanceOf(ViewNotReady);
    await build();
    readers.refresh();
    expect(await readers.reader(view).count(everything)).toBe(500);
    await readers.close();
  });

  // Fields that change without a new version would be asked for columns that are not there.
  it('are built anew when the declared fields are others', async () => {
    await build();
    const changed = { ...view, fields: { ...view.fields, other: value<Row>((row) => row.count) } };
    const readers = EmbeddedViewReaders.open(folder);
    await expect(readers.reader(changed).count(everything)).rejects.toBeInstanceOf(ViewNotReady);
    await readers.close();
    const store = EmbeddedViewStore.open(folder);
    expect((await store.openWriter(changed, LOG)).fresh).toBe(true);
    await store.close();
  });

  // Without a journal half a write cannot be taken back, so nothing may be built on it.
  it('are of no more use after a write that fails in the bulk phase', async () => {
    const store = EmbeddedViewStore.open(folder);
    const { writer } = await store.openWriter(view, LOG);
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
    const again = await store.openWriter(view, LOG);
    expect(again.fresh).toBe(true);
    expect((await again.writer.load(['a'])).size).toBe(0);
    await store.close();
  });

  // The folder may be deleted while the service is down.
  it('are made anew with their folder', async () => {
    await build();
    rmSync(folder, { recursive: true });
    await build();
    expect(readdirSync(folder)).toEqual(['counters.v3.g1.db']);
  });
});
