import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { thisMachine } from '#adapters/machine';
import {
  type Append,
  AppendOutcomeUnknown,
  type AppendResult,
  CommandLoop,
  NO_STREAM,
  SystemClock,
} from '#eventsourcing';
import { numbered } from '../../../test/support/numbered.js';
import type { DoubleOptions } from '../../../test/support/eventstoredb/options.js';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { openGuard } from '../../../test/support/open-guard.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { contextAt, tally, tallyCodec, tallyFollowers, type TallyEvent } from '../../../test/support/tally.js';

let double: EventStoreDbDouble;
let log: EventStoreDbLog;

/**
 * A server that checks deadlines often, and a client that gives it little time: a lost answer shows soon.
 * @param deadline in milliseconds
 */
async function start(options: DoubleOptions = {}, deadline = 100): Promise<void> {
  double = await EventStoreDbDouble.start({ step: 100, ...options });
  log = await EventStoreDbLog.open({ url: `${double.url}&defaultDeadline=${deadline}` });
}

/** The answer to an append that is repeated until it is known: a slow machine does not give it within a short deadline. */
async function untilKnown(append: Append): Promise<readonly AppendResult[]> {
  for (;;) {
    try {
      return await log.append([append]);
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown)) throw error;
    }
  }
}

afterEach(async () => {
  await log.close();
  double.close();
});

describe('an append whose answer is lost', () => {
  beforeEach(() => start());

  it.each(['deadline', 'reset'] as const)(
    'has an unknown outcome, and a repeat gets the first one (%s)',
    async (lose) => {
      const append = numbered('deal-1', NO_STREAM, 1, 2);
      double.options = { ...double.options, loseEvery: 1, lose };
      await expect(log.append([append])).rejects.toThrow(AppendOutcomeUnknown);
      await expect(log.append([append])).rejects.toThrow(AppendOutcomeUnknown);
      double.options = { step: 100 };
      await untilKnown(numbered('deal-1', 1, 3));
      const [repeated] = await untilKnown(append);
      const events = await log.readStream('deal-1', 0, 10);
      expect(events.map(({ data }) => (data as { number: number }).number)).toEqual([1, 2, 3]);
      expect(repeated).toEqual({ kind: 'written', revision: 1, position: events[1]?.position });
    },
  );

  it('leaves a follower unknown, and never rejects for one', async () => {
    await log.close();
    // A slow machine answers within it.
    log = await EventStoreDbLog.open({ url: `${double.url}&defaultDeadline=5000` });
    double.options = { ...double.options, loseEvery: double.appends.count + 2 };
    const results = await log.append([numbered('deal-1', NO_STREAM, 1), numbered('deal-2', NO_STREAM, 2)]);
    expect(results).toMatchObject([{ kind: 'written' }, { kind: 'unknown' }]);
    expect(await log.readStream('deal-2', 0, 10)).toHaveLength(1);
  });

  it('has an unknown outcome without a server', async () => {
    double.close();
    await expect(log.append([numbered('deal-1', NO_STREAM, 1)])).rejects.toThrow(AppendOutcomeUnknown);
    await expect(log.readStream('deal-1', 0, 1)).rejects.toMatchObject({ name: 'Unavailable' });
    double = await EventStoreDbDouble.start();
  });

  // A server that stops writes what it has accepted, and ends the calls without answers.
  it('has an unknown outcome during a stop of the server, and a repeat gets the first one', async () => {
    const folder = tempFolder();
    const file = join(folder.path, 'events');
    await log.close();
    double.close();
    await start({ file, latency: 200 });
    const append = numbered('deal-1', NO_STREAM, 1);
    const underWay = expect(log.append([append])).rejects.toThrow(AppendOutcomeUnknown);
    // It has reached the server by then, and is written after twice that time.
    await pause(100);
    double.terminate();
    await underWay;
    // The server needs a moment to end; then its port is free.
    const port = Number(new URL(double.url).port);
    const again = (): Promise<EventStoreDbDouble | undefined> =>
      EventStoreDbDouble.start({ port, file }).catch(() => undefined);
    let next = await again();
    for (; next === undefined; next = await again()) await pause(20);
    double = next;
    expect(await untilKnown(append)).toMatchObject([{ kind: 'written', revision: 0 }]);
    expect(await log.readStream('deal-1', 0, 10)).toHaveLength(1);
    folder.remove();
  });

  it('is probed without a write, until it would be answered', async () => {
    double.close();
    await expect(log.probe()).rejects.toThrow();
    double = await EventStoreDbDouble.start({ port: Number(new URL(double.url).port) });
    await log.probe();
    expect(await double.control.events()).toHaveLength(1);
  });

  // A server that silently drops one append still answers others: their line lives.
  it('has an unknown outcome at its own deadline, although its line lives, and gives its place to others', async () => {
    await log.close();
    log = await EventStoreDbLog.open({ url: `${double.url}&defaultDeadline=5000` });
    await log.append([numbered('deal-1', NO_STREAM, 1)]);
    double.options = { ...double.options, silentAbout: 'lost-' };
    const appends = Array.from({ length: 31 }, (_, n) => numbered(`lost-${n}`, NO_STREAM, 1));
    const lives = new AbortController();
    const lost = Promise.all(
      appends.map((append) => expect(log.append([append])).rejects.toThrow(/within its deadline/)),
    ).finally(() => lives.abort());
    for (let last = 0; !lives.signal.aborted; last += 1) {
      expect(await log.append([numbered('deal-1', last, 1)])).toMatchObject([{ kind: 'written' }]);
      await pause(100);
    }
    await lost;
    double.options = { step: 100 };
    expect(await Promise.all(appends.map(untilKnown))).toMatchObject(
      appends.map(() => [{ kind: 'written', revision: 0 }]),
    );
  });

  it('is never under way twice', async () => {
    await log.close();
    double.close();
    await start({ latency: 30 }, 10_000);
    const append = numbered('deal-1', NO_STREAM, 1);
    const results = await Promise.all([log.append([append]), log.append([append]), log.append([append])]);
    expect(new Set(results.flat().map((result) => result.kind === 'written' && result.position)).size).toBe(1);
    expect(double.appends.duplicates).toBe(0);
  });
});

