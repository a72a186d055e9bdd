import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, newContext, SteppableClock } from '#eventsourcing';
import { defineDecider, defineEventTypes, defineView, type EventOf } from '#kernel';
import { eventsIn } from '../support/data-folder.js';
import { rowsOf } from '../support/given-when-then.js';
import { openGuard } from '../support/open-guard.js';
import { tempFolder } from '../support/temp-folder.js';
import { BELL_SAMPLES, bellEvents, type BellEvent } from './invented.events.js';

type EarlierEvent = EventOf<'bell-rung.v1', { readonly bell_id: string }>;

/** What a build decided that knew only version 1. */
const earlierBell = defineDecider<'ring', number, EarlierEvent>({
  category: 'bell',
  initialState: 0,
  decide: () => [{ type: 'bell-rung.v1', data: { bell_id: 'front' } }],
  evolve: (state) => state + 1,
});
const earlierEvents = defineEventTypes<EarlierEvent>('bell', { 'bell-rung.v1': true });

/** How often the bell was rung, which version 2 says. */
const bell = defineDecider<number, number, BellEvent>({
  category: 'bell',
  initialState: 0,
  decide: (times) => [{ type: 'bell-rung.v2', data: { bell_id: 'front', times } }],
  evolve: (state, { data }) => state + data.times,
});
const bells = defineView<{ readonly times: number }, BellEvent>({
  name: 'bells',
  version: 1,
  key: ({ data }) => data.bell_id,
  on: { 'bell-rung.v2': (row, { data }) => ({ times: (row?.times ?? 0) + data.times }) },
});

describe('an event of an earlier version, in a log that a build wrote which knew no later one', () => {
  let folder: ReturnType<typeof tempFolder>;
  beforeEach(() => {
    folder = tempFolder();
  });
  afterEach(() => folder.remove());

  const opened = async (codec: Codec): Promise<{ log: EmbeddedLog; loop: CommandLoop; close(): Promise<void> }> => {
    const log = await EmbeddedLog.open({ file: join(folder.path, 'events.db') });
    const loop = new CommandLoop({ log, codec, clock, machine: thisMachine, guard: openGuard(), followers: [] });
    const close = async (): Promise<void> => {
      await loop.close();
      await log.close();
    };
    return { log, loop, close };
  };
  const clock = new SteppableClock(Date.now);
  const context = () => newContext({ clock, randomness: thisMachine.randomness }, 'system:test');

  it('is folded and shown in its present version, beside events of that one, and stays on disk as it was written', async () => {
    const before = await opened(new Codec([earlierEvents]));
    await before.loop.execute(earlierBell, 'front', 'ring', context());
    await before.close();
    const codec = new Codec([bellEvents]);
    const now = await opened(codec);
    expect(await now.loop.read(bell, 'front')).toBe(1);
    expect((await now.loop.execute(bell, 'front', 3, context())).state).toBe(4);
    const stored = await eventsIn(now.log);
    expect(stored.map(({ type, data }) => ({ type, data }))).toEqual(
      BELL_SAMPLES.map(({ type, data }) => ({ type, data })),
    );
    const decoded = stored.map((event) => codec.decode(event)) as never;
    expect(await rowsOf(bells, decoded)).toEqual({ front: { times: 4 } });
    await now.close();
  });

  it('is refused by a build that has no upcaster from it', async () => {
    const before = await opened(new Codec([earlierEvents]));
    await before.loop.execute(earlierBell, 'front', 'ring', context());
    await before.close();
    const now = await opened(new Codec([{ ...bellEvents, upcasters: [] }]));
    await expect(now.loop.read(bell, 'front')).rejects.toThrow('bell-front@0 has the type bell-rung.v1');
    await now.close();
  });
});
