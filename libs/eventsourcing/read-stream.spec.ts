import { describe, expect, it } from '@jest/globals';
import { defineDecider, type EventOf, type Recorded } from '#kernel';
import { pageOf } from './ports/event-log.js';
import { pagesOf, readWhole, writtenBefore, type StreamReader } from './read-stream.js';

type Counted = EventOf<'counted.v1', { readonly n: number }>;

const counter = defineDecider<never, null, Counted>({
  category: 'counter',
  initialState: null,
  decide: () => [],
  evolve: () => null,
});

/**
 * A log whose stream `counter-c` has this many events, each of its own command; it notes where reads begin.
 * @param most events of a page, which end it as `PAGE_BYTES` does
 */
function logOf(events: number, most = Infinity): { readonly log: StreamReader; readonly reads: number[] } {
  const reads: number[] = [];
  const all = Array.from({ length: events }, (_, revision) => {
    const metadata = { time: 0, command_id: `command-${revision}`, correlation: 'r', causation: null, actor: 'a' };
    const place = { id: `e${revision}`, stream: 'counter-c', revision, position: BigInt(revision + 1) };
    return { type: 'counted.v1', data: { n: revision }, ...place, metadata };
  });
  const log: StreamReader = {
    async readStream(stream, from, max) {
      reads.push(from);
      const found = stream === 'counter-c' ? all.slice(from, from + max) : [];
      return pageOf(found.slice(0, most), found.length > most);
    },
  };
  return { log, reads };
}

const codec = { decode: (event: Recorded): Recorded => ({ ...event, type: 'counted.v2' }) };

describe('reading a stream', () => {
  it.each([0, 1, 999, 1_000, 1_001, 2_500])(
    'whole: %i events, in their order and their present form',
    async (events) => {
      const { log } = logOf(events);
      const found = await readWhole({ log, codec }, 'counter-c');
      expect(found.map(({ revision }) => revision)).toEqual(Array.from({ length: events }, (_, revision) => revision));
      expect(found.every(({ type }) => type === 'counted.v2')).toBe(true);
    },
  );

  it('whole, if its pages are short because their events are large', async () => {
    const { log, reads } = logOf(25, 10);
    expect(await readWhole({ log, codec }, 'counter-c')).toHaveLength(25);
    expect(reads).toEqual([0, 10, 20]);
  });

  it('from a revision on', async () => {
    const { log } = logOf(1_500);
    const sizes: number[] = [];
    for await (const page of pagesOf(log, 'counter-c', 400)) sizes.push(page.length);
    expect(sizes).toEqual([1_000, 100]);
  });
});

describe('the events of a command’s first try', () => {
  const context = { correlation: 'r', actor: 'a' };

  it('are found in a long stream by the command’s id, without reading on', async () => {
    const { log, reads } = logOf(3_000);
    const again = { ...context, commandId: 'command-1200', resumed: true };
    expect(await writtenBefore({ log }, again, counter, 'c', 'counted.v1')).toMatchObject({ revision: 1_200 });
    expect(reads).toEqual([0, 1_000]);
  });

  it('are none if the command wrote nothing, or another event', async () => {
    const { log } = logOf(3);
    const other = { ...context, commandId: 'command-7', resumed: true };
    expect(await writtenBefore({ log }, other, counter, 'c', 'counted.v1')).toBeUndefined();
    const again = { ...context, commandId: 'command-1', resumed: true };
    expect(await writtenBefore({ log }, again, counter, 'c', 'other.v1' as never)).toBeUndefined();
  });

  it('are not searched by a first try', async () => {
    const { log, reads } = logOf(3);
    expect(
      await writtenBefore({ log }, { ...context, commandId: 'command-1' }, counter, 'c', 'counted.v1'),
    ).toBeUndefined();
    expect(reads).toEqual([]);
  });
});
