import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { AppendOutcomeUnknown, NO_STREAM } from '#eventsourcing';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { numbered } from '../../../test/support/numbered.js';

let double: EventStoreDbDouble;
let log: EventStoreDbLog;
let broken: number;

beforeEach(async () => {
  double = await EventStoreDbDouble.start();
  broken = 0;
  log = await EventStoreDbLog.open({ url: double.url, onBroken: () => (broken += 1) });
});

afterEach(async () => {
  await log.close();
  double.close();
});

/** What a check of the log does. */
async function check(): Promise<void> {
  const allow = await log.connect();
  allow();
}

async function untilBroken(): Promise<void> {
  while (broken === 0) await pause(10);
}

async function replaceServer(): Promise<void> {
  await double.control.stop();
  await double.control.start();
}

describe('the connection for appends', () => {
  it('is any one until the log is checked', async () => {
    await log.append([numbered('deal-1', NO_STREAM, 1)]);
    await replaceServer();
    const append = numbered('deal-1', 0, 2);
    // The first try may still use the connection that has just ended.
    const [written] = await log.append([append]).catch(() => log.append([append]));
    expect(written).toMatchObject({ kind: 'written' });
  });

  it('is reported when it breaks, although nobody waits for an answer and nobody follows the log', async () => {
    await check();
    await check();
    await replaceServer();
    await untilBroken();
    expect(broken).toBe(1);
  });

  it('carries no append if it is newer than the last check', async () => {
    await check();
    await log.append([numbered('deal-1', NO_STREAM, 1)]);
    const end = await double.control.end();
    await log.append([numbered('deal-1', 0, 2)]);
    await double.control.restore(end);
    const before = double.appends.count;
    const append = numbered('deal-1', 0, 3);
    // The server is there and would take it.
    await expect(log.append([append])).rejects.toThrow(AppendOutcomeUnknown);
    await expect(log.append([append])).rejects.toThrow(/the log behind it is checked first/);
    expect(double.appends.count).toBe(before);
    expect(await log.readStream('deal-1', 1, 1)).toEqual([]);
    await check();
    expect(await log.append([append])).toMatchObject([{ kind: 'written', revision: 1 }]);
  });

  it('is not allowed by a check that began with another one', async () => {
    const allow = await log.connect();
    await replaceServer();
    await untilBroken();
    await log.connect();
    allow();
    await expect(log.append([numbered('deal-1', NO_STREAM, 1)])).rejects.toThrow(/checked first/);
  });

  it('is not reported when the log is closed', async () => {
    await check();
    await log.close();
    expect(broken).toBe(0);
  });

  it('cannot be opened without a server', async () => {
    await check();
    double.close();
    await untilBroken();
    await expect(log.connect()).rejects.toMatchObject({ name: 'Unavailable' });
    double = await EventStoreDbDouble.start();
  });
});
