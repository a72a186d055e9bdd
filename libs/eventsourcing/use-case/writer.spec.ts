import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { defineDecider, direct, MINUTE, type EventOf, type Recorded } from '#kernel';
import type { CommandContext } from '../command-loop/context.js';
import { newCommandId } from '../events/ids.js';
import type { StreamReader } from '../events/read-stream.js';
import { Writer } from './writer.js';

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

/**
 * A writer on a stream with these events; it counts those that are read, and notes the causes of the followers that are written.
 * @param own the revision of the command's event; undefined if it has none
 */
function writerOn(
  others: readonly Other[],
  own?: number,
): { readonly writer: Writer; readonly written: string[]; readonly decoded: number[]; readonly read: () => number } {
  let read = 0;
  const decoded: number[] = [];
  const decode = (event: Recorded): Recorded => {
    decoded.push(event.revision);
    return event;
  };
  const written: string[] = [];
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
  const loop = {
    read: async <S>({ initialState }: { readonly initialState: S }) => initialState,
    knownRevision: () => all.length - 1,
    followersOf: ({ data }: Recorded) => [
      direct(counter, `follower-${(data as Counted['data']).n}`, undefined as never),
    ],
    direct: async (_: unknown, __: unknown, cause: { readonly causation: string }) => {
      written.push(cause.causation);
      return { position: BigInt(all.length + written.length) };
    },
  };
  const parts = {
    ...thisMachine,
    log,
    loop,
    codec: { decode },
    clock: { now: () => BEGAN },
  };
  return { writer: new Writer(parts as never), written, decoded, read: () => read };
}

const times = (count: number, other: Other): readonly Other[] => Array.from({ length: count }, () => other);

const search = async (writer: Writer, present: CommandContext = again): Promise<Recorded | undefined> =>
  (await writer.repeat(present, counter, 'c', { types: ['counted.v1'] }))?.events[0];

describe('the events of a command’s first try', () => {
  it('are found by the command’s id after thousands of other events', async () => {
    const { writer, decoded } = writerOn([...times(10, { time: 0 }), ...times(3_000, { time: BEGAN + 1 })], 10);
    expect(await search(writer)).toMatchObject({ revision: 10 });
    // Another one may be of a newer build, which this one cannot read.
    expect(decoded).toEqual([10]);
  });

  it('are none if the command wrote nothing, or another event', async () => {
    const { writer } = writerOn(times(3, { time: BEGAN }), 1);
    expect(await search(writer, { ...again, commandId: 'command-7' })).toBeUndefined();
    expect(await writer.repeat(again, counter, 'c', { types: ['other.v1' as never] })).toBeUndefined();
  });

  it('are not searched by a first try', async () => {
    const { writer, read } = writerOn(times(3, { time: BEGAN }), 1);
    expect(await search(writer, context)).toBeUndefined();
    expect(read()).toBe(0);
  });

  it('are not searched among what was written before the request began', async () => {
    const { writer, read } = writerOn(times(20_000, { time: BEGAN - 2 * MINUTE }));
    expect(await search(writer)).toBeUndefined();
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
    const { writer } = writerOn([{ time: 0 }, ...later], 0);
    expect(await search(writer)).toMatchObject({ revision: 0 });
  });

  it('are searched in the whole stream if the command’s id does not have its time', async () => {
    const { writer } = writerOn(times(1_700, { time: BEGAN }));
    expect(await search(writer, { ...again, commandId: 'command-1' })).toMatchObject({ revision: 1 });
  });
});

describe('followers that a crash cut off', () => {
  const numberOf = ({ data }: Recorded): number => (data as Counted['data']).n;

  it('are written for what the first try wrote, and for what the answer needs besides', async () => {
    const { writer, written } = writerOn(times(800, { time: BEGAN }), 20);
    const before = await writer.repeat(again, counter, 'c', { about: (event) => numberOf(event) === 700 });
    expect(before?.events.map(numberOf)).toEqual([20, 700]);
    expect(before?.position).toBe(802n);
    expect(written).toEqual(['counter-c@20', 'counter-c@700']);
  });

  it('are not looked for by a first try, nor if the first try wrote nothing', async () => {
    const { writer, written, read } = writerOn(times(10, { time: BEGAN }), 5);
    expect(await writer.repeat(context, counter, 'c')).toBeUndefined();
    expect(read()).toBe(0);
    expect(await writer.repeat({ ...again, commandId: 'command-77' }, counter, 'c')).toBeUndefined();
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
    const { writer, written, read } = writerOn(times(4_000, { time: 0 }));
    const fits = (event: Recorded): boolean => [3, 3_600, 3_601].includes(numberOf(event));
    expect(await writer.complete(counter, 'c', { followed, fits })).toBe(4_001n);
    expect(written).toEqual([reads === 2 ? 'counter-c@3' : 'counter-c@3601']);
    expect(read()).toBe(reads);
  });

  it('of an earlier decision are not looked for before it can have come', async () => {
    const { writer, written, read } = writerOn(times(4_000, { time: 0 }));
    const sought = { followed: [], to: 3_990, fits: (event: Recorded) => numberOf(event) === 3 };
    expect(await writer.complete(counter, 'c', sought)).toBeUndefined();
    expect([written, read()]).toEqual([[], 10]);
  });

  it('of all decisions from a revision on are written in their order', async () => {
    const { writer, written } = writerOn(times(5, { time: 0 }));
    expect(await writer.complete(counter, 'c', { from: 3 })).toBe(7n);
    expect(written).toEqual(['counter-c@3', 'counter-c@4']);
  });
});
