import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeAlone } from '../support/alone.js';
import { RunningDouble } from '../support/running-double.js';
import { discardLeftovers, RunningService, type Answer } from '../support/running-service.js';

/** In milliseconds: a refusal of the server is answered at once, and not at the end of a call's time. */
const AT_ONCE = 2_500;
const MIB = 1_048_576;

describeAlone('A8: on a server that refuses appends', () => {
  let double: RunningDouble;
  let service: RunningService;
  let key: string;
  let user: string;

  beforeAll(async () => {
    double = await RunningDouble.start('--port=0');
    service = await RunningService.start({ env: { EVENTSTORE_URL: double.url } });
    ({ key } = await service.newPartner('acme'));
    await service.newDeal('spa', { stock: 5_000 });
    await service.newDeal('tram', { stock: 10 });
    user = await service.newUser(key, 'ann@example.org');
  });
  beforeEach(async () => {
    await double.control.set({ deniesStreams: '\0', maxAppendSize: MIB, maxAppendEventSize: MIB, version: '23.10' });
    while ((await service.health()).status !== 200) await pause(100);
  });
  afterAll(async () => {
    await service.kill();
    await double.kill();
    await discardLeftovers();
  });

  const reserve = (deal: string, num_bought = 1): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', { key, body: { deal_id: deal, num_bought } });
  const claim = (id: string): Promise<Answer> =>
    service.ask('PUT', `/purchases/${id}/claim`, { key, body: { user_id: user } });
  const error = async (): Promise<string | null> => (await service.health()).body.log.error;

  it('a call that it does not allow is 503 at once, names stream and right, and others go on', async () => {
    await double.control.set({ deniesStreams: 'holdfast_inventory-spa' });
    const began = performance.now();
    const { status, body } = await reserve('spa');
    expect(performance.now() - began).toBeLessThan(AT_ONCE);
    expect([status, body.error_msg]).toEqual([
      503,
      expect.stringMatching(/write to the stream holdfast_inventory-spa: allow that/),
    ]);
    expect((await reserve('tram')).status).toBe(200);
  });

  it('health names it until it is allowed, and does not flip meanwhile', async () => {
    await double.control.set({ deniesStreams: 'holdfast_inventory-spa' });
    await reserve('spa');
    for (let times = 0; times < 30; times += 1) {
      expect(await error()).toMatch(/write to the stream holdfast_inventory-spa/);
      if (times % 10 === 0) expect((await reserve('tram')).status).toBe(200);
      await pause(100);
    }
    await double.control.set({ deniesStreams: '\0' });
    while ((await error()) !== null) await pause(50);
    expect((await reserve('spa')).status).toBe(200);
  });

  it('a refused follower leaves its decision standing, and a repeat completes it', async () => {
    const { id } = (await reserve('spa', 2)).body.purchase;
    await double.control.set({ deniesStreams: 'holdfast_coupon-' });
    const refused = await claim(id);
    expect([refused.status, refused.body.error_msg]).toEqual([
      503,
      expect.stringMatching(/write to the stream holdfast_coupon-/),
    ]);
    await double.control.set({ deniesStreams: '\0' });
    expect((await claim(id)).body.purchase.coupons).toHaveLength(2);
  });

  it.each([
    ['append', { maxAppendSize: 65_536 }, /raise its MaxAppendSize to 1048576 bytes/],
    ['event', { version: '26.1', maxAppendEventSize: 65_536 }, /raise its MaxAppendEventSize to 1048576 bytes/],
  ] as const)('a claim of 1000 units that is too large an %s names the setting', async (_, options, words) => {
    const { id } = (await reserve('spa', 1_000)).body.purchase;
    await double.control.set(options);
    const { status, body } = await claim(id);
    expect([status, body.error_msg]).toEqual([503, expect.stringMatching(words)]);
    expect(await error()).toMatch(words);
    expect((await reserve('tram')).status).toBe(200);
  });

  it.each([
    ['EventStoreDB', { version: '23.10', maxAppendSize: MIB }],
    ['KurrentDB', { version: '26.1', maxAppendSize: MIB, maxAppendEventSize: MIB }],
  ] as const)('a claim of 1000 units fits the least size that is documented, as %s counts', async (_, options) => {
    await double.control.set(options);
    const { id } = (await reserve('spa', 1_000)).body.purchase;
    // A busy machine may not begin it in time.
    let { status, body } = await claim(id);
    while (status === 503 && !/MaxAppend/.test(body.error_msg)) ({ status, body } = await claim(id));
    expect(status === 200 ? body.purchase.coupons.length : body).toBe(1_000);
  });
});
