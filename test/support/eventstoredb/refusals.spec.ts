import { randomUUID } from 'node:crypto';
import { ErrorType, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ServerConnection } from '#adapters/eventstoredb';
import { ClusterDouble } from './cluster.js';
import type { DoubleOptions } from './options.js';
import { EventStoreDbDouble } from './server.js';
import { onlyOnTheDouble } from './server-under-test.js';

/** What real servers answered to appends that they do not carry out, and by which clock they judge time limits. */
onlyOnTheDouble('a double that refuses appends', () => {
  let double: EventStoreDbDouble;
  let client: EventStoreDBClient;
  let ours: ServerConnection;
  beforeEach(async () => {
    double = await EventStoreDbDouble.start({ step: 100 });
    client = EventStoreDBClient.connectionString(double.url);
    ours = new ServerConnection(double.url);
  });
  afterEach(async () => {
    await ours.close();
    await client.dispose();
    double.close();
  });

  const set = (options: DoubleOptions): void => {
    double.options = { step: 100, ...options };
  };
  /** By the official client, whose time limits are instants. */
  const append = (stream: string, data: Record<string, string> = {}): Promise<unknown> =>
    client.appendToStream(stream, jsonEvent({ type: 'happened', data }), { expectedRevision: NO_STREAM });
  const appendOurs = (stream: string): Promise<unknown> =>
    ours.append(stream, -1, [{ id: randomUUID(), type: 'happened', data: {} }]);

  it('judges instants by its own clock: one that is ahead finds every append late, and writes nothing', async () => {
    set({ clock: 20_000 });
    await expect(append('deal-1')).rejects.toMatchObject({ type: ErrorType.DEADLINE_EXCEEDED });
    expect(await double.control.events('deal-1')).toEqual([]);
  });

  it('waits for durations whatever its clock shows, and stamps events by it', async () => {
    set({ clock: 3_600_000 });
    const before = Date.now();
    await appendOurs('deal-1');
    const [event] = (await ours.readStream('deal-1', 0, 1)) ?? [];
    expect(event?.created).toBeGreaterThanOrEqual(before + 3_600_000);
  });

  it('has a clock of its own at each node of a cluster', async () => {
    const cluster = await ClusterDouble.start({ election: [10, 20], step: 100 });
    await cluster.control.setClock((await cluster.control.leader()) ?? 0, 20_000);
    await cluster.control.set({ latency: 1 });
    const both = EventStoreDBClient.connectionString(cluster.url);
    const event = jsonEvent({ type: 'happened', data: {} });
    await expect(both.appendToStream('deal-1', event, { expectedRevision: NO_STREAM })).rejects.toMatchObject({
      type: ErrorType.DEADLINE_EXCEEDED,
    });
    await both.dispose();
    cluster.close();
  });

  it('denies its user streams by name, and no others', async () => {
    set({ deniesStreams: 'deal-' });
    await expect(append('deal-1')).rejects.toMatchObject({ type: ErrorType.ACCESS_DENIED });
    await append('purchase-1');
  });

  it.each<[string, DoubleOptions]>([
    ['of EventStoreDB: its data', { maxAppendSize: 100 }],
    ['of KurrentDB: data and type', { version: '26.1', maxAppendSize: 100 }],
  ])('bounds an append (%s)', async (_, options) => {
    set(options);
    await expect(append('deal-1', { filling: 'x'.repeat(100) })).rejects.toMatchObject({
      type: ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
      maxAppendSize: 100,
    });
    await append('deal-1', { filling: 'x'.repeat(30) });
  });

  it('bounds an event of KurrentDB, with a message that the client does not know', async () => {
    set({ version: '26.1', maxAppendEventSize: 100 });
    await expect(append('deal-1', { filling: 'x'.repeat(100) })).rejects.toMatchObject({
      type: ErrorType.UNKNOWN,
      message: 'Could not recognize MaximumAppendEventSizeExceeded',
    });
    expect(await double.control.events('deal-1')).toEqual([]);
  });

  it.each(['strangeAbout', 'tooBusyFor'] as const)(
    'answers with a name that the client does not know (%s)',
    async (kind) => {
      set({ [kind]: 'deal-' });
      await expect(append('deal-1')).rejects.toMatchObject({ type: ErrorType.UNKNOWN });
    },
  );
});
