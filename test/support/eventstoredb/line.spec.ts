import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWithoutTls, onlyOnTheDouble } from './server-under-test.js';
import { Line } from './line.js';
import { EventStoreDbDouble } from './server.js';

/** Here the caller at the end of the line has a client of its own, as it would have in a process of its own. */
describeWithoutTls('a line to EventStoreDB', (server) => {
  let line: Line;
  let caller: EventStoreDBClient;
  const [first, second] = [randomUUID(), randomUUID()];
  const append = (stream: string, id: string): Promise<unknown> =>
    caller.appendToStream(stream, jsonEvent({ id, type: 'happened', data: {} }), { expectedRevision: NO_STREAM });

  beforeEach(async () => {
    const { hostname, port } = new URL(server.url);
    line = await Line.to({ host: hostname, port: Number(port) });
    caller = EventStoreDBClient.connectionString(line.url);
    await append(server.newStream(), first);
  });
  afterEach(async () => {
    await caller.dispose();
    line.cut();
  });

  /** Waits until the server has a stream. */
  const untilWritten = async (stream: string): Promise<void> => {
    while ((await server.idsOf(stream).catch(() => [])).length === 0) await pause(20);
  };

  it.each([
    ['requests', 'the append comes late, after another caller’s'],
    ['both', 'the same'],
  ] as const)('that is stalled delays %s: %s', async (way, _) => {
    const stream = server.newStream();
    line.stall(way);
    const late = append(stream, first).catch((error: unknown) => error);
    await pause(100);
    await server.append(stream, NO_STREAM, [second]);
    line.release();
    expect(await late).toMatchObject({ type: 'wrong-expected-version', actualVersion: 0n });
    expect(await server.idsOf(stream)).toEqual([second]);
  });

  it('that is stalled on the way back delays answers, not appends', async () => {
    const stream = server.newStream();
    line.stall('answers');
    let answered = false;
    const late = append(stream, first).then(() => (answered = true));
    await untilWritten(stream);
    await pause(100);
    expect([answered, await server.idsOf(stream)]).toEqual([false, [first]]);
    line.release();
    expect(await late).toBe(true);
  });

  it('that is released returns the old success for a late append whose ids another caller wrote, with other data', async () => {
    const stream = server.newStream();
    line.stall('requests');
    const late = append(stream, first);
    await pause(100);
    const { position } = await server.append(stream, NO_STREAM, [first], { other: 'data' });
    line.release();
    expect(await late).toMatchObject({ success: true, nextExpectedRevision: 0n, position });
  });

  it('that is cut breaks calls under way, and lets nothing through until it is mended', async () => {
    const stream = server.newStream();
    line.stall('answers');
    const lost = append(stream, first).catch((error: unknown) => error);
    await untilWritten(stream);
    line.cut();
    expect(await lost).toMatchObject({ code: 14 });
    await expect(append(stream, second)).rejects.toMatchObject({ code: 14 });
    line.release();
    await line.mend();
    expect(await server.idsOf(stream)).toEqual([first]);
    const again = append(stream, first);
    expect(await again).toMatchObject({ success: true, nextExpectedRevision: 0n });
  });
});

onlyOnTheDouble('an append that comes after its deadline', () => {
  it('is ignored', async () => {
    const double = await EventStoreDbDouble.start();
    const client = EventStoreDBClient.connectionString(await double.control.line('a'));
    const append = (deadline: number): Promise<unknown> =>
      client.appendToStream('deal-1', jsonEvent({ type: 'happened', data: {} }), { deadline });
    await append(60_000);
    await double.control.stall('a');
    const late = append(50).catch((error: unknown) => error);
    await pause(200);
    await double.control.release('a');
    expect(await late).toMatchObject({ type: 'deadline-exceeded' });
    expect(await double.control.events('deal-1')).toHaveLength(1);
    await client.dispose();
    await double.control.close();
    double.close();
  });
});
