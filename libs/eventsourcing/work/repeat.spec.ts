import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { defineDecider, defineFollowers, direct, MINUTE, type EventOf, type Recorded } from '#kernel';
import { newCommandId } from '../ids.js';
import type { StreamReader } from '../read-stream.js';
import { completeDecision, repeat, writtenBefore } from './repeat.js';

type Counted = EventOf<'counted.v1', { readonly n: number }>;

const counter = defineDecider<never, null, Counted>({
  category: 'counter',
  initialState: null,
  decide: () => [],
  evolve: () => null,
});

/** When the first try of the command began. */
const BEGAN = 1_800_000_000_000;
const commandId = newCommandId(BEGAN, thisMachine.randomness);
const context = { commandId, correlation: 'r', actor: 'a' };
const again = { ...context, resumed: true };

/** An event of another command. */
interface Other {
  readonly time: number;
  readonly causation?: string;
}

type Searched = Parameters<typeof writtenBefore>[0];

/**
 * A stream with these events; it counts those that are read.
 * @param own the revision of the command's event; undefined if it has none
 */
function streamOf(
  others: readonly Other[],
  own?: number,
): { readonly searched: Searched; readonly read: () => number } {
  let read = 0;
  const all = others.map(({ time, causation = null }, revision): Recorded => {
    const metadata = { time, command_id: `command-${revision}`, correlation: 'r', causation, actor: 'a' };
    const mine = revision === own ? { ...metadata, time: BEGAN, command_id: commandId } : metadata;
    const place = { id: `e${revision}`, stream: 'counter-c', revision, position: BigInt(revision + 1) };
    return { type: 'counted.v1', data: { n: revision }, ...place, metadata: mine };
  });
  const log: StreamReader = {
    async readStream(_, from, max) {
      const page = all.slice(from, from + max);
      read += page.length;
      return page;
    },
  };
  const loop = { read: async <S>({ initialState }: { readonly initialState: S }) => initialState };
  return { searched: { log, loop: { ...loop, knownRevision: () => all.length - 1 } }, read: () => read };
}

const times = (count: number, other: Other): readonly Other[] => Array.from({ length: count }, () => other);

const search = (searched: Searched, present = again): Promise<Recorded | undefined> =>
  writtenBefore(searched, present, counter, 'c', 'counted.v1');

describe('the events of a command’s first try', () => {
  it('are found by the command’s id after thousands of other events', async () => {
    const { searched } = streamOf([...times(10, { time: 0 }), ...times(3_000, { time: BEGAN + 1 })], 10);
    expect(await search(searched)).toMatchObject({ revision: 10 });
  });

  it('are none if the command wrote nothing, or another event', async () => {
    const { searched } = streamOf(times(3, { time: BEGAN }), 1);
    expect(await search(searched, { ...again, commandId: 'command-7' })).toBeUndefined();
    expect(await writtenBefore(searched, again, counter, 'c', 'other.v1' as never)).toBeUndefined();
  });

  it('are not searched by a first try', async () => {
    const { searched, read } = streamOf(times(3, { time: BEGAN }), 1);
    expect(await writtenBefore(searched, context, counter, 'c', 'counted.v1')).toBeUndefined();
    expect(read()).toBe(0);
  });

  it('are not searched among what was written before the request began', async () => {
    const { searched, read } = streamOf(times(20_000, { time: BEGAN - 2 * MINUTE }));
    expect(await search(searched)).toBeUndefined();
    expect(read()).toBe(500);
  });

  it.each<[string, readonly Other[]]>([
    ['whose process’s clock is 50 s behind', times(1_200, { time: BEGAN - 50_000 })],
    // A worker writes what a crash cut off hours before.
    ['that follow from older decisions', times(1_200, { time: 0, causation: 'purchase-p@3' })],
    [
      'of which some are by a clock that was not moved yet',
      [...times(300, { time: 0 }), ...times(300, { time: BEGAN })],
    ],
  ])('are found before later events %s', async (_, later) => {
    const { searched } = streamOf([{ time: 0 }, ...later], 0);
    expect(await search(searched)).toMatchObject({ revision: 0 });
  });

  it('are searched in the whole stream if the command’s id does not have its time', async () => {
    const { searched } = streamOf(times(1_700, { time: BEGAN }));
    expect(await search(searched, { ...again, commandId: 'command-1' })).toMatchObject({ revision: 1 });
  });
});

