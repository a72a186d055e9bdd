import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Query, type Reader, type StoredRow, WholeLog } from '#eventsourcing';
import type { Position, Recorded } from '#kernel';
import { QueryReference } from '../../../test/contracts/query-reference.js';
import { eventIndexView, type IndexedBlock } from '../event-index/event-index.view.js';
import { EventsOfLog, EventsOfLogHandler } from './audited-events.queries.js';
import type { Asked } from './part-of-log.js';

const TYPES = ['deal-moved.v1', 'stock-set.v1', 'stock-set.v2', 'terms-set.v1'];
const ACTORS = [
  'operator:ann',
  'operator:bo',
  'auditor:cy',
  'partner:acme/key:1',
  'partner:acme/key:2',
  'system:clock',
];

/** What tells an event from others. */
type Told = readonly [distance: number, type: string, actor: string, time: number];

function logOf(told: readonly Told[]): readonly Recorded[] {
  let position = 0n;
  return told.map(([distance, type, actor, time], at) => {
    position += BigInt(distance);
    return {
      ...{ position, type, id: `event-${at}`, stream: 'deal-1', revision: at, data: {} },
      metadata: { time, command_id: 'c', correlation: 'r', causation: null, actor },
    };
  });
}

/** A handler on a log whose index has seen all of it. @param lacks a position whose event somebody cut */
function handlerOn(events: readonly Recorded[], countsBytes: boolean, lacks?: Position) {
  const rows = new Map<string, IndexedBlock>();
  for (const event of events)
    for (const key of eventIndexView.keys(event)) {
      const row = eventIndexView.apply(rows.get(key), event, key);
      if (row !== undefined) rows.set(key, row);
    }
  const reference = new QueryReference(eventIndexView, rows);
  const waited: Position[] = [];
  const reader = {
    until: async (views: readonly { name: string }[], position: Position) => {
      expect(views.map(({ name }) => name)).toEqual(['event-index']);
      waited.push(position);
    },
    of: () => ({
      find: async (query: Query): Promise<readonly Pick<StoredRow, 'row'>[]> =>
        reference.find(query).map((key) => ({ row: rows.get(key) ?? {} })),
    }),
  };
  const log = new WholeLog({
    codec: { decode: (event) => event, categories: [], names: TYPES },
    log: {
      countsBytes,
      head: async () => events.at(-1)?.position ?? 0n,
      eventAt: async (position) => events.find((event) => event.position === position && position !== lacks),
      async *subscribe(after, max) {
        for (let from = events.filter(({ position }) => position <= after).length; ; from += max) {
          expect(max).toBeGreaterThan(0);
          yield { events: events.slice(from, from + max), caughtUp: from + max >= events.length };
        }
      },
    },
  });
  return { waited, handler: new EventsOfLogHandler(log, reader as unknown as Reader) };
}

async function readBy({ handler }: ReturnType<typeof handlerOn>, asked: Asked) {
  const found: Recorded[] = [];
  let read = 0;
  const part = await handler.execute(new EventsOfLog(asked));
  for await (const batch of part.read(new AbortController().signal)) {
    found.push(...batch.events);
    read += batch.read.length;
  }
  return { found, read };
}

/** What must be found, by a look at every event. */
function plainly(events: readonly Recorded[], { from, to, actor, types, last }: Asked): readonly Recorded[] {
  const fits = ({ position, type, metadata: { time, actor: who } }: Recorded): boolean =>
    (from === undefined || ('position' in from ? position >= from.position : time >= from.time)) &&
    (to === undefined || ('position' in to ? position <= to.position : time <= to.time)) &&
    (actor === undefined || who === actor || who.startsWith(`${actor}/`) || who.startsWith(`${actor}:`)) &&
    (types === undefined || types.some((each) => type === each || type.startsWith(`${each}.v`)));
  const found = events.filter(fits);
  return last === undefined ? found : found.slice(-last).toReversed();
}

