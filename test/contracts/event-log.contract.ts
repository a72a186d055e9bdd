import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventMetadata, type Position, type Recorded, streamName } from '#kernel';
import { thisMachine } from '#adapters/machine';
import {
  type Append,
  AppendOutcomeUnknown,
  EventIds,
  type AppendResult,
  type EventLog,
  isLastPage,
  MAX_APPEND_BYTES,
  MAX_APPEND_EVENTS,
  type NewEvent,
  NO_STREAM,
  PAGE_BYTES,
  newCommandId,
} from '#eventsourcing';

/** A log under test. `close` also removes what the case has written, where the log allows it. */
export interface EventLogSubject {
  readonly log: EventLog;
  /** Closes the present connection, as a restart does, and opens the same log again. */
  reopen(): Promise<EventLog>;
  close(): Promise<void>;
}

function newEvent(data: object = { units: 1 }, changes: Partial<NewEvent> = {}): NewEvent {
  const id = newCommandId(1_700_000_000_000, thisMachine.randomness);
  const metadata: EventMetadata = {
    time: 1_700_000_000_000,
    command_id: id,
    correlation: 'request-1',
    causation: null,
    actor: 'partner:acme',
  };
  return { id, type: 'stock-set.v1', data, metadata, ...changes };
}

/** An append of events whose data are the given numbers. */
function append(stream: string, expected: number, ...numbers: number[]): Append {
  return { stream, expected, events: numbers.map((number) => newEvent({ number })) };
}

function numbers(events: readonly Recorded[]): unknown[] {
  return events.map(({ data }) => (data as { number?: unknown }).number);
}

async function fill(log: EventLog, stream: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += MAX_APPEND_EVENTS) {
    const piece = Array.from({ length: Math.min(MAX_APPEND_EVENTS, count - from) }, (_, index) => from + index);
    const [result] = await log.append([append(stream, from - 1, ...piece)]);
    expect(result).toMatchObject({ kind: 'written', revision: from + piece.length - 1 });
  }
}

/** Follows the log until `enough` returns true. */
async function follow(
  log: EventLog,
  after: Position,
  max: number,
  enough: (events: readonly Recorded[], caughtUp: boolean) => boolean,
): Promise<{ events: Recorded[]; sizes: number[] }> {
  const stop = new AbortController();
  const events: Recorded[] = [];
  const sizes: number[] = [];
  for await (const batch of log.subscribe(after, max, stop.signal)) {
    events.push(...batch.events);
    sizes.push(batch.events.length);
    if (enough(events, batch.caughtUp)) stop.abort();
  }
  return { events, sizes };
}

/** The characters of the events' data. */
function sizeOf(events: readonly Recorded[]): number {
  return events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
}

/** Fills a stream with large events, of somewhat more than `PAGE_BYTES` in all. @returns how many */
async function fillLarge(log: EventLog, stream: string): Promise<number> {
  const filler = 'x'.repeat(MAX_APPEND_BYTES - 1_000);
  const count = Math.ceil((1.2 * PAGE_BYTES) / filler.length);
  for (let number = 0; number < count; number += 1) {
    const list = [{ stream, expected: number - 1, events: [newEvent({ number, filler })] }] as const;
    const [result] = await appendAgain(log, list);
    expect(result).toMatchObject({ kind: 'written' });
  }
  return count;
}

/** Appends, and repeats it while a busy machine's server answers too late: the same ids are written once. */
async function appendAgain(log: EventLog, list: readonly [Append, ...Append[]]): Promise<readonly AppendResult[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await log.append(list);
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknown) || tries === 10) throw error;
    }
  }
}

const toTheEnd = (_: readonly Recorded[], caughtUp: boolean): boolean => caughtUp;

/**
 * What the port promises about an append whose answer is lost or late, that is repeated, or that reuses ids of another process.
 * The scripted log of the tests must keep these promises too: the command loop's handling of answers is tested on it.
 */
