import { randomUUID } from 'node:crypto';
import { ANY, binaryEvent, ErrorType, jsonEvent, type JSONType, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { describeServers, onlyOnTheDouble } from './server-under-test.js';
import { EventStoreDbDouble } from './server.js';

/** What other applications do on a shared server. */
describeServers('an append of another application', (server) => {
  describe.each<typeof ANY | typeof STREAM_EXISTS>([ANY, STREAM_EXISTS])('at the revision %s', (expected) => {
    /** A stream with three events, and their ids. */
    const filled = async (): Promise<{ readonly stream: string; readonly ids: readonly string[] }> => {
      const [stream, ids] = [server.newStream(), [randomUUID(), randomUUID(), randomUUID()]];
      await server.append(stream, NO_STREAM, ids);
      return { stream, ids };
    };

    it.each([
      ['whole', [0, 1, 2], 2n],
      ['in part', [1, 2], 2n],
      ['with a gap', [0, 2], 2n],
      ['only the first', [0], 0n],
    ])('gets the first outcome for ids that came before: %s', async (_, which, last) => {
      const { stream, ids } = await filled();
      const again = await server.append(
        stream,
        expected,
        which.map((index) => ids[index]),
      );
      expect(again).toMatchObject({ success: true, nextExpectedRevision: last });
      expect(await server.idsOf(stream)).toEqual(ids);
    });

    it('is a conflict when the server knows the first id but not a later one', async () => {
      const { stream, ids } = await filled();
      const refused = { type: ErrorType.WRONG_EXPECTED_VERSION, expectedVersion: expected, actualVersion: 2n };
      await expect(server.append(stream, expected, [ids[2], undefined])).rejects.toMatchObject(refused);
      expect(await server.idsOf(stream)).toEqual(ids);
    });

    it('is written whole when the first id is new, or was first written to another stream', async () => {
      const { stream, ids } = await filled();
      const own = randomUUID();
      expect(await server.append(stream, expected, [own, ids[0]])).toMatchObject({ nextExpectedRevision: 4n });
      const elsewhere = randomUUID();
      await server.append(server.newStream(), NO_STREAM, [elsewhere]);
      // The server remembers the first stream of an id.
      for (const last of [5n, 6n])
        expect(await server.append(stream, expected, [elsewhere])).toMatchObject({ nextExpectedRevision: last });
      expect(await server.idsOf(stream)).toEqual([...ids, own, ids[0], elsewhere, elsewhere]);
    });
  });

  it('creates a stream at any revision, but not where it must exist', async () => {
    expect(await server.append(server.newStream(), ANY, [undefined])).toMatchObject({ nextExpectedRevision: 0n });
    const refused = {
      type: ErrorType.WRONG_EXPECTED_VERSION,
      expectedVersion: STREAM_EXISTS,
      actualVersion: 'no_stream',
    };
    await expect(server.append(server.newStream(), STREAM_EXISTS, [undefined])).rejects.toMatchObject(refused);
  });

  it('may have no metadata, no object and no JSON', async () => {
    const stream = server.newStream('order');
    await server.client.appendToStream(stream, [
      jsonEvent({ type: 'Placed', data: { total: 5 } }),
      jsonEvent({ type: 'Heartbeat', data: null as unknown as JSONType }),
      binaryEvent({ type: 'Measured', data: Buffer.from([0, 1, 2]) }),
      jsonEvent({ type: 'Sent', data: {}, metadata: { user: 'ann' } }),
    ]);
    const seen: unknown[] = [];
    for await (const { event } of server.client.readStream(stream)) {
      seen.push([event?.type, event?.isJson, event?.data, event?.metadata]);
    }
    expect(seen).toEqual([
      ['Placed', true, { total: 5 }, undefined],
      ['Heartbeat', true, null, undefined],
      ['Measured', false, new Uint8Array([0, 1, 2]), undefined],
      ['Sent', true, {}, { user: 'ann' }],
    ]);
  });

  it('is a call of its own with credentials, with the same outcomes', async () => {
    const [stream, id] = [server.newStream(), randomUUID()];
    const append = (
      expectedRevision: typeof NO_STREAM | typeof STREAM_EXISTS | bigint,
      ids: string[],
    ): Promise<unknown> =>
      server.client.appendToStream(
        stream,
        ids.map((each) => jsonEvent({ id: each, type: 'happened', data: {} })),
        { expectedRevision, credentials: { username: 'admin', password: 'changeit' } },
      );
    await expect(append(STREAM_EXISTS, [id])).rejects.toMatchObject({
      type: ErrorType.WRONG_EXPECTED_VERSION,
      expectedVersion: STREAM_EXISTS,
      actualVersion: 'no_stream',
    });
    const first = await append(NO_STREAM, [id]);
    expect(first).toMatchObject({
      success: true,
      nextExpectedRevision: 0n,
      position: { commit: expect.any(BigInt) as unknown },
    });
    expect(await append(NO_STREAM, [id])).toEqual(first);
    await expect(append(5n, [randomUUID()])).rejects.toMatchObject({ expectedVersion: 5n, actualVersion: 0n });
    await server.client.tombstoneStream(stream);
    await expect(append(0n, [randomUUID()])).rejects.toMatchObject({ type: ErrorType.STREAM_DELETED });
  });

  onlyOnTheDouble('after a restart of the server', () => {
    it('is written again at any revision, and is a repeat at an explicit one', async () => {
      const [stream, id] = [server.newStream(), randomUUID()];
      await server.append(stream, NO_STREAM, [id]);
      await server.double?.control.stop();
      await server.double?.control.start();
      const again = (expected: typeof NO_STREAM | typeof ANY): Promise<unknown> =>
        server.append(stream, expected, [id]);
      await again(NO_STREAM).catch(() => undefined);
      expect(await again(NO_STREAM)).toMatchObject({ nextExpectedRevision: 0n });
      expect(await again(ANY)).toMatchObject({ nextExpectedRevision: 1n });
    });
  });
});

onlyOnTheDouble('other applications on the double', () => {
  it('write at most the requested number of events per second, none with our metadata', async () => {
    const began = performance.now();
    const double = await EventStoreDbDouble.start({ foreign: 150 });
    const written = async () => (await double.control.events()).filter(({ type }) => !type.startsWith('$'));
    let events = await written();
    // Half of what is due in a second; a busy machine takes longer.
    while (events.length < 75) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      events = await written();
    }
    double.close();
    expect(events.length).toBeLessThanOrEqual(0.15 * (performance.now() - began) + 15);
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(5);
    expect(events.every(({ metadata }) => !metadata.includes('command_id'))).toBe(true);
  });
});
