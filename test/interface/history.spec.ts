import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itOnEmbedded } from '../support/on-embedded.js';
import { buy, claim, reserve } from '../support/buying.js';
import { unableToFind } from '../support/refusals.js';
import { RunningService, type Json, type TestPartner } from '../support/running-service.js';

describe('the history of a purchase', () => {
  let service: RunningService;
  let acme: TestPartner;
  let ann: string;

  beforeAll(async () => {
    service = await RunningService.start();
    acme = await service.newPartner('acme');
    ann = await service.newUser(acme.key, 'ann@example.com');
  });
  afterAll(() => service.discard());

  const history = async (id: string): Promise<Json> =>
    (await service.ask('GET', `/auditors/purchases/${id}/history`, { token: service.auditorToken })).body;
  /** Type, payment and fulfilment, coupons' states, and held and sold after each event. */
  const summaryOf = ({ events }: Json): unknown[] =>
    events.map(({ type, state }: Json) => [
      type,
      `${state.payment_state}/${state.fulfillment_state}`,
      state.coupons.map((coupon: Json) => coupon.state).join(),
      state.stock === null ? '' : `${state.stock.held}+${state.stock.sold}/${state.stock.stock}`,
    ]);

  // Where followers are appended one by one, a lost answer changes their order: here and below.
  itOnEmbedded(
    'G7: shows every event of hold, sale, purchase, coupons and redemption, in the order of the log, with the state after each',
    async () => {
      await service.newDeal('lunch', { stock: 10 });
      await buy(service, acme.key, 'lunch', ann, 3);
      const { id } = await reserve(service, acme.key, 'lunch', 2);
      const { coupons } = await claim(service, acme.key, id, ann);
      await service.ask('PUT', `/coupons/${coupons[1].id}/redeem`, { key: acme.key });
      const found = await history(id);
      expect(Object.keys(found)).toEqual(['status', 'purchase_id', 'deals', 'events']);
      expect(found.purchase_id).toBe(id);
      expect(summaryOf(found)).toEqual([
        ['hold-placed.v1', 'null/null', '', '2+3/10'],
        ['reservation-placed.v1', 'pending/reserved', '', '2+3/10'],
        ['hold-claimed.v1', 'pending/reserved', '', '0+5/10'],
        ['reservation-claimed.v1', 'pending/reserved', '', '0+5/10'],
        ['purchase-recorded.v1', 'charged/fulfilled', '', '0+5/10'],
        ['coupon-issued.v1', 'charged/fulfilled', 'valid', '0+5/10'],
        ['coupon-issued.v1', 'charged/fulfilled', 'valid,valid', '0+5/10'],
        ['coupon-redeemed.v1', 'charged/fulfilled', 'valid,redeemed', '0+5/10'],
      ]);
      const positions = found.events.map(({ position }: Json) => BigInt(position));
      expect(positions).toEqual(positions.toSorted((a: bigint, b: bigint) => (a < b ? -1 : 1)));
      for (const event of found.events) {
        expect(Object.keys(event)).toEqual(
          'position stream revision type words time actor cause command_id correlation data state'.split(' '),
        );
        expect(event.actor).toBe(`partner:acme/key:${acme.keyId}`);
        expect(new Date(event.time).toISOString()).toBe(event.time);
      }
      expect(found.events.at(-1).words).toMatch(new RegExp(`^coupon ${coupons[1].id} was redeemed at .*Z$`));
      const decisions = found.events.filter(({ type }: Json) => /^(hold-|coupon-redeemed)/.test(type));
      expect(decisions.map(({ cause }: Json) => cause)).toEqual([null, null, null]);
      const [placed, , claimed] = found.events;
      const causes = found.events.filter(({ cause }: Json) => cause !== null).map(({ cause }: Json) => cause);
      const named = (event: Json): string => `${event.stream}@${event.revision}`;
      expect(causes).toEqual([named(placed), ...Array.from({ length: 4 }, () => named(claimed))]);
      expect([placed.stream, claimed.data.user_id, claimed.state.user_id]).toEqual(['inventory-lunch', ann, null]);
      expect(found.events.at(-1).state.user_id).toBe(ann);
    },
  );

  itOnEmbedded('G7, D4: shows a release, and the fresh units of a later claim', async () => {
    await service.newDeal('again', { stock: 5 });
    const { id } = await reserve(service, acme.key, 'again', 1);
    await service.ask('PUT', `/purchases/${id}/release`, { key: acme.key });
    await service.ask('PUT', `/purchases/${id}/release`, { key: acme.key });
    await claim(service, acme.key, id, ann);
    expect(summaryOf(await history(id))).toEqual([
      ['hold-placed.v1', 'null/null', '', '1+0/5'],
      ['reservation-placed.v1', 'pending/reserved', '', '1+0/5'],
      ['hold-released.v1', 'pending/reserved', '', '0+0/5'],
      ['reservation-released.v1', 'pending/released', '', '0+0/5'],
      ['units-sold.v1', 'pending/released', '', '0+1/5'],
      ['reservation-claimed.v1', 'pending/released', '', '0+1/5'],
      ['purchase-recorded.v1', 'charged/fulfilled', '', '0+1/5'],
      ['coupon-issued.v1', 'charged/fulfilled', 'valid', '0+1/5'],
    ]);
  });

  it('G7, D1: shows that a hold expired and that the reservation followed, whoever needed its units first', async () => {
    await service.newDeal('late', { stock: 5 });
    const { id } = await reserve(service, acme.key, 'late', 4);
    await service.forward(301);
    await reserve(service, acme.key, 'late', 5);
    const found = await history(id);
    expect(summaryOf(found)).toEqual([
      ['hold-placed.v1', 'null/null', '', '4+0/5'],
      ['reservation-placed.v1', 'pending/reserved', '', '4+0/5'],
      ['hold-expired.v1', 'pending/reserved', '', '0+0/5'],
      ['reservation-expired.v1', 'pending/released', '', '0+0/5'],
    ]);
    const [, , expired, noted] = found.events;
    expect([`partner:acme/key:${acme.keyId}`, 'system:hold-expiry']).toContain(expired.actor);
    expect([noted.actor, noted.cause]).toEqual([expired.actor, `${expired.stream}@${expired.revision}`]);
  });

  it('G7: names the key that a partner used, as the list of its keys names it', async () => {
    await service.newDeal('keys');
    const second = await service.operate('POST', `/partners/${acme.id}/keys`);
    const { id } = await reserve(service, acme.key, 'keys');
    await service.ask('PUT', `/purchases/${id}/release`, { key: second.api_key });
    expect((await history(id)).events.map(({ actor }: Json) => actor)).toEqual([
      ...Array.from({ length: 2 }, () => `partner:acme/key:${acme.keyId}`),
      ...Array.from({ length: 2 }, () => `partner:acme/key:${second.key_id}`),
    ]);
  });

  it('G7: has nothing of a refusal, and is 404 for an unknown purchase', async () => {
    await service.newDeal('quiet');
    const { id } = await reserve(service, acme.key, 'quiet');
    await service.ask('PUT', `/purchases/${id}/claim`, { key: acme.key, body: { user_id: 'nobody' } });
    expect((await history(id)).events).toHaveLength(2);
    for (const unknown of ['nothing', 'constructor', '%00']) {
      const answer = await service.ask('GET', `/auditors/purchases/${unknown}/history`, {
        token: service.auditorToken,
      });
      expect([answer.status, answer.text]).toEqual([404, unableToFind('no purchase has this id')]);
    }
  });
});

