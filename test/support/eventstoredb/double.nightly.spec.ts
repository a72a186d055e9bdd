import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type AllStreamSubscription,
  ANY,
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
import { describe, expect, it } from '@jest/globals';
import { RunningDouble } from '../running-double.js';
import { tempFolder } from '../temp-folder.js';
import { describeServers, itOnTheDouble, onlyOnTheDouble } from './server-under-test.js';
import { RememberedIds } from './remembered-ids.js';
import { EventStoreDbDouble } from './server.js';

/** The behaviour that the double imitates, tested on a real server where there is one. */
describeServers('EventStoreDB', (server) => {
  const [a, b, c, d, e] = Array.from({ length: 5 }, () => randomUUID());
  const newStream = server.newStream.bind(server);
  const append = server.append.bind(server);
  const idsOf = server.idsOf.bind(server);
  const readAll = server.readAll.bind(server);
  /** A to E in three appends. */
  const filled = async (): Promise<string> => {
    const stream = newStream();
    await append(stream, NO_STREAM, [a]);
    await append(stream, 0n, [b, c]);
    await append(stream, 2n, [d, e]);
    return stream;
  };

  describe('at a repeat with the first revision', () => {
    it.each<[string, AppendExpectedRevision, (string | undefined)[], bigint]>([
      ['of one append', 0n, [b, c], 2n],
      ['of the first half of one', 0n, [b], 1n],
      ['of the second half of one', 1n, [c], 2n],
      ['over several appends', NO_STREAM, [a, b, c, d], 3n],
      ['of the end of one and the beginning of the next', 1n, [c, d], 3n],
    ])('returns the first outcome, and writes nothing: %s', async (_, revision, ids, last) => {
      const stream = await filled();
      const again = await append(stream, revision, ids, { other: 'data' });
      expect(again).toMatchObject({ success: true, nextExpectedRevision: last });
      for await (const { event } of server.client.readStream(stream, { fromRevision: last, maxCount: 1 })) {
        expect(again.position).toEqual(event?.position);
      }
      expect(await idsOf(stream)).toEqual([a, b, c, d, e]);
    });

    it.each<[string, AppendExpectedRevision, (string | undefined)[]]>([
      ['with a new event after part of them', 2n, [d, undefined]],
      ['with a new event after all of them', 2n, [d, e, undefined]],
      ['with a new event before', 0n, [undefined, b]],
      ['in another order', 0n, [c, b]],
      ['at another revision', 1n, [b]],
    ])('reports a conflict: %s', async (_, revision, ids) => {
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

  it('answers one of eight simultaneous copies of an append; most others run into a deadline', async () => {
    const { double } = server;
    if (double !== undefined) double.options = { ...double.options, latency: 20, step: 200 };
    const outcomes: PromiseSettledResult<unknown>[] = [];
    // On a real server it is chance which of them come while the first one is under way.
    for (let round = 0; round < 20; round += 1) {
      const [stream, id] = [newStream(), randomUUID()];
      const copies = Array.from({ length: 8 }, () => append(stream, round % 2 === 0 ? NO_STREAM : ANY, [id]));
      const answers = await Promise.allSettled(copies);
      expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
      outcomes.push(...answers);
      expect(await append(stream, NO_STREAM, [id])).toMatchObject({ nextExpectedRevision: 0n });
      expect(await idsOf(stream)).toEqual([id]);
    }
    if (double !== undefined) double.options = { version: double.options.version ?? '23.10' };
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    for (const reason of refused) expect(reason).toMatchObject({ type: ErrorType.DEADLINE_EXCEEDED });
    expect(refused.length).toBeGreaterThan(outcomes.length / 4);
    expect(refused.length).toBeLessThan((outcomes.length * 7) / 8);
  });

  it('names the actual revision in fields, not in its message', async () => {
    const stream = await filled();
    const conflict = { type: ErrorType.WRONG_EXPECTED_VERSION, message: '', streamName: stream, actualVersion: 4n };
    await expect(append(stream, NO_STREAM, [undefined])).rejects.toMatchObject(conflict);
    await expect(append(newStream(), 3n, [a])).rejects.toMatchObject({ actualVersion: 'no_stream' });
  });

  it('limits the data of an append, as it is set', async () => {
    const filling = 'x'.repeat(600_000);
    const stream = newStream();
    const answer = await append(stream, NO_STREAM, [a, b], { filling }).catch((error: unknown) => error);
    // By default 1 MiB, from 25.0 on much more; a real server may be set otherwise.
    const { double } = server;
    if (!(answer instanceof Error) && (double === undefined || (await server.generation()) >= 25)) return;
    const maxAppendSize: unknown = double === undefined ? expect.any(Number) : 1_048_576;
    expect(answer).toMatchObject({ type: ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED, maxAppendSize });
    await expect(idsOf(stream)).rejects.toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
  });

  it.each<[string, string, object]>([
    ['an id that is not a UUID', newStream(), { id: 'id' }],
    ['the zero UUID', newStream(), { id: '00000000-0000-0000-0000-000000000000' }],
    ['an event without a type', newStream(), { type: '' }],
    ['a stream without a name', '', {}],
  ])('does not recognize %s', async (_, stream, changes) => {
    const event = { ...jsonEvent({ type: 'happened', data: {} }), ...changes };
    await expect(server.client.appendToStream(stream, event, { expectedRevision: NO_STREAM })).rejects.toMatchObject({
      type: ErrorType.UNKNOWN,
      message: 'Could not recognize BadRequest',
    });
  });

  it('accepts an append without events, and creates no stream for it', async () => {
    const stream = newStream();
    expect(await append(stream, NO_STREAM, [])).toMatchObject({ success: true, nextExpectedRevision: 0n });
    await expect(idsOf(stream)).rejects.toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
    expect(await append(stream, NO_STREAM, [a])).toMatchObject({ nextExpectedRevision: 0n });
  });

  it('breaks the call for all appends when a message is too large', async () => {
    const filling = 'x'.repeat(18_000_000);
    const large = jsonEvent({ type: 'happened', data: { filling } });
    await expect(server.client.appendToStream(newStream(), large, { batchAppendSize: 2 ** 26 })).rejects.toMatchObject({
      type: ErrorType.UNKNOWN,
      code: 8,
    });
    expect(await append(newStream(), NO_STREAM, [a])).toMatchObject({ success: true });
  });

  it('reads a stream from any revision, and nothing beyond the end', async () => {
    const stream = await filled();
    const revisions = (options: Parameters<typeof server.revisionsOf>[1]): Promise<number[]> =>
      server.revisionsOf(stream, options);
    expect(await revisions({ fromRevision: 3n })).toEqual([3, 4]);
    expect(await revisions({ fromRevision: 1n, maxCount: 2 })).toEqual([1, 2]);
    expect(await revisions({ fromRevision: 9n })).toEqual([]);
    expect(await revisions({ fromRevision: 9n, direction: BACKWARDS, maxCount: 2 })).toEqual([4, 3]);
    expect(await revisions({ fromRevision: 1n, direction: BACKWARDS })).toEqual([1, 0]);
    await expect(revisions({ maxCount: 0 })).rejects.toThrow('Unexpected ReadStreamResult: Error');
  });

  /** This many ids of these streams, and the announcements of the subscription. Others may write meanwhile. */
  const subscribed = async (subscription: AllStreamSubscription, count: number, streams: readonly string[]) => {
    const announced: string[] = [];
    for (const word of ['confirmation', 'caughtUp'] as const) subscription.on(word, () => announced.push(word));
    const ids: (string | undefined)[] = [];
    for await (const { event } of subscription) {
      if (streams.includes(String(event?.streamId)) && ids.push(event?.id) === count) break;
    }
    await subscription.unsubscribe();
    return { signals: announced, ids };
  };

  it('reads all from a position, inclusive, and follows from one, exclusive', async () => {
    const stream = newStream();
    const { position } = (await append(stream, NO_STREAM, [a])) as { position: Position };
    await append(stream, 0n, [b, c]);
    expect(await readAll({ fromPosition: position, maxCount: 1 })).toEqual([a]);
    expect([await server.hasInAll([a, b, c], position), await server.hasInAll([a, b, c])]).toEqual([true, true]);
    const following = server.client.subscribeToAll({ fromPosition: position });
    const { signals, ids } = await subscribed(following, 2, [stream]);
    expect(ids).toEqual([b, c]);
    expect(signals).toContain('confirmation');
  });

  describe('at a position where no event begins', () => {
    const behind = ({ commit }: Position, bytes: bigint): Position => ({
      commit: commit + bytes,
      prepare: commit + bytes,
    });
    const FAR = 1_000_000n;
    /** 26.1 has another word. */
    const words = /Unexpected ReadAllResult: Error|InvalidPosition/;
    /** The error, or this many ids. */
    const followed = async (fromPosition: Position, count = 1): Promise<unknown> => {
      const subscription = server.client.subscribeToAll({
        fromPosition,
        filter: streamNameFilter({ prefixes: [server.prefix] }),
      });
      const outcome = Promise.withResolvers<unknown>();
      const ids: unknown[] = [];
      subscription.on('error', outcome.resolve);
      subscription.on('data', ({ event }) => ids.push(event?.id) === count && outcome.resolve(ids));
      await Promise.race([once(subscription, 'caughtUp'), outcome.promise]).catch(() => undefined);
      await append(newStream(), NO_STREAM, [e]);
      const result = await outcome.promise;
      await subscription.unsubscribe();
      return result;
    };

    it('refuses it inside an event before the last', async () => {
      const inside = behind(await server.written(), 1n);
      await server.written();
      await expect(readAll({ fromPosition: inside, maxCount: 1 })).rejects.toThrow(words);
      expect(String(await followed(inside))).toMatch(/Exception was thrown by handler|InvalidPosition/);
    });

    itOnTheDouble(
      'treats it inside the last event as the end: a read finds nothing, a subscription is live',
      async () => {
        const inside = behind(await server.written(), 1n);
        expect(await readAll({ fromPosition: inside, maxCount: 1 })).toEqual([]);
        expect(await followed(inside)).toEqual([e]);
      },
    );

    it('beyond the end lets a read find nothing, fails a backward read, and lets a subscription wait for later events', async () => {
      const beyond = behind(await server.written(), FAR);
      expect(await readAll({ fromPosition: beyond, maxCount: 1 })).toEqual([]);
      const backwards = readAll({ fromPosition: beyond, maxCount: 1, direction: BACKWARDS });
      await expect(backwards).rejects.toThrow(words);
      // Later versions never send what is below.
      if ((await server.version()).startsWith('23.10')) expect(await followed(beyond)).toEqual([e]);
    });
  });

  it('treats events of ordinary types in system streams as ordinary ones', async () => {
    const stream = `$${newStream()}`;
    const position = await server.written();
    await append(stream, NO_STREAM, [b]);
    const all = server.client.subscribeToAll({ fromPosition: position, filter: excludeSystemEvents() });
    expect((await subscribed(all, 1, [stream])).ids).toEqual([b]);
  });

  it('continues a subscription over a scavenge, although positions leap', async () => {
    const stream = newStream();
    const position = await server.written();
    const following = subscribed(
      server.client.subscribeToAll({ fromPosition: position, filter: streamNameFilter({ prefixes: [stream] }) }),
      5,
      [stream],
    );
    await append(stream, NO_STREAM, [a, b]);
    await server.client.setStreamMetadata(newStream(), { maxCount: 1 });
    await server.scavenge();
    await append(stream, 1n, [c, d, e]);
    expect((await following).ids).toEqual([a, b, c, d, e]);
    expect(await server.hasInAll([a], position)).toBe(true);
  });

  it('passes on the events that a filter names', async () => {
    const [prefix, id] = [`one${randomUUID().slice(0, 8)}_deal`, randomUUID()];
    const { position } = (await append(newStream(), NO_STREAM, [a])) as { position: Position };
    await server.client.setStreamMetadata(newStream(), { truncateBefore: 0 }, { expectedRevision: NO_STREAM });
    const [other, named] = [newStream(), newStream(prefix)];
    await append(other, NO_STREAM, [b]);
    await append(named, NO_STREAM, [id]);
    const filter = streamNameFilter({ prefixes: [prefix] });
    const both = [other, named];
    const filtered = server.client.subscribeToAll({ fromPosition: position, filter });
    expect((await subscribed(filtered, 1, both)).ids).toEqual([id]);
    const all = server.client.subscribeToAll({ fromPosition: position, filter: excludeSystemEvents() });
    expect((await subscribed(all, 2, both)).ids).toEqual([b, id]);
  });

  it('drops a live subscription, without a gap before, for a burst that is too large; not from 24.2 on', async () => {
    const drops = (await server.version()).startsWith('23.');
    for (let tries = 0; tries < 20; tries += 1) {
      const stream = newStream('burst');
      const filter = streamNameFilter({ prefixes: [stream] });
      const subscription = server.client.subscribeToAll({ fromPosition: END, filter });
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
      expect(drops).toBe(true);
      expect(error).toMatchObject({ type: ErrorType.TIMEOUT, code: 10 });
      expect((error as Error).message).toContain('Consumer too slow');
      return;
    }
    expect(drops).toBe(false);
  });

  onlyOnTheDouble('as the double', () => {
    it('keeps an abandoned read open until it is cancelled', async () => {
      const stream = newStream();
      const filling = 'x'.repeat(5_000);
      const { double } = server;
      await append(stream, NO_STREAM, Array.from<undefined>({ length: 150 }), { filling });
      const read = server.client.readStream(stream);
      for await (const { event } of read) if (event !== undefined) break;
      expect(double?.reads.open.size).toBe(1);
      await read.cancel();
      while (double?.reads.open.size !== 0) await new Promise(setImmediate);
    });

    it('answers at the deadline, in steps of 2 s, when it has lost an answer', async () => {
      const { double } = server;
      if (double === undefined) throw new Error('there is no double');
      double.options = { loseEvery: 1 };
      const [start, stream] = [performance.now(), newStream()];
      const event = jsonEvent({ id: a, type: 'happened', data: {} });
      const lost = server.client.appendToStream(stream, event, { expectedRevision: NO_STREAM, deadline: 500 });
      await expect(lost).rejects.toMatchObject({ type: ErrorType.DEADLINE_EXCEEDED });
      expect(Math.round((performance.now() - start) / 100)).toBeGreaterThanOrEqual(20);
      double.options = {};
      expect(await idsOf(stream)).toEqual([a]);
    });
  });
});

onlyOnTheDouble('a server that ends under its callers', () => {
  it.each([
    ['is killed', 'stop', { code: 14, type: ErrorType.UNAVAILABLE }, []],
    ['is told to end', 'terminate', { code: 13, message: expect.stringContaining('RST_STREAM with code 0') }, [0]],
  ] as const)(
    'fails calls under way, and has written what it had taken only if it %s',
    async (_, how, error, written) => {
      const double = await EventStoreDbDouble.start();
      const client = EventStoreDBClient.connectionString(double.url);
      const append = (stream: string): Promise<unknown> =>
        client.appendToStream(stream, jsonEvent({ type: 'happened', data: {} }), { expectedRevision: NO_STREAM });
      await append('deal-1');
      const subscription = client.subscribeToAll();
      const dropped = once(subscription, 'error').catch((thrown: unknown) => [thrown]);
      subscription.resume();
      await once(subscription, 'caughtUp');
      double.options = { latency: 5_000 };
      const taken = once(double.appends, 'taken');
      const underWay = append('deal-2').catch((thrown: unknown) => thrown);
      await taken;
      await new Promise((resolve) => setTimeout(resolve, 30));
      await double.control[how]();
      expect(await underWay).toMatchObject(error);
      expect(await dropped).toMatchObject([error]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await double.control.events('deal-2')).map(({ revision }) => revision)).toEqual(written);
      await expect(append('deal-3')).rejects.toMatchObject({ code: 14 });
      await client.dispose();
    },
  );
});

onlyOnTheDouble("the server's memory of ids", () => {
  it('loses an id between 100,000 and 150,000 others later', () => {
    const remembered = new RememberedIds();
    remembered.put('deal-1', 'first', 0);
    for (let index = 0; index < 100_000; index += 1) remembered.put('others', `id-${index}`, index);
    expect(remembered.revisionOf('deal-1', 'first')).toBe(0);
    for (let index = 100_000; index < 150_000; index += 1) remembered.put('others', `id-${index}`, index);
    expect(remembered.revisionOf('deal-1', 'first')).toBeUndefined();
  });
});

onlyOnTheDouble('a server that is killed', () => {
  it('fails calls under way, and after its return has everything that it acknowledged', async () => {
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
