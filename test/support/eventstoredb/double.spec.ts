import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type AllStreamSubscription,
  type AppendExpectedRevision,
  BACKWARDS,
  END,
  ErrorType,
  EventStoreDBClient,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  type Position,
  streamNameFilter,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tempFolder } from '../temp-folder.js';
import { RunningDouble } from '../running-double.js';
import { EventStoreDbDouble } from './server.js';

const real = process.env['EVENTSTORE_URL'];
const onlyOnTheDouble = real === undefined ? describe : describe.skip;

/** What the double imitates, asked of a real server where there is one. */
describe(`what EventStoreDB does, asked of ${real === undefined ? 'the double' : 'EVENTSTORE_URL'}`, () => {
  let double: EventStoreDbDouble | undefined;
  let client: EventStoreDBClient;
  const [a, b, c, d, e] = Array.from({ length: 5 }, () => randomUUID());

  beforeAll(async () => {
    if (real === undefined) double = await EventStoreDbDouble.start();
    client = EventStoreDBClient.connectionString(real ?? double?.url ?? '');
  });
  afterAll(async () => {
    await client.dispose();
    double?.close();
  });

  const newStream = (prefix = 'double'): string => `${prefix}-${randomUUID()}`;
  const append = (
    stream: string,
    expectedRevision: AppendExpectedRevision,
    ids: readonly (string | undefined)[],
    data: object = {},
  ): ReturnType<EventStoreDBClient['appendToStream']> =>
    client.appendToStream(
      stream,
      ids.map((id = randomUUID()) => jsonEvent({ id, type: 'happened', data: { ...data } })),
      { expectedRevision },
    );
  const idsOf = async (stream: string): Promise<(string | undefined)[]> => {
    const ids: (string | undefined)[] = [];
    for await (const { event } of client.readStream(stream)) ids.push(event?.id);
    return ids;
  };
  /** A to E in three appends. */
  const filled = async (): Promise<string> => {
    const stream = newStream();
    await append(stream, NO_STREAM, [a]);
    await append(stream, 0n, [b, c]);
    await append(stream, 2n, [d, e]);
    return stream;
  };

  describe('a repeat with the first revision', () => {
    it.each<[string, AppendExpectedRevision, (string | undefined)[], bigint]>([
      ['of one append', 0n, [b, c], 2n],
      ['of the first half of one', 0n, [b], 1n],
      ['of the second half of one', 1n, [c], 2n],
      ['over several appends', NO_STREAM, [a, b, c, d], 3n],
      ['of the end of one and the beginning of the next', 1n, [c, d], 3n],
    ])('gets the first outcome, and writes nothing: %s', async (_, revision, ids, last) => {
      const stream = await filled();
      const again = await append(stream, revision, ids, { other: 'data' });
      expect(again).toMatchObject({ success: true, nextExpectedRevision: last });
      for await (const { event } of client.readStream(stream, { fromRevision: last, maxCount: 1 })) {
        expect(again.position).toEqual(event?.position);
      }
      expect(await idsOf(stream)).toEqual([a, b, c, d, e]);
    });

    it.each<[string, AppendExpectedRevision, (string | undefined)[]]>([
      ['with a new event behind', 2n, [d, undefined]],
      ['with a new event behind all', 2n, [d, e, undefined]],
      ['with a new event before', 0n, [undefined, b]],
      ['in another order', 0n, [c, b]],
      ['at another revision', 1n, [b]],
    ])('is a conflict: %s', async (_, revision, ids) => {
      const stream = await filled();
      await expect(append(stream, revision, ids)).rejects.toMatchObject({ actualVersion: 4n });
      expect(await idsOf(stream)).toEqual([a, b, c, d, e]);
    });
  });

  it('writes ids again: at the present revision, twice in one append, in another stream', async () => {
    const [one, other] = [newStream(), newStream()];
    await append(one, NO_STREAM, [a, a]);
    await append(one, 1n, [a]);
    await append(other, NO_STREAM, [a]);
    expect([await idsOf(one), await idsOf(other)]).toEqual([[a, a, a], [a]]);
  });

  it('drops the second of two copies under way: it meets a deadline, though the event is there', async () => {
    const stream = newStream();
    // Of a real server it is a matter of luck whether the first one is still under way.
    if (double !== undefined) double.options = { latency: 50 };
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => append(stream, NO_STREAM, [a])));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ type: ErrorType.DEADLINE_EXCEEDED });
    }
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    if (double !== undefined) expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7);
    if (double !== undefined) double.options = {};
    expect(await append(stream, NO_STREAM, [a])).toMatchObject({ nextExpectedRevision: 0n });
    expect(await idsOf(stream)).toEqual([a]);
  });

  it('names the actual revision in fields, without words', async () => {
    const stream = await filled();
    const conflict = { type: ErrorType.WRONG_EXPECTED_VERSION, message: '', streamName: stream, actualVersion: 4n };
    await expect(append(stream, NO_STREAM, [undefined])).rejects.toMatchObject(conflict);
    await expect(append(newStream(), 3n, [a])).rejects.toMatchObject({ actualVersion: 'no_stream' });
  });

  it('bounds the data of an append', async () => {
    const filling = 'x'.repeat(600_000);
    const stream = newStream();
    const refused = { type: ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED, maxAppendSize: 1_048_576 };
    await expect(append(stream, NO_STREAM, [a, b], { filling })).rejects.toMatchObject(refused);
    await expect(idsOf(stream)).rejects.toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
  });

  const readAll = async (options: Parameters<EventStoreDBClient['readAll']>[0]): Promise<(string | undefined)[]> => {
    const ids: (string | undefined)[] = [];
    for await (const { event } of client.readAll(options)) ids.push(event?.id);
    return ids;
  };
  /** The first so many ids, and how the subscription announced itself. */
  const subscribed = async (subscription: AllStreamSubscription, count: number) => {
    const said: string[] = [];
    for (const word of ['confirmation', 'caughtUp'] as const) subscription.on(word, () => said.push(word));
    const ids: (string | undefined)[] = [];
    for await (const { event } of subscription) if (ids.push(event?.id) === count) break;
    await subscription.unsubscribe();
    return { said, ids };
  };

  it('reads all from a position that is included, and follows from one that is not', async () => {
    const stream = newStream();
    const { position } = (await append(stream, NO_STREAM, [a])) as { position: Position };
    await append(stream, 0n, [b, c]);
    expect(await readAll({ fromPosition: position, maxCount: 2 })).toEqual([a, b]);
    expect(await readAll({ fromPosition: END, direction: BACKWARDS, maxCount: 2 })).toEqual([c, b]);
    const { said, ids } = await subscribed(client.subscribeToAll({ fromPosition: position }), 2);
    expect(ids).toEqual([b, c]);
    expect(said).toContain('confirmation');
  });

  it('refuses a position inside an event, and finds nothing beyond the end', async () => {
    const { position } = (await append(newStream(), NO_STREAM, [a])) as { position: Position };
    const inside = { commit: position.commit + 1n, prepare: position.prepare + 1n };
    const beyond = { commit: position.commit + 1_000_000n, prepare: position.commit + 1_000_000n };
    await expect(readAll({ fromPosition: inside, maxCount: 1 })).rejects.toThrow('Unexpected ReadAllResult');
    expect(await readAll({ fromPosition: beyond, maxCount: 1 })).toEqual([]);
    const subscription = client.subscribeToAll({ fromPosition: inside });
    const [error] = (await once(subscription, 'error').catch((thrown: unknown) => [thrown])) as [Error];
    expect(error.message).toContain('Exception was thrown by handler');
  });

  it('lets those events pass that a filter names', async () => {
    const [prefix, id] = [`one${randomUUID().slice(0, 8)}_deal`, randomUUID()];
    const { position } = (await append(newStream(), NO_STREAM, [a])) as { position: Position };
    await client.setStreamMetadata(newStream(), { truncateBefore: 0 }, { expectedRevision: NO_STREAM });
    await append(newStream(), NO_STREAM, [b]);
    await append(newStream(prefix), NO_STREAM, [id]);
    const filter = streamNameFilter({ prefixes: [prefix] });
    expect((await subscribed(client.subscribeToAll({ fromPosition: position, filter }), 1)).ids).toEqual([id]);
    const all = client.subscribeToAll({ fromPosition: position, filter: excludeSystemEvents() });
    expect((await subscribed(all, 2)).ids).toEqual([b, id]);
  });

  it('drops a live subscription for a burst that is too large, without a gap before', async () => {
    for (let tries = 0; ; tries += 1) {
      expect(tries).toBeLessThan(20);
      const stream = newStream('burst');
      const filter = streamNameFilter({ prefixes: [stream] });
      const subscription = client.subscribeToAll({ fromPosition: END, filter });
      const seen: (bigint | undefined)[] = [];
      subscription.on('data', ({ event }) => seen.push(event?.revision));
      const ended = new Promise((resolve) => {
        subscription.on('error', resolve).on('data', () => seen.length === 1_000 && resolve(undefined));
      });
      await once(subscription, 'caughtUp');
      await append(stream, NO_STREAM, Array.from<undefined>({ length: 1_000 }));
      const error = await ended;
      expect(seen).toEqual(seen.map((_, index) => BigInt(index)));
      await subscription.unsubscribe();
      if (error === undefined) continue;
      expect(error).toMatchObject({ type: ErrorType.TIMEOUT, code: 10 });
      expect((error as Error).message).toContain('Consumer too slow');
      return;
    }
  });

  onlyOnTheDouble('which can be looked into', () => {
    it('keeps an abandoned read open until it is cancelled', async () => {
      const stream = newStream();
      const filling = 'x'.repeat(5_000);
      await append(stream, NO_STREAM, Array.from<undefined>({ length: 150 }), { filling });
      const read = client.readStream(stream);
      for await (const { event } of read) if (event !== undefined) break;
      expect(double?.reads.open.size).toBe(1);
      await read.cancel();
      while (double?.reads.open.size !== 0) await new Promise(setImmediate);
    });

    it('answers at the deadline, in steps of 2 s, when it has lost an answer', async () => {
      if (double === undefined) throw new Error('there is no double');
      double.options = { loseEvery: 1 };
      const [start, stream] = [performance.now(), newStream()];
      const event = jsonEvent({ id: a, type: 'happened', data: {} });
      const lost = client.appendToStream(stream, event, { expectedRevision: NO_STREAM, deadline: 500 });
      await expect(lost).rejects.toMatchObject({ type: ErrorType.DEADLINE_EXCEEDED });
      expect(Math.round((performance.now() - start) / 100)).toBeGreaterThanOrEqual(20);
      double.options = {};
      expect(await idsOf(stream)).toEqual([a]);
    });
  });
});

onlyOnTheDouble('a server that is killed', () => {
  it('fails what is under way, and has what it acknowledged when it comes back', async () => {
    const folder = tempFolder();
    const file = `--file=${join(folder.path, 'events')}`;
    const double = await RunningDouble.start(file);
    const client = EventStoreDBClient.connectionString(double.url);
    const append = (stream: string): Promise<unknown> =>
      client.appendToStream(stream, jsonEvent({ type: 'happened', data: {} }), { expectedRevision: NO_STREAM });
    await append('deal-1');
    const subscription = client.subscribeToAll();
    const dropped = once(subscription, 'error').catch((error: unknown) => [error]);
    subscription.resume();
    await once(subscription, 'caughtUp');
    double.child.kill('SIGSTOP');
    const underWay = append('deal-2').catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await double.kill();
    expect(await underWay).toMatchObject({ code: 14 });
    expect(await dropped).toMatchObject([{ code: 14 }]);
    await expect(append('deal-2')).rejects.toMatchObject({ code: 14 });
    const again = await RunningDouble.start(file, `--port=${new URL(double.url).port}`);
    for await (const { event } of client.readStream('deal-1')) expect(event?.revision).toBe(0n);
    await client.dispose();
    await again.kill();
    folder.remove();
  });
});