export function appendPromises(logOf: () => Pick<EventLog, 'append' | 'readStream'>): void {
  describe('an append', () => {
    const stream = (): string => streamName('contract', randomUUID());
    const send = async (attempt: Append): Promise<AppendResult | undefined> => (await logOf().append([attempt]))[0];
    const all = (name: string): Promise<readonly Recorded[]> => logOf().readStream(name, 0, 100);

    // The loop reads the tail before it repeats an append, but a late append may be written in between.
    it.each([0, 2])('sent again with %i events after it writes nothing more', async (behind) => {
      const attempt = append(stream(), NO_STREAM, 1, 2);
      const first = await send(attempt);
      for (let index = 0; index < behind; index += 1) await send(append(attempt.stream, 1 + index, 3 + index));
      const again = await send(attempt);
      if (again?.kind === 'written') expect(again).toEqual(first);
      else expect(again).toEqual({ kind: 'conflict', actual: 1 + behind });
      expect(numbers(await all(attempt.stream))).toEqual([1, 2, 3, 4].slice(0, 2 + behind));
    });

    // A caller that stops waiting for an answer sends the append again, and a server may drop requests under way.
    it('sent eight times at once is in the log once', async () => {
      const attempt = append(stream(), NO_STREAM, 1, 2);
      const answers = await Promise.allSettled(Array.from({ length: 8 }, () => send(attempt)));
      expect((await all(attempt.stream)).map(({ id }) => id)).toEqual(attempt.events.map(({ id }) => id));
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(AppendOutcomeUnknown);
        else if (answer.value?.kind !== 'conflict')
          expect(answer.value).toMatchObject({ kind: 'written', revision: 1 });
      }
    });

    // EventStoreDB answers "written" here, so callers never trust an answer about ids that another process may have used.
    it.each<[string, (ids: readonly string[]) => readonly NewEvent[]]>([
      ['the same ids', (ids) => ids.map((id) => newEvent({ number: 7 }, { id, type: 'other.v1' }))],
      ['the first of its ids', ([id = '']) => [newEvent({ number: 7 }, { id, type: 'other.v1' })]],
      ['the last of its ids', ([, id = '']) => [newEvent({ number: 7 }), newEvent({ number: 8 }, { id })]],
      ['the first of its ids, and one more', ([id = '']) => [newEvent({}, { id }), newEvent({ number: 8 })]],
    ])('does not change when another append comes with %s, whatever the log answers', async (_, events) => {
      const attempt = append(stream(), NO_STREAM, 1, 2);
      await send(attempt);
      const there = await all(attempt.stream);
      await send({ ...attempt, events: events(attempt.events.map(({ id }) => id)) });
      expect(await all(attempt.stream)).toEqual(there);
    });

    // Ids prevent no repeat here: a caller that repeats a command has to see in the state that it is done.
    it('with an event id that the stream holds at an older revision is written', async () => {
      const attempt = append(stream(), NO_STREAM, 1);
      await send(attempt);
      expect(await send({ ...attempt, expected: 0 })).toMatchObject({ kind: 'written', revision: 1 });
      expect(new Set((await all(attempt.stream)).map(({ id }) => id)).size).toBe(1);
    });

    // This proves that an append is lost for good: nothing else can take its place.
    it('that comes late, when other events have its revisions, writes nothing, even when the stream has grown', async () => {
      const late = append(stream(), NO_STREAM, 1, 2);
      await send(append(late.stream, NO_STREAM, 3));
      expect(await send(late)).toEqual({ kind: 'conflict', actual: 0 });
      await send(append(late.stream, 0, 4));
      expect(await send(late)).toEqual({ kind: 'conflict', actual: 1 });
      expect(numbers(await all(late.stream))).toEqual([3, 4]);
    });

    // A log restored from a backup is recognised by this: its positions start again where they were.
    it('gets a position above all positions seen before it was sent, and the revisions right after the expected one', async () => {
      const name = stream();
      let seen = 0n;
      for (let expected = NO_STREAM; expected < 8; expected += 2) {
        const result = await send(append(name, expected, 1, 2));
        expect(result).toMatchObject({ kind: 'written', revision: expected + 2 });
        const position = result?.kind === 'written' ? result.position : 0n;
        expect(position > seen).toBe(true);
        seen = position;
        await send(append(stream(), NO_STREAM, 1));
      }
    });
  });
}

/**
 * What every event log must do. The log may already hold other streams and events, its positions may have gaps, and it need not
 * have transactions over several streams: so the cases use streams of their own and follow from the present head.
 */
