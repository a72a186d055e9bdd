import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { everything, gt, gte, type Query, type Time, type ViewReader, type ViewWriter } from '#eventsourcing';
import { defineView, value } from '#kernel';

interface Row {
  readonly number: number;
  readonly size: number;
}

type Fields = 'number' | 'size';

const view = defineView<Row, { readonly type: 'seen.v1'; readonly data: object }, Fields>({
  name: 'divided',
  version: 1,
  key: ({ stream }) => stream,
  on: { 'seen.v1': (row) => row },
  fields: { number: value((row) => row.number), size: value((row) => row.size) },
  orders: [{ by: ['number'], covers: [] }],
});

const unlimited = ({ examine: _, ...query }: Query<Fields>): Query<Fields> => query;

const ROWS = 20;
const AT_ONCE = 5;
const by = (field: Fields, more: Partial<Query<Fields>> = {}): Query<Fields> => ({
  where: everything,
  sort: [{ field, descending: false }],
  page: 1,
  perPage: 4,
  examine: 1_000,
  ...more,
});

describe('I17: where a list is read', () => {
  let folder: string;
  let store: EmbeddedViewStore;
  let readers: EmbeddedViewReaders;
  let reader: ViewReader<Row, Fields>;
  let writer: ViewWriter;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-views-'));
    store = EmbeddedViewStore.open(folder);
    const { number, writer: building } = await store.begin(view, 'log');
    const rows = Array.from({ length: ROWS }, (_, nth) => ({ number: nth, size: ROWS - nth }));
    const changes = rows.map((row) => ({ key: `k${row.number}`, row, position: 1n }));
    await building.write(changes, { log: 'log', position: 1n, event: 'event' });
    await building.finish();
    await store.promote(view, number);
    writer = await store.open(view, number);
    let ticks = 0;
    // Each read takes a millisecond.
    const time: Time = Object.assign(Object.create(thisMachine.time), { monotonic: () => (ticks += 1) });
    readers = EmbeddedViewReaders.open(folder, { ...thisMachine, time }, AT_ONCE);
    reader = readers.reader(view);
  });
  afterEach(async () => {
    await readers.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** Whether the reads run without the other thread: then they are answered before this thread has its next turn. */
  async function isHere(read: () => Promise<unknown>): Promise<boolean> {
    let answered = false;
    const reading = read().then(() => (answered = true));
    for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
    const here = answered;
    await reading;
    return here;
  }

  it.each<[string, boolean, (reader: ViewReader<Row, Fields>) => Promise<unknown>]>([
    ['what an index answers soon', true, (of) => of.versions(by('number'))],
    ['an order without an index', false, (of) => of.versions(by('size'))],
    ['an order without an index, with its rows', false, (of) => of.find(by('size'))],
    ['a later page', false, (of) => of.versions(by('number', { page: 2 }))],
    ['what few rows meet', false, (of) => of.versions(by('number', { where: gt('size', 100) }))],
    ['a small number', true, (of) => of.count(gte('number', ROWS - 3), 1_000)],
    ['a large number', false, (of) => of.count(everything, 1_000)],
    ['what has no limit', true, (of) => of.versions(unlimited(by('size')))],
    ['a single row', true, (of) => of.get('k1')],
  ])('%s: in this thread is %s', async (_, here, read) => {
    expect(await isHere(() => read(reader))).toBe(here);
  });

  it('leaves this thread for a while after a caller’s read was tried here for nothing', async () => {
    const inOrder = (): Promise<unknown> => reader.versions(by('number'));
    expect(await isHere(inOrder)).toBe(true);
    await reader.versions(by('number', { where: gt('size', 100) }));
    expect(await isHere(inOrder)).toBe(false);
    for (let read = 0; read < 30; read += 1) await inOrder();
    expect(await isHere(inOrder)).toBe(true);
  });

  it('sees there what was written before, and then here too', async () => {
    expect((await reader.get('k1'))?.row).toEqual({ number: 1, size: 19 });
    const changed = { number: 1, size: 0 };
    await writer.write([{ key: 'k1', row: changed, position: 2n }], { log: 'log', position: 2n, event: 'later' });
    const [first] = await reader.find(by('size'));
    expect(first).toEqual({ key: 'k1', position: 2n, row: changed });
    expect((await reader.get('k1'))?.row).toEqual(changed);
  });
});