describe('what the server would not accept', () => {
  beforeEach(() => start());

  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;
  const [event] = numbered('deal-1', NO_STREAM, 1).events;
  const bad: [string, object][] = [
    ['no data', { data: undefined }],
    ['a bigint in its data', { data: { units: 1n } }],
    ['a circle in its data', { data: cyclic }],
    ['a bigint in its metadata', { metadata: { ...event?.metadata, time: 1n } }],
    ['no UUID', { id: 'id' }],
    ['the zero UUID', { id: '00000000-0000-0000-0000-000000000000' }],
    ['capitals in its id', { id: event?.id.replace(/^./, 'A') }],
    ['no type', { type: '' }],
    ["a type of the server's", { type: '$metadata' }],
  ];

  // The outcome of such a refusal is known, for its followers, too.
  it.each(bad)('is refused before the client sees it: an event with %s', async (_, changes) => {
    const before = double.appends.count;
    const append = { stream: 'deal-1', expected: NO_STREAM, events: [{ ...event, ...changes }] } as Append;
    await expect(log.append([numbered('deal-2', NO_STREAM, 1), append])).rejects.toThrow(TypeError);
    expect(double.appends.count).toBe(before);
  });

  it('is refused before the client sees it: a stream of the server’s', async () => {
    await expect(log.append([numbered('$all', NO_STREAM, 1)])).rejects.toThrow(TypeError);
  });
});

describe('closing', () => {
  // Leaving the server during an append would make its outcome unknown.
  it('answers appends under way, followers included, and refuses later ones', async () => {
    // No answer is lost here, so the deadline is long enough for a busy machine.
    await start({ latency: 50 }, 60_000);
    const lists = Array.from({ length: 40 }, (_, index) =>
      log.append([numbered(`deal-${index}`, NO_STREAM, 1), numbered(`copy-${index}`, NO_STREAM, 1)]),
    );
    const closed = log.close();
    await expect(log.append([numbered('deal-late', NO_STREAM, 1)])).rejects.toThrow('closed');
    for (const results of await Promise.all(lists)) {
      expect(results).toMatchObject([{ kind: 'written' }, { kind: 'written' }]);
    }
    await closed;
    await expect(log.readStream('deal-1', 0, 1)).rejects.toThrow('closed');
  });

  it('ends soon after appends with unknown outcomes', async () => {
    await start();
    double.options = { loseEvery: 1, lose: 'silence' };
    const lost = log.append([numbered('deal-1', NO_STREAM, 1)]).catch(() => undefined);
    double.close();
    await log.close();
    await lost;
    double = await EventStoreDbDouble.start();
  });
});

describe('two command loops with a connection each decide on one hot stream while answers are lost', () => {
  it.each(['deadline', 'reset'] as const)('and every command is done once (%s)', async (lose) => {
    await start();
    const other = await EventStoreDbLog.open({ url: `${double.url}&defaultDeadline=100` });
    double.options = { ...double.options, loseEvery: 3, lose };
    const clock = new SystemClock(Date.now);
    const followers = [tallyFollowers];
    const loops = [log, other].map(
      (each) =>
        new CommandLoop({ log: each, codec: tallyCodec, clock, followers, machine: thisMachine, guard: openGuard() }),
    );
    const keys = Array.from({ length: 120 }, (_, index) => `key-${index}`);
    await Promise.all(
      keys.map(async (key, index) => {
        const context = contextAt(clock.now());
        for (;;) {
          try {
            await loops[index % 2]?.execute(tally, 'hot', { key, copies: [`of-${index % 7}`] }, context);
            return;
          } catch (error) {
            if ((error as Error).name !== 'Unavailable') throw error;
          }
        }
      }),
    );
    await Promise.all(loops.map((loop) => loop.close()));
    const events = (await log.readStream('tally-hot', 0, 1_000)) as unknown as TallyEvent[];
    expect(events.map(({ data }) => data.total)).toEqual(keys.map((_, index) => index + 1));
    expect(new Set(events.map(({ data }) => data.key))).toEqual(new Set(keys));
    const copies = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((id) => log.readStream(`copy-of-${id}`, 0, 1_000)));
    const copied = copies.flat().map(({ data }) => (data as { key: string }).key);
    expect(copied.sort()).toEqual([...keys].sort());
    expect(double.appends.duplicates).toBe(0);
    await other.close();
  });
});
