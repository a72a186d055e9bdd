import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Append } from '#eventsourcing/ports';
import { copyOf, eventsOf, openLogOf } from '../support/data-folder.js';
import {
  discardLeftovers,
  newDataDir,
  RunningService,
  type Answer,
  type TestPartner,
} from '../support/running-service.js';

describe('D1: an event that this build cannot read', () => {
  let acme: TestPartner;
  /** A whole shop, of which each case has its own copy. */
  const whole = newDataDir();

  beforeAll(async () => {
    const service = await RunningService.start({ dataDir: whole });
    acme = await service.newPartner('acme');
    for (const deal of ['broken', 'sound']) await service.newDeal(deal, { stock: 2 });
    const held = await reserve(service, 'broken');
    expect(held.status).toBe(200);
    await service.look('/deals/sound', acme.key);
    await service.stop();
  });
  afterAll(discardLeftovers);

  const reserve = (service: RunningService, deal_id: string): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', { key: acme.key, body: { deal_id, num_bought: 1 } });

  /** Writes an event behind the last one of a stream, as a faulty program could. */
  async function plant(dataDir: string, stream: string, type: string, change: (data: object) => object): Promise<void> {
    const last = (await eventsOf(dataDir)).findLast((event) => event.stream === stream);
    if (last === undefined) throw new Error(`${stream} has no event`);
    const id = last.id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const { metadata, data, revision } = last;
    const event = {
      id,
      type: type === '' ? last.type : type,
      metadata,
      data: change(data),
    } as Append['events'][number];
    const log = await openLogOf(dataDir);
    const [written] = await log.append([{ stream, expected: revision, events: [event] }]);
    expect(written?.kind).toBe('written');
    await log.close();
  }

  it.each<readonly [string, string, (data: object) => object, RegExp]>([
    [
      'without a counter',
      '',
      ({ held: _, ...data }: { held?: number }) => data,
      /^inventory-broken@\d+ \(hold-placed.v1\) is broken: its held is not an integer/,
    ],
    [
      'of a type that only a newer build knows',
      'hold-moved.v1',
      (data) => data,
      /^inventory-broken@\d+ has the type hold-moved.v1, which this build does not know/,
    ],
  ])('%s decides nothing: calls on its stream are 503 and name it, and others sell', async (_, type, change, words) => {
    const dataDir = copyOf(whole);
    await plant(dataDir, 'inventory-broken', type, change);
    const service = await RunningService.start({ dataDir, unready: true });
    await service.prints('listens at');
    for (let tries = 0; tries < 3; tries += 1) {
      const { status, body } = await reserve(service, 'broken');
      expect([status, body.error_type]).toEqual([503, 'unavailable']);
      expect(body.error_msg).toMatch(words);
    }
    expect((await reserve(service, 'sound')).status).toBe(200);
    // The views stop at it, and say so to operators.
    let error: string | null = null;
    while (error === null) {
      const { body } = await service.health();
      error = body.views.find(({ view }: { view: string }) => view === 'deal-listing')?.error ?? null;
    }
    expect(error).toMatch(/inventory-broken@\d+/);
    expect((await eventsOf(dataDir)).filter(({ stream }) => stream === 'inventory-sound').length).toBeGreaterThan(0);
    await service.discard();
  });
});
