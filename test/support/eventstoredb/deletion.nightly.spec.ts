import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ANY,
  BACKWARDS,
  END,
  ErrorType,
  FORWARDS,
  NO_STREAM,
  STREAM_EXISTS,
  type StreamMetadata,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { describeServers } from './server-under-test.js';

/** What an administrator of a shared server may do to a stream. */
describeServers('a stream of EventStoreDB', (server) => {
  /** Three events. */
  const filled = async (): Promise<{ readonly stream: string; readonly ids: readonly string[] }> => {
    const [stream, ids] = [server.newStream(), [randomUUID(), randomUUID(), randomUUID()]];
    await server.append(stream, NO_STREAM, ids);
    return { stream, ids };
  };
  const missing = { type: ErrorType.STREAM_NOT_FOUND };
  const deleted = (streamName: string): object => ({ type: ErrorType.STREAM_DELETED, streamName });

  describe('that is deleted softly', () => {
    it('reads as missing, but is still in $all', async () => {
      const { stream, ids } = await filled();
      expect(await server.client.deleteStream(stream)).toMatchObject({
        position: { commit: expect.any(BigInt) as unknown },
      });
      await expect(server.idsOf(stream)).rejects.toMatchObject({ ...missing, streamName: stream });
      expect(await server.hasInAll(ids)).toBe(true);
      const { metadata } = await server.client.getStreamMetadata(stream);
      expect(Number(metadata?.truncateBefore)).toBe(2 ** 63);
    });

    it.each<[string, typeof NO_STREAM | typeof ANY | bigint]>([
      ['that expects no stream', NO_STREAM],
      ['at any revision', ANY],
      ['at its last revision', 2n],
    ])('continues its numbers with an append %s', async (_, expected) => {
      const { stream } = await filled();
      await server.client.deleteStream(stream);
      expect(await server.append(stream, expected, [undefined])).toMatchObject({ nextExpectedRevision: 3n });
      await server.untilRevisions(stream, [3]);
      await server.untilRevisions(stream, [3], { fromRevision: 0n, maxCount: 1 });
    });

    it('is deleted for an append that needs it to exist, and in conflict with another revision', async () => {
      const { stream } = await filled();
      await server.client.deleteStream(stream);
      await expect(server.append(stream, STREAM_EXISTS, [undefined])).rejects.toMatchObject(deleted(stream));
      await expect(server.append(stream, 1n, [undefined])).rejects.toMatchObject({ actualVersion: 2n });
    });

    it('still recognises a repeat of its events, but has no position for it', async () => {
      const { stream, ids } = await filled();
      await server.client.deleteStream(stream);
      expect(await server.append(stream, NO_STREAM, ids)).toMatchObject({ success: true, nextExpectedRevision: 2n });
      await expect(server.idsOf(stream)).rejects.toMatchObject(missing);
    });

    it('must have existed, at the named revision', async () => {
      const refused = { type: ErrorType.WRONG_EXPECTED_VERSION, expectedVersion: -2n, actualVersion: -1n };
      await expect(server.client.deleteStream(server.newStream())).rejects.toMatchObject(refused);
      const { stream } = await filled();
      await expect(server.client.deleteStream(stream, { expectedRevision: 1n })).rejects.toMatchObject({
        type: ErrorType.WRONG_EXPECTED_VERSION,
        actualVersion: 2n,
      });
    });
  });

  describe('that is tombstoned', () => {
    it('is deleted for ever, for every read and append', async () => {
      const { stream, ids } = await filled();
      await server.client.tombstoneStream(stream);
      await expect(server.idsOf(stream)).rejects.toMatchObject(deleted(stream));
      for (const expected of [NO_STREAM, ANY, STREAM_EXISTS, 2n] as const) {
        await expect(server.append(stream, expected, [undefined])).rejects.toMatchObject(deleted(stream));
      }
      await expect(server.append(stream, NO_STREAM, ids)).rejects.toMatchObject(deleted(stream));
      await expect(server.client.deleteStream(stream)).rejects.toMatchObject(deleted(stream));
      await expect(server.client.tombstoneStream(stream)).rejects.toMatchObject(deleted(stream));
      await expect(server.client.setStreamMetadata(stream, {})).rejects.toMatchObject(deleted(`$$${stream}`));
    });

    it('shows that in $all, with an event of the largest revision', async () => {
      const { stream, ids } = await filled();
      const { position } = await server.client.tombstoneStream(stream);
      if (position === undefined) throw new Error('the server named no position');
      for await (const { event } of server.client.readAll({ fromPosition: position, maxCount: 1 })) {
        expect(event).toMatchObject({ type: '$streamDeleted', streamId: stream, revision: 2n ** 63n - 1n });
      }
      expect(await server.hasInAll(ids)).toBe(true);
    });

    it('need not have existed', async () => {
      const stream = server.newStream();
      await server.client.tombstoneStream(stream);
      await expect(server.append(stream, NO_STREAM, [undefined])).rejects.toMatchObject(deleted(stream));
    });
  });

  describe('with metadata', () => {
    it.each<[string, StreamMetadata, number[]]>([
      ['$maxCount', { maxCount: 1 }, [2]],
      ['$maxCount above the number of events', { maxCount: 9 }, [0, 1, 2]],
      ['$tb', { truncateBefore: 2 }, [2]],
      ['$tb after the end', { truncateBefore: 9 }, []],
      ['$maxAge in the future', { maxAge: 3_600 }, [0, 1, 2]],
    ])('hides events at once, without an error: %s', async (_, metadata, left) => {
      const { stream, ids } = await filled();
      await server.client.setStreamMetadata(stream, metadata);
      expect(await server.revisionsOf(stream)).toEqual(left);
      expect(await server.revisionsOf(stream, { fromRevision: 1n })).toEqual(left.filter((revision) => revision > 0));
      expect(await server.revisionsOf(stream, { fromRevision: END, direction: BACKWARDS, maxCount: 2 })).toEqual(
        left.slice(-2).reverse(),
      );
      expect(await server.hasInAll(ids)).toBe(true);
      expect(await server.append(stream, 2n, [undefined])).toMatchObject({ nextExpectedRevision: 3n });
    });

    it('hides events older than $maxAge, and is then empty, not missing', async () => {
      const { stream } = await filled();
      await server.client.setStreamMetadata(stream, { maxAge: 5 });
      await pause(5_500);
      expect(await server.revisionsOf(stream)).toEqual([]);
      expect(await server.append(stream, 2n, [undefined])).toMatchObject({ nextExpectedRevision: 3n });
      await server.untilRevisions(stream, [3]);
    });

    it('shows only the newest metadata', async () => {
      const stream = server.newStream();
      const first = await server.client.setStreamMetadata(stream, { owner: 'one' });
      expect(first.nextExpectedRevision).toBe(0n);
      await server.client.setStreamMetadata(stream, { owner: 'two' }, { expectedRevision: 0n });
      expect(await server.revisionsOf(`$$${stream}`, { direction: FORWARDS, maxCount: 1 })).toEqual([1]);
      expect(await server.client.getStreamMetadata(stream)).toMatchObject({ metadata: { owner: 'two' } });
      await expect(server.idsOf(stream)).rejects.toMatchObject(missing);
    });

    it('can be deleted before it has events; after its deletion metadata makes it exist again, empty', async () => {
      const stream = server.newStream();
      await server.client.setStreamMetadata(stream, { owner: 'one' });
      await server.client.deleteStream(stream);
      await expect(server.idsOf(stream)).rejects.toMatchObject(missing);
      const { stream: other } = await filled();
      await server.client.deleteStream(other);
      await server.client.setStreamMetadata(other, { owner: 'one' });
      expect(await server.revisionsOf(other)).toEqual([]);
      expect(await server.client.getStreamMetadata(other)).toMatchObject({
        metadata: { owner: 'one', truncateBefore: 3 },
      });
    });
  });

  it('keeps its last event in a scavenge, which removes the hidden ones from $all; positions leap', async () => {
    const start = await server.written();
    const [{ stream, ids }, { stream: gone, ids: goneIds }] = [await filled(), await filled()];
    const before = await server.written();
    await server.client.setStreamMetadata(stream, { maxCount: 1 });
    await server.client.tombstoneStream(gone);
    await server.scavenge();
    for (const hidden of [ids[0], ids[1], ...goneIds]) {
      while (await server.hasInAll([hidden], start)) await pause(100);
    }
    expect(await server.hasInAll([ids[2]], start)).toBe(true);
    expect((await server.written()).commit - before.commit).toBeGreaterThan(1_000_000n);
    expect(await server.idsOf(stream)).toEqual([ids[2]]);
    expect(await server.append(stream, 2n, [undefined])).toMatchObject({ nextExpectedRevision: 3n });
    await expect(server.idsOf(gone)).rejects.toMatchObject(deleted(gone));
  });
});