describe('G7.8: the events of an actor or type', () => {
  const told = (farthest: number): fc.Arbitrary<Told> =>
    fc.tuple(
      fc.integer({ min: 1, max: farthest }),
      fc.constantFrom(...TYPES, TYPES[0] ?? ''),
      fc.constantFrom(...ACTORS, 'partner:acme/key:1'),
      fc.integer({ min: 0, max: 20 }),
    );
  const logs = fc
    .constantFrom(1, 3, 50, 2_000, 60_000)
    .chain((farthest) => fc.array(told(farthest), { minLength: 1, maxLength: 300, size: 'max' }))
    .map(logOf);
  const asked = (events: readonly Recorded[]): fc.Arbitrary<Asked> => {
    const moment = fc.integer({ min: 0, max: 20 }).map((time) => ({ time }));
    const position = fc.constantFrom(...events).map((event) => ({ position: event.position }));
    return fc.record(
      {
        from: fc.oneof(moment, position),
        to: fc.oneof(
          moment,
          position,
          fc.bigInt(0n, 200_000n).map((each) => ({ position: each })),
        ),
        actor: fc.constantFrom('operator', 'auditor', 'user', 'operator:nobody', 'partner:acme', ...ACTORS),
        types: fc.array(fc.constantFrom('stock-set', 'deal-moved', ...TYPES), { minLength: 1, maxLength: 4 }),
        last: fc.integer({ min: 1, max: 40 }),
      },
      { requiredKeys: [] },
    );
  };

  it('are those that a look at every event finds', async () => {
    const cases = logs.chain((events) => fc.tuple(fc.constant(events), asked(events), fc.boolean()));
    await fc.assert(
      fc.asyncProperty(cases, async ([events, sent, countsBytes]) => {
        const ask = sent.actor === undefined && sent.types === undefined ? { ...sent, last: undefined } : sent;
        const { found } = await readBy(handlerOn(events, countsBytes), ask);
        expect(found.map(({ position }) => position)).toEqual(plainly(events, ask).map(({ position }) => position));
      }),
      { numRuns: 500 },
    );
  });

  const many = (rare: readonly number[], distance = 1): readonly Recorded[] =>
    logOf(
      Array.from({ length: 70_000 }, (_, at) =>
        rare.includes(at)
          ? [distance, 'deal-moved.v1', 'operator:ann', at]
          : [distance, 'stock-set.v1', 'partner:acme/key:1', at],
      ),
    );

  it.each([
    ['numbers', 1, false, 32],
    ['bytes', 700, true, 1],
  ])('are found among many others, of which hardly any is read: positions are %s', async (_, distance, bytes, most) => {
    const events = many([100, 40_000], distance);
    const on = handlerOn(events, bytes);
    for (const ask of [{ actor: 'operator:ann' }, { actor: 'operator' }, { types: ['deal-moved'] }]) {
      const { found, read } = await readBy(on, ask);
      expect(found.map(({ revision }) => revision)).toEqual([100, 40_000]);
      expect(read).toBeLessThanOrEqual(2 * most);
      const latest = await readBy(on, { ...ask, last: 1 });
      expect(latest.found.map(({ revision }) => revision)).toEqual([40_000]);
      expect(latest.read).toBeLessThanOrEqual(most);
    }
    expect(await readBy(on, { actor: 'operator', types: ['stock-set'] })).toMatchObject({ found: [] });
    expect((await readBy(on, { actor: 'partner:acme', last: 5 })).read).toBeLessThanOrEqual(1_100);
    expect(new Set(on.waited)).toEqual(new Set([events.at(-1)?.position]));
  });

  it('are not whole if the log lacks one that it had', async () => {
    const events = many([100]);
    await expect(readBy(handlerOn(events, false, 101n), { actor: 'operator' })).rejects.toThrow(
      'the event log lacks the event that was at position 101',
    );
  });

  it.each([
    [{ last: 3 }, 'last_of_all'],
    [{ actor: 'partner' }, 'actor_unknown'],
    [{ actor: 'anne', last: 3 }, 'actor_unknown'],
    [{ types: ['deal-moves'] }, 'event_type_unknown'],
    [{ actor: 'operator', from: { position: 7_000n } }, 'no_event_there'],
  ] as readonly [Asked, string][])('are refused by name: %#', async (ask, code) => {
    await expect(readBy(handlerOn(logOf([[1, 'deal-moved.v1', 'operator:ann', 0]]), false), ask)).rejects.toMatchObject(
      {
        code,
      },
    );
  });
});