export function eventLogContract(name: string, open: () => Promise<EventLogSubject>): void {
  describe(`event log contract: ${name}`, () => {
    let subject: EventLogSubject;
    let log: EventLog;
    const stream = (): string => streamName('contract', randomUUID());

    beforeEach(async () => {
      subject = await open();
      log = subject.log;
    });

    afterEach(() => subject.close());

    describe('appending', () => {
      // Two processes that decide on the same state must not both write: only the revision prevents it.
      it('writes on the expected revision and returns the new one', async () => {
        const name = stream();
        const [first] = await log.append([append(name, NO_STREAM, 0)]);
        const [second] = await log.append([append(name, 0, 1, 2)]);
        expect(first).toMatchObject({ kind: 'written', revision: 0 });
        expect(second).toMatchObject({ kind: 'written', revision: 2 });
        expect(numbers(await log.readStream(name, 0, 10))).toEqual([0, 1, 2]);
      });

      // The command loop reads the tail from the actual revision on, so it has to be correct.
      it.each([
        ['no stream, but the stream exists', NO_STREAM],
        ['an older revision', 0],
        ['a future revision', 2],
        ['a revision far beyond the end', 40],
      ])(
        'writes nothing when the append expects another revision (%s), and returns the actual one',
        async (_, expected) => {
          const name = stream();
          await log.append([append(name, NO_STREAM, 0, 1)]);
          const results = await log.append([append(name, expected, 7, 8)]);
          expect(results).toEqual([{ kind: 'conflict', actual: 1 }]);
          expect(numbers(await log.readStream(name, 0, 10))).toEqual([0, 1]);
        },
      );

      it('returns NO_STREAM as the actual revision of a missing stream', async () => {
        const name = stream();
        expect(await log.append([append(name, 3, 7)])).toEqual([{ kind: 'conflict', actual: NO_STREAM }]);
        expect(await log.readStream(name, 0, 10)).toEqual([]);
      });

      // One decision may write several events (holds that expired, then the new hold): half of them would break a rule.
      it('writes all events of an append or none, in their order, at ascending positions', async () => {
        const name = stream();
        const [result] = await log.append([append(name, NO_STREAM, 0, 1, 2, 3)]);
        const events = await log.readStream(name, 0, 10);
        expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2, 3]);
        expect(result).toMatchObject({ kind: 'written', position: events[3]?.position });
        const positions = events.map(({ position }) => position);
        expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : 1)));
        expect(new Set(positions).size).toBe(4);
      });

      // Callers that wait for a view need the position of each result, and find results by their index.
      it('answers in the order of the list: the decision, then its followers', async () => {
        const [decision, one, two] = [stream(), stream(), stream()];
        await log.append([append(two, NO_STREAM, 0)]);
        const results = await log.append([
          append(decision, NO_STREAM, 0, 1, 2),
          append(one, NO_STREAM, 0, 1),
          append(two, 0, 1),
        ]);
        expect(results.map((result) => result.kind === 'written' && result.revision)).toEqual([2, 1, 1]);
        for (const [index, name] of [decision, one, two].entries()) {
          const last = (await log.readStream(name, 0, 10)).at(-1);
          expect(results[index]).toMatchObject({ kind: 'written', position: last?.position });
        }
      });

      // A decision that lost a race did not happen, so nothing can follow from it.
      it('writes no follower of a decision that conflicts', async () => {
        const [decision, follower] = [stream(), stream()];
        const results = await log.append([
          append(decision, 5, 0),
          append(follower, NO_STREAM, 0),
          append(stream(), 4, 0),
        ]);
        expect(results).toEqual([{ kind: 'conflict', actual: NO_STREAM }, { kind: 'skipped' }, { kind: 'skipped' }]);
        expect(await log.readStream(follower, 0, 10)).toEqual([]);
      });

      // A follower cannot be rejected: the loop writes it again on the stream's new revision, but the decision stands.
      it('writes the decision and the other followers when one follower conflicts', async () => {
        const [decision, taken, free] = [stream(), stream(), stream()];
        await log.append([append(taken, NO_STREAM, 0, 1)]);
        const results = await log.append([
          append(decision, NO_STREAM, 0),
          append(taken, NO_STREAM, 7),
          append(free, NO_STREAM, 0),
        ]);
        expect(results).toMatchObject([
          { kind: 'written', revision: 0 },
          { kind: 'conflict', actual: 1 },
          { kind: 'written', revision: 0 },
        ]);
        expect(numbers(await log.readStream(taken, 0, 10))).toEqual([0, 1]);
        expect(await log.readStream(free, 0, 10)).toHaveLength(1);
      });

      // Uniqueness (of an e-mail address, of a reseller's reference) depends on this alone.
      it('lets exactly one of eight concurrent appends create a stream', async () => {
        const name = stream();
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, number) => log.append([append(name, NO_STREAM, number)])),
        );
        const winners = results.flatMap(([result], number) => (result?.kind === 'written' ? [number] : []));
        expect(winners).toHaveLength(1);
        expect(results.flat().filter(({ kind }) => kind === 'conflict')).toEqual(
          Array.from({ length: 7 }, () => ({ kind: 'conflict', actual: 0 })),
        );
        expect(numbers(await log.readStream(name, 0, 10))).toEqual(winners);
      });

      // The limits are those of the narrowest engine, so that a command that is too large for one fails on all.
      it('takes as many events and bytes in one append as the port promises, and rejects more', async () => {
        const name = stream();
        const most = Array.from({ length: MAX_APPEND_EVENTS }, (_, number) => number);
        expect(await log.append([append(name, NO_STREAM, ...most)])).toMatchObject([
          { revision: MAX_APPEND_EVENTS - 1 },
        ]);
        await expect(log.append([append(stream(), NO_STREAM, ...most, 0)])).rejects.toThrow(RangeError);

        const large = stream();
        const filler = (bytes: number): NewEvent => newEvent({ filler: 'é'.repeat(bytes / 2) });
        const [written] = await log.append([
          { stream: large, expected: NO_STREAM, events: [filler(MAX_APPEND_BYTES - 100)] },
        ]);
        expect(written).toMatchObject({ kind: 'written' });
        const tooLarge = { stream: large, expected: 0, events: [filler(MAX_APPEND_BYTES)] };
        await expect(log.append([tooLarge])).rejects.toThrow(RangeError);
        expect(await log.readStream(large, 0, 10)).toHaveLength(1);
      });

      // One caller's defect must neither reach the other callers in the same batch nor stop the log.
      it.each<[string, unknown]>([
        ['no data', undefined],
        ['a bigint in the data', { units: 1n }],
      ])('rejects an append with %s and writes the appends beside it', async (_, data) => {
        const [before, bad, after] = [stream(), stream(), stream()];
        const events = [newEvent(), { ...newEvent(), data: data as object }];
        const [first, refused, last] = await Promise.allSettled([
          log.append([append(before, NO_STREAM, 0)]),
          log.append([{ stream: bad, expected: NO_STREAM, events }]),
          log.append([append(after, NO_STREAM, 0)]),
        ]);
        expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
        expect([first, last]).toMatchObject([{ value: [{ kind: 'written' }] }, { value: [{ kind: 'written' }] }]);
        expect(await log.readStream(bad, 0, 10)).toEqual([]);
      });
    });

    appendPromises(() => log);

    describe('reading a stream', () => {
      it('returns nothing for a missing stream or beyond the end', async () => {
        const name = stream();
        expect(await log.readStream(name, 0, 10)).toEqual([]);
        await log.append([append(name, NO_STREAM, 0)]);
        expect(await log.readStream(name, 1, 10)).toEqual([]);
        expect(await log.readStream(name, 50, 10)).toEqual([]);
      });

      // The first revision is included and at most `max` events come: the next page begins at the last revision + 1.
      it('returns a big stream in pages, each event once', async () => {
        const name = stream();
        await fill(log, name, 1_050);
        const read: Recorded[] = [];
        for (let page: readonly Recorded[]; (page = await log.readStream(name, read.length, 400)).length > 0;) {
          expect(page.length).toBe(Math.min(400, 1_050 - read.length));
          read.push(...page);
        }
        expect(numbers(read)).toEqual(Array.from({ length: 1_050 }, (_, number) => number));
        expect(read.map(({ revision }) => revision)).toEqual(numbers(read));
      });

      // A reader has little memory and does not know how large the events are.
      it('returns large events in pages of bytes, and says which page is not the last', async () => {
        const name = stream();
        const count = await fillLarge(log, name);
        const first = await log.readStream(name, 0, 1_000);
        expect(first.length).toBeLessThan(count);
        expect(sizeOf(first)).toBeLessThanOrEqual(PAGE_BYTES + MAX_APPEND_BYTES);
        expect(isLastPage(first, 1_000)).toBe(false);
        const second = await log.readStream(name, first.length, 1_000);
        expect(numbers([...first, ...second])).toEqual(Array.from({ length: count }, (_, number) => number));
        expect(isLastPage(second, 1_000)).toBe(true);
        expect(await log.readStream(name, 1, 1)).toHaveLength(1);
      });

      it('keeps streams apart when one name is the beginning of another', async () => {
        const name = stream();
        await log.append([append(name, NO_STREAM, 0)]);
        await log.append([append(`${name}0`, NO_STREAM, 1)]);
        expect(numbers(await log.readStream(name, 0, 10))).toEqual([0]);
      });

      // Names of people and merchants go into data, slugs into stream names; the log must not fold or lose a character.
      it('keeps every character of stream names and data', async () => {
        const name = `${stream()}-Überraschung für 東京 🎟️ (50%)`;
        const data = {
          'schlüssel "1"': 'a\u0000b\u2028c\\ud800 \n😀 e\u0301 é',
          nested: { list: [1, -0.5, 1e21, true, false, null, '', {}, []] },
          large: 9_007_199_254_740_991,
        };
        const events = [newEvent(data)];
        await log.append([{ stream: name, expected: NO_STREAM, events }]);
        const [read] = await log.readStream(name, 0, 1);
        expect(read?.stream).toBe(name);
        expect(read?.data).toEqual(data);
      });

      // The history shows who did what, when and why; the work lists recognise a follower by its causation.
      it('returns id, type and metadata as written', async () => {
        const name = stream();
        const commandId = newCommandId(1_700_000_000_123, thisMachine.randomness);
        const events: NewEvent[] = [null, `${name}@0`].map((causation, index) => ({
          id: new EventIds(thisMachine.randomness).next(),
          type: `hold-placed.v${index + 1}`,
          data: {},
          metadata: {
            time: 1_700_000_000_123,
            command_id: commandId,
            correlation: 'r-é',
            causation,
            actor: 'operator:ann',
          },
        }));
        await log.append([{ stream: name, expected: NO_STREAM, events }]);
        const read = await log.readStream(name, 0, 10);
        expect(read).toEqual(
          events.map((event, revision) => ({ ...event, stream: name, revision, position: read[revision]?.position })),
        );
      });
    });

    describe('positions', () => {
      it('return the event at exactly this position, and none elsewhere', async () => {
        const name = stream();
        await log.append([append(name, NO_STREAM, 0, 1)]);
        const [first, last] = await log.readStream(name, 0, 10);
        expect(await log.eventAt(first?.position ?? 0n)).toEqual(first);
        expect(await log.eventAt(last?.position ?? 0n)).toEqual(last);
        expect(await log.eventAt(0n)).toBeUndefined();
        expect(await log.eventAt((last?.position ?? 0n) + 1n)).toBeUndefined();
      });

      // A new view compares itself with the head to know how far behind it is.
      it('have their head at the last event', async () => {
        const before = await log.head();
        const [result] = await log.append([append(stream(), NO_STREAM, 0, 1)]);
        const head = await log.head();
        expect(result).toMatchObject({ kind: 'written', position: head });
        expect(head > before).toBe(true);
      });
    });

    describe('following', () => {
      // A view's checkpoint is the last event that it has seen: seeing it again would be wrong, missing one worse.
      it('begins after the given position, not at it', async () => {
        const name = stream();
        await log.append([append(name, NO_STREAM, 0, 1, 2)]);
        const [, second, third] = await log.readStream(name, 0, 10);
        const { events } = await follow(log, second?.position ?? 0n, 10, toTheEnd);
        expect(events).toEqual([third]);
      });

      it('begins with the first event of the log at 0n', async () => {
        const name = stream();
        await log.append([append(name, NO_STREAM, 0)]);
        const { events } = await follow(log, 0n, 500, toTheEnd);
        expect(events.filter((event) => event.stream === name)).toHaveLength(1);
        expect(events.at(-1)?.position).toBe(await log.head());
      });

      // Without the empty batch, a reader with nothing to do would never know that it is up to date.
      it('informs a reader at the head at once that it has caught up, then passes on new events', async () => {
        const name = stream();
        const stop = new AbortController();
        const batches = log.subscribe(await log.head(), 10, stop.signal)[Symbol.asyncIterator]();
        expect((await batches.next()).value).toEqual({ events: [], caughtUp: true });
        const next = batches.next();
        await log.append([append(name, NO_STREAM, 4)]);
        const { value } = await next;
        expect(value?.caughtUp).toBe(true);
        expect(value?.events).toMatchObject([{ stream: name, data: { number: 4 } }]);
        stop.abort();
        expect((await batches.next()).done).toBe(true);
      });

      // A view folds a batch in memory, so the reader chooses its size; `caughtUp` must not come before the end.
      it('passes on batches of at most the requested size, with caughtUp only in the last one', async () => {
        const name = stream();
        const start = await log.head();
        await fill(log, name, 30);
        const stop = new AbortController();
        const seen: { size: number; caughtUp: boolean }[] = [];
        const events: Recorded[] = [];
        for await (const batch of log.subscribe(start, 10, stop.signal)) {
          seen.push({ size: batch.events.length, caughtUp: batch.caughtUp });
          events.push(...batch.events);
          if (batch.caughtUp) stop.abort();
        }
        expect(Math.max(...seen.map(({ size }) => size))).toBeLessThanOrEqual(10);
        expect(seen.filter(({ caughtUp }) => caughtUp)).toHaveLength(1);
        expect(numbers(events)).toEqual(Array.from({ length: 30 }, (_, number) => number));
      });

      it('passes on large events in batches of bytes, with caughtUp only in the last one', async () => {
        const name = stream();
        const start = await log.head();
        const count = await fillLarge(log, name);
        const stop = new AbortController();
        const seen: Recorded[] = [];
        const caughtUp: boolean[] = [];
        for await (const batch of log.subscribe(start, 1_000, stop.signal)) {
          expect(sizeOf(batch.events)).toBeLessThanOrEqual(PAGE_BYTES + MAX_APPEND_BYTES);
          caughtUp.push(batch.caughtUp);
          seen.push(...batch.events);
          if (batch.caughtUp) stop.abort();
        }
        expect(numbers(seen)).toEqual(Array.from({ length: count }, (_, number) => number));
        expect(caughtUp.length).toBeGreaterThan(1);
        expect(caughtUp.indexOf(true)).toBe(caughtUp.length - 1);
      });

      // A position that becomes visible after a reader has read a later one would be lost to every view for ever.
      it('misses and repeats nothing while many append, and two followers see the same order', async () => {
        const start = await log.head();
        const names = Array.from({ length: 12 }, stream);
        const rounds = 12;
        const all = names.length * rounds * 2;
        const followers = [7, 64].map((max) => follow(log, start, max, (events) => events.length >= all));
        await Promise.all(
          names.map(async (name) => {
            for (let round = 0; round < rounds; round++) {
              await log.append([append(name, 2 * round - 1, 2 * round, 2 * round + 1)]);
            }
          }),
        );
        const [one, two] = await Promise.all(followers);
        const seen = one?.events ?? [];
        expect(seen).toHaveLength(all);
        expect(two?.events).toEqual(seen);
        expect(Math.max(...(one?.sizes ?? []))).toBeLessThanOrEqual(7);
        for (const [index, event] of seen.entries()) {
          if (index > 0) expect(event.position > (seen[index - 1]?.position ?? 0n)).toBe(true);
        }
        for (const name of names) {
          const own = seen.filter((event) => event.stream === name);
          expect(own).toEqual(await log.readStream(name, 0, 2 * rounds));
          expect(numbers(own)).toEqual(Array.from({ length: 2 * rounds }, (_, number) => number));
        }
      });

      // A projector stops for a rebuild and at the end of the process; it must not hang.
      it('ends when the reader aborts it: while it waits, and before it begins', async () => {
        const head = await log.head();
        const stop = new AbortController();
        const batches = log.subscribe(head, 10, stop.signal)[Symbol.asyncIterator]();
        await batches.next();
        const waiting = batches.next();
        stop.abort();
        expect(await waiting).toEqual({ done: true, value: undefined });
        const never = log.subscribe(0n, 10, AbortSignal.abort())[Symbol.asyncIterator]();
        expect((await never.next()).done).toBe(true);
      });
    });

    describe('after a restart', () => {
      it('has every event in place, and goes on from there', async () => {
        const name = stream();
        await log.append([append(name, NO_STREAM, 0, 1)]);
        const [before, head] = [await log.readStream(name, 0, 10), await log.head()];
        log = await subject.reopen();
        expect(await log.readStream(name, 0, 10)).toEqual(before);
        expect(await log.head()).toBe(head);
        expect(await log.append([append(name, NO_STREAM, 7)])).toEqual([{ kind: 'conflict', actual: 1 }]);
        expect(await log.append([append(name, 1, 2)])).toMatchObject([{ kind: 'written', revision: 2 }]);
        const { events } = await follow(log, before[1]?.position ?? 0n, 10, toTheEnd);
        expect(numbers(events)).toEqual([2]);
      });

      // Views remember the log that they were built from; another identity makes them start again.
      it('has the same identity', async () => {
        const { identity } = log;
        expect(identity).toMatch(/^\S{8,}$/);
        log = await subject.reopen();
        expect(log.identity).toBe(identity);
      });
    });
  });
}
