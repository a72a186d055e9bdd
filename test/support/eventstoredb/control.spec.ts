import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorType, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RunningDouble } from '../running-double.js';
import { tempFolder } from '../temp-folder.js';
import { onlyOnTheDouble } from './server-under-test.js';

/** What tests of whole services ask of a double in a process of its own. */
onlyOnTheDouble('the control of a double', () => {
  let folder: ReturnType<typeof tempFolder>;
  let double: RunningDouble;
  let client: EventStoreDBClient;
  const file = (name = 'events'): string => join(folder.path, name);
  const append = (stream: string, expectedRevision: typeof NO_STREAM | bigint, count = 1): Promise<unknown> =>
    client.appendToStream(
      stream,
      Array.from({ length: count }, () => jsonEvent({ type: 'happened', data: {} })),
      { expectedRevision },
    );
  const revisionsOf = async (stream: string): Promise<number[]> => {
    const revisions: number[] = [];
    for await (const { event } of client.readStream(stream)) revisions.push(Number(event?.revision));
    return revisions;
  };
  /** Tries again, as a caller does after a broken connection. */
  const again = async <T>(call: () => Promise<T>): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        if ((error as { code?: number }).code === undefined || tries > 5_000) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };

  beforeEach(async () => {
    folder = tempFolder();
    double = await RunningDouble.start(`--file=${file()}`);
    client = EventStoreDBClient.connectionString(double.url);
  });
  afterEach(async () => {
    await client.dispose();
    await double.kill();
    folder.remove();
  });

  it('deletes, ends and shortens streams, and keeps all of it after a kill', async () => {
    for (const stream of ['deal-1', 'deal-2', 'deal-3', 'deal-4']) await append(stream, NO_STREAM, 3);
    await double.control.softDelete('deal-1');
    await double.control.tombstone('deal-2');
    await double.control.setMetadata('deal-3', { $maxCount: 1 });
    await double.control.setMetadata('deal-4', { $tb: 1 });
    await double.control.append('deal-4', [{ type: 'Heartbeat', data: null }]);
    const seen = async (): Promise<void> => {
      await expect(revisionsOf('deal-1')).rejects.toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
      await expect(revisionsOf('deal-2')).rejects.toMatchObject({ type: ErrorType.STREAM_DELETED });
      expect(await revisionsOf('deal-3')).toEqual([2]);
      expect(await revisionsOf('deal-4')).toEqual([1, 2, 3]);
    };
    await seen();
    await double.control.scavenge();
    await seen();
    const [events, end] = [await double.control.events(), await double.control.end()];
    await double.kill();
    double = await RunningDouble.start(`--file=${file()}`);
    await client.dispose();
    client = EventStoreDBClient.connectionString(double.url);
    await seen();
    expect(await double.control.events()).toEqual(events);
    expect(await double.control.end()).toBe(end);
    await expect(double.control.softDelete('deal-9')).rejects.toThrow('deal-9 cannot be deleted');
  });

  it('restores an older copy under its callers, whose connections break', async () => {
    await append('deal-1', NO_STREAM, 2);
    const older = await double.control.end();
    await append('deal-1', 1n, 3);
    const subscription = client.subscribeToAll();
    const dropped = new Promise((resolve) => subscription.on('error', resolve));
    subscription.resume();
    await double.control.restore(older);
    expect(await dropped).toMatchObject({ code: expect.any(Number) as unknown });
    expect(await again(() => revisionsOf('deal-1'))).toEqual([0, 1]);
    expect(await double.control.end()).toBe(older);
    await again(() => append('deal-1', 1n));
    await double.kill();
    double = await RunningDouble.start(`--file=${file()}`);
    expect((await double.control.events('deal-1')).map(({ revision }) => revision)).toEqual([0, 1, 2]);
  });

  it("cuts an older copy inside an append, empties it, or gives it another server's file, while it is stopped", async () => {
    await append('deal-1', NO_STREAM, 3);
    const [first] = await double.control.events('deal-1');
    copyFileSync(file(), file('copy'));
    await double.control.stop();
    await expect(revisionsOf('deal-1')).rejects.toMatchObject({ code: 14 });
    await double.control.truncateTo(Number(first?.position) + 1);
    expect(await double.control.events('deal-1')).toEqual([]);
    await double.control.replaceBy(file('copy'));
    const [, second] = await double.control.events('deal-1');
    await double.control.truncateTo(Number(second?.position));
    await double.control.start();
    expect(await again(() => revisionsOf('deal-1'))).toEqual([0]);
    await double.control.restore(0);
    await expect(again(() => revisionsOf('deal-1'))).rejects.toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
  });

  it("changes the double's faults while it runs", async () => {
    await double.control.set({ lose: 'reset', loseEvery: 1 });
    await expect(append('deal-1', NO_STREAM)).rejects.toMatchObject({ code: 14 });
    await double.control.set({ loseEvery: 1_000, foreign: 500 });
    expect(await again(() => revisionsOf('deal-1'))).toEqual([0]);
    while ((await double.control.events('heartbeats')).length === 0) continue;
    expect(await double.control.appended()).toBe(1);
  });
});