describe('followers that a crash cut off', () => {
  const followers = defineFollowers(counter, {
    'counted.v1': ({ data: { n } }) => [direct(counter, `follower-${n}`, undefined as never)],
  });

  /** The same stream, with a loop that notes the causes of the followers that it writes. */
  function engineOf(...stream: Parameters<typeof streamOf>): {
    readonly engine: Parameters<typeof repeat>[0];
    readonly written: string[];
    readonly read: () => number;
  } {
    const { searched, read } = streamOf(...stream);
    const written: string[] = [];
    const write = (_: unknown, __: unknown, cause: { readonly causation: string }): object => {
      written.push(cause.causation);
      return { position: BigInt(written.length) };
    };
    const codec = { decode: (event: Recorded) => event };
    const clock = { now: () => BEGAN };
    const engine = { ...thisMachine, ...searched, codec, clock, loop: { ...searched.loop, direct: write } };
    return { engine: engine as unknown as Parameters<typeof repeat>[0], written, read };
  }

  const numberOf = ({ data }: Recorded): number => (data as Counted['data']).n;

  it('are written for what the first try wrote, and for what the answer needs besides', async () => {
    const { engine, written } = engineOf(times(800, { time: BEGAN }), 20);
    const before = await repeat(engine, again, counter, followers, 'c', (event) => numberOf(event) === 700);
    expect(before?.events.map(numberOf)).toEqual([20, 700]);
    expect(before?.position).toBe(2n);
    expect(written).toEqual(['counter-c@20', 'counter-c@700']);
  });

  it('are not looked for by a first try, nor if the first try wrote nothing', async () => {
    const { engine, written, read } = engineOf(times(10, { time: BEGAN }), 5);
    expect(await repeat(engine, context, counter, followers, 'c')).toBeUndefined();
    expect(read()).toBe(0);
    expect(await repeat(engine, { ...again, commandId: 'command-77' }, counter, followers, 'c')).toBeUndefined();
    expect(written).toEqual([]);
  });

  /** A follower of the event with this revision. */
  const followerOf = (revision: number): Recorded => ({
    ...{ type: 'counted.v1', data: { n: 0 }, id: 'f', stream: 'other-f', revision: 0, position: 1n },
    metadata: { time: 0, command_id: 'x', correlation: 'x', causation: `counter-c@${revision}`, actor: 'a' },
  });

  it.each([
    ['one read, if one of its followers is there', [followerOf(1), followerOf(3)], 2],
    ['a search from the end, if there is none', [], 500],
    ['a search from the end, if there are only followers of others', [followerOf(1)], 501],
  ])('of an earlier decision are written after %s', async (_, followed, reads) => {
    const { engine, written, read } = engineOf(times(4_000, { time: 0 }));
    const fits = (event: Recorded): boolean => [3, 3_600, 3_601].includes(numberOf(event));
    expect(await completeDecision(engine, counter, followers, 'c', { followed, to: 0, fits })).toBe(1n);
    expect(written).toEqual([reads === 2 ? 'counter-c@3' : 'counter-c@3601']);
    expect(read()).toBe(reads);
  });

  it('of an earlier decision are not looked for before it can have come', async () => {
    const { engine, written, read } = engineOf(times(4_000, { time: 0 }));
    const sought = { followed: [], to: 3_990, fits: (event: Recorded) => numberOf(event) === 3 };
    expect(await completeDecision(engine, counter, followers, 'c', sought)).toBeUndefined();
    expect([written, read()]).toEqual([[], 10]);
  });
});
