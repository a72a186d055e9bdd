import { randomUUID } from 'node:crypto';
import { BACKWARDS, END, ErrorType, NO_STREAM, START } from '@eventstore/db-client';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ClusterDouble } from './cluster.js';
import { onlyOnTheDouble, ServerUnderTest } from './server-under-test.js';

/** Seen with three versions: a node knows a stream by its event 0, which a scavenge may remove. */
onlyOnTheDouble('a node that got its data as scavenged chunks', () => {
  const server = new ServerUnderTest();
  beforeAll(() => server.start('24.10'));
  afterAll(() => server.stop());

  const missing = { type: ErrorType.STREAM_NOT_FOUND };
  const unreadable = 'Unexpected ReadStreamResult: Error';
  const refill = async (): Promise<void> => {
    await server.scavenge();
    await server.double?.control.refill();
  };
  const allOf = async (stream: string): Promise<number> => (await server.double?.control.events(stream))?.length ?? NaN;

  it('does not know metadata that was written twice, though $all has the last of it', async () => {
    const stream = server.newStream();
    for (const maxAge of [1_000, 2_000]) await server.client.setStreamMetadata(stream, { maxAge });
    await server.scavenge();
    expect(await server.revisionsOf(`$$${stream}`)).toEqual([1]);
    await server.double?.control.refill();
    await expect(server.idsOf(`$$${stream}`)).rejects.toMatchObject(missing);
    expect(await allOf(`$$${stream}`)).toBe(1);
    expect(await server.readAll({ fromPosition: START, maxCount: 1_000 })).not.toEqual([]);
  });

  it('does not know a stream that was cut, and knows one that was not', async () => {
    const [cut, whole] = [server.newStream(), server.newStream()];
    for (const stream of [cut, whole]) await server.append(stream, NO_STREAM, [undefined, undefined, undefined]);
    await server.client.setStreamMetadata(cut, { maxCount: 1 });
    await refill();
    await expect(server.idsOf(cut)).rejects.toMatchObject(missing);
    expect([await allOf(cut), await server.revisionsOf(whole)]).toEqual([1, [0, 1, 2]]);
    // It is like a new stream for every append.
    await expect(server.append(cut, 2n, [undefined])).rejects.toMatchObject({ actualVersion: 'no_stream' });
  });

  it('begins such a stream anew for an append that expects none; then nobody can read it', async () => {
    const stream = server.newStream();
    const id = randomUUID();
    await server.append(stream, NO_STREAM, [undefined, undefined]);
    await server.client.setStreamMetadata(stream, { truncateBefore: 1 });
    await refill();
    expect(await server.append(stream, NO_STREAM, [id])).toMatchObject({ nextExpectedRevision: 0n });
    await expect(server.idsOf(stream)).rejects.toThrow(unreadable);
    expect(await server.readAll({ fromPosition: END, direction: BACKWARDS, maxCount: 1 })).toEqual([id]);
    await refill();
    await expect(server.idsOf(stream)).rejects.toThrow(unreadable);
  });

  it('is one of a cluster: the others know the stream until that append', async () => {
    const cluster = await ClusterDouble.start({ election: [50, 100] });
    try {
      const { control } = cluster;
      await control.append('$$deal-1', [{ type: '$metadata', data: { n: 1 } }]);
      await control.append('$$deal-1', [{ type: '$metadata', data: { n: 2 } }]);
      await control.scavenge();
      const leader = cluster.nodes.findIndex((node) => node === cluster.leader);
      const [filled, other] = [(leader + 1) % 3, (leader + 2) % 3];
      await control.refillNode(filled);
      await control.lag(other, 0);
      const readAt = (index: number) => cluster.nodes[index]?.server.store.read('$$deal-1', 0);
      expect(readAt(filled)).toBeUndefined();
      expect(readAt(other)).toHaveLength(1);
      await control.handOver(filled);
      while ((await control.leader()) !== filled) await new Promise((resolve) => setTimeout(resolve, 5));
      await control.append('$$deal-1', [{ type: '$metadata', data: { n: 3 } }], -1);
      for (const { server: node } of cluster.nodes)
        while (node.store.read('$$deal-1', 0) !== 'torn') await new Promise((resolve) => setTimeout(resolve, 5));
    } finally {
      cluster.close();
    }
  });
});
