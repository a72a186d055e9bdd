import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsOf, rowsOfView } from '../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService, type Answer } from '../support/running-service.js';
import { expectSoundLog } from '../support/sound-log.js';

const STOCK = 2;
const SECOND = 1_000;
/** How long a hold lasts (interface 8). */
const HOLD = 300 * SECOND;
/** The service's clock runs on: on a machine that stands still for a second, a try proves nothing. */
const TRIES = 30;

describe('with timers switched off', () => {
  const dataDir = newDataDir();
  const start = (): Promise<RunningService> => RunningService.start({ dataDir, env: { TIMERS: 'false' } });
  let service: RunningService;
  let key: string;
  let userId: string;

  beforeAll(async () => {
    service = await start();
    ({ key } = await service.newPartner('acme'));
    userId = await service.newUser(key, 'ann@example.org');
  });
  afterAll(discardLeftovers);

  const reserve = (deal: string): Promise<Answer> =>
    service.ask('POST', '/purchases/reserve', { key, body: { deal_id: deal, num_bought: STOCK } });
  const claim = (id: string): Promise<Answer> =>
    service.ask('PUT', `/purchases/${id}/claim`, { key, body: { user_id: userId } });
  const moveTo = (instant: number): Promise<unknown> =>
    service.operate('PUT', '/clock', { now: new Date(instant).toISOString() });
  const presentTime = async (): Promise<number> => Date.parse((await service.operate('GET', '/clock')).now);
  const refused = { status: 422, body: { error_type: 'cannot_fufill' } };

  /** Creates a deal whose units are all held. @returns the hold and its deadline */
  async function heldDeal(deal: string): Promise<{ id: string; deadline: number }> {
    await service.newDeal(deal, { stock: STOCK, max_per_user: STOCK });
    const held = await reserve(deal);
    expect(held.status).toBe(200);
    const id: string = held.body.purchase.id;
    // The projector has seen it as soon as its writer can read it.
    await service.ask('GET', `/purchases/${id}`, { key });
    for (;;) {
      const row = (await rowsOfView(dataDir, 'hold-expiry'))?.find((each) => each.key === id);
      if (row !== undefined) return { id, deadline: (row.row as { due_at: number }).due_at };
    }
  }

  it("D1 3.2: an unclaimed hold's units can be sold again at 300 s, and not at 299 s", async () => {
    for (let tries = 1; ; tries += 1) {
      const deal = `hold-${tries}`;
      const before = await presentTime();
      const { id, deadline } = await heldDeal(deal);
      expect(deadline).toBeGreaterThanOrEqual(before + HOLD);
      expect(deadline).toBeLessThanOrEqual((await presentTime()) + HOLD);
      await moveTo(deadline - SECOND);
      const early = await reserve(deal);
      if ((await presentTime()) >= deadline && tries < TRIES) continue;
      expect(early).toMatchObject(refused);
      expect((await service.ask('GET', `/purchases/${id}`, { key })).body.purchase.fulfillment_state).toBe('reserved');

      await moveTo(deadline);
      expect((await service.ask('GET', `/deals/${deal}`, { key })).body.deal.num_left).toBe(STOCK);
      expect((await service.ask('GET', `/purchases/${id}`, { key })).body.purchase.fulfillment_state).toBe('released');
      expect((await reserve(deal)).status).toBe(200);
      return;
    }
  });

  it('D1: the same is true after a restart', async () => {
    const { deadline } = await heldDeal('restarted');
    await service.kill();
    service = await start();
    expect(await reserve('restarted')).toMatchObject(refused);
    await moveTo(deadline);
    expect((await reserve('restarted')).status).toBe(200);
  });

  it('D3: a claim after the deadline takes fresh units, if the deal has them', async () => {
    const { id, deadline } = await heldDeal('late');
    await moveTo(deadline);
    const claimed = await claim(id);
    expect(claimed).toMatchObject({ status: 200, body: { purchase: { id, fulfillment_state: 'fulfilled' } } });
    expect(claimed.body.purchase.coupons).toHaveLength(STOCK);
  });

  it('D3: a claim after the deadline is refused while another hold has the units, and succeeds when they are back', async () => {
    const { id, deadline } = await heldDeal('contested');
    await moveTo(deadline);
    const other = await reserve('contested');
    expect(other.status).toBe(200);
    expect(await claim(id)).toMatchObject(refused);
    await service.ask('PUT', `/purchases/${other.body.purchase.id}/release`, { key });
    expect(await claim(id)).toMatchObject({ status: 200, body: { purchase: { id, fulfillment_state: 'fulfilled' } } });
    expect(await claim(other.body.purchase.id)).toMatchObject(refused);
  });

  it('D1: held + sold ≤ stock at every position of the log', async () => {
    await service.stop();
    expectSoundLog(await eventsOf(dataDir));
  });
});
