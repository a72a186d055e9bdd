import { describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import { pageOf } from '../ports/event-log.js';
import { pagesBack, pagesOf, readWhole, type StreamReader } from './read-stream.js';

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

describe('reading a stream back from its end', () => {
  /** The first and last revision of each page. */
  async function pages(log: StreamReader, known: number, to?: number): Promise<readonly (readonly number[])[]> {
    const found: number[][] = [];
    for await (const page of pagesBack(log, 'counter-c', known, to)) {
      const revisions = page.map(({ revision }) => revision);
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      found.push([revisions[0] ?? NaN, revisions.at(-1) ?? NaN]);
      expect(new Set(revisions).size).toBe(revisions.length);
    }
    return found;
  }

  it.each([
    [
      'from the known end',
      1_199,
      undefined,
      [
        [700, 1_199],
        [200, 699],
        [0, 199],
      ],
    ],
    [
      'with what others have written after the known end',
      1_190,
      undefined,
      [
        [700, 1_199],
        [200, 699],
        [0, 199],
      ],
    ],
    [
      'if no revision is known',
      -1,
      undefined,
      [
        [700, 1_199],
        [200, 699],
        [0, 199],
      ],
    ],
    [
      'to a revision',
      1_199,
      650,
      [
        [700, 1_199],
        [650, 699],
      ],
    ],
  ] as const)('%s', async (_, known, to, expected) => {
    expect(await pages(logOf(1_200).log, known, to)).toEqual(expected);
  });

  it('whose reads are short because their events are large', async () => {
    expect(await pages(logOf(25, 10).log, 24)).toEqual([[0, 24]]);
  });

  it('that has no events', async () => {
    expect(await pages(logOf(0).log, -1)).toEqual([]);
  });
});