describe('the history without timers', () => {
  it("G7, D1: records the expiries that a buyer finds just before the buyer's own hold, oldest first", async () => {
    const service = await RunningService.start({ env: { TIMERS: 'false' } });
    try {
      const acme = await service.newPartner('acme');
      await service.newDeal('late', { stock: 5 });
      const first = await reserve(service, acme.key, 'late', 2);
      const second = await reserve(service, acme.key, 'late', 3);
      await service.forward(301);
      const third = await reserve(service, acme.key, 'late', 4);
      const events = async (id: string): Promise<Json[]> =>
        (await service.ask('GET', `/auditors/purchases/${id}/history`, { token: service.auditorToken })).body.events;
      const expired = await Promise.all(
        [first, second].map(async ({ id }) => (await events(id)).find(({ type }) => type === 'hold-expired.v1')),
      );
      const [placed] = await events(third.id);
      const revisions = [...expired, placed].map(({ revision }: Json) => revision);
      expect(revisions).toEqual([placed.revision - 2, placed.revision - 1, placed.revision]);
      expect(new Set([...expired, placed].map(({ command_id }: Json) => command_id)).size).toBe(1);
      expect(placed.state.stock).toMatchObject({ held: 4, sold: 0, stock: 5 });
    } finally {
      await service.discard();
    }
  });
});
