import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Followers } from '#kernel';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { issueCoupons } from '../coupon/issue-coupons.js';
import { purchase, type PurchaseCommand } from '../purchase/purchase.decider.js';
import { purchaseFollowers } from '../followers.js';
import type { PurchaseCharged } from '../purchase/purchase.events.js';
import { GatewayOutcomeUnknown } from '../ports/payment-gateway.js';

const SAID = { by: { last4: '4242', gateway: 'told', reference: 'c-1' }, lost_since: 0 };
const CHARGED: PurchaseCommand = { type: 'charged', ...SAID };
const DECLINED: PurchaseCommand = { type: 'declined', reason: 'no funds', number_hash: '4242', ...SAID };

/** Followers that write the coupons but nothing to the inventory. */
const COUPONS_ONLY: Followers = {
  category: purchaseFollowers.category,
  on: {
    'purchase-charged.v1': (event) => {
      const { data, metadata } = event as { data: PurchaseCharged; metadata: { time: number } };
      return issueCoupons(data, metadata.time);
    },
  },
};

describe('D6, D7: a charge whose outcome is in the log, but not all of its followers', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(10);
  });
  afterEach(() => shop.close());

  const types = async (): Promise<readonly string[]> =>
    (await shop.stored('inventory', shop.deal)).map(({ type }) => type).filter((type) => type.startsWith('checkout-'));

  /** A pending purchase of two units, whose outcome another process writes; then that process gets no further. */
  async function cutOff(outcome: PurchaseCommand, followers: readonly Followers[]) {
    const context = shop.context();
    shop.gateway.onCharge = async () => {
      throw new GatewayOutcomeUnknown('no answer');
    };
    const pending = await shop.buy(2, { context });
    const approved = outcome.type === 'charged';
    shop.gateway.onCharge = async () =>
      approved ? { kind: 'approved', reference: 'c-1' } : { kind: 'declined', reason: 'no funds', reference: 'c-1' };
    const other = shop.otherLoop(followers);
    await other.execute(purchase, pending.id, outcome, shop.context());
    await other.close();
    expect(await types()).toEqual(['checkout-started.v1']);
    return { id: pending.id, context };
  }

  it.each([
    ['charged', CHARGED, [COUPONS_ONLY], 'checkout-sold.v1'],
    ['charged, with no coupons yet', CHARGED, [], 'checkout-sold.v1'],
    ['declined', DECLINED, [], 'checkout-undone.v1'],
  ])('%s: does not stop its user’s next purchase as still processing', async (_, outcome, reached, closed) => {
    const { id } = await cutOff(outcome, reached);
    shop.gateway.onCharge = async () => ({ kind: 'approved', reference: 'c-2' });
    const next = await shop.buy(1);
    expect(next).toMatchObject({ payment_state: 'charged' });
    expect(await types()).toEqual(['checkout-started.v1', closed, 'checkout-started.v1', 'checkout-sold.v1']);
    const [, ended] = (await shop.stored('inventory', shop.deal)).filter(({ type }) => type.startsWith('checkout-'));
    // The work list would have written the same.
    expect(ended).toMatchObject({ data: { purchase_id: id }, metadata: { causation: `purchase-${id}@2` } });
  });

  it.each([
    ['charged', CHARGED, [COUPONS_ONLY], 'checkout-sold.v1'],
    ['charged, with no coupons yet', CHARGED, [], 'checkout-sold.v1'],
    ['declined', DECLINED, [], 'checkout-undone.v1'],
  ])('%s: a repeat of its call answers only after all followers are written', async (_, outcome, reached, closed) => {
    const { context } = await cutOff(outcome, reached);
    const repeated = shop.buy(2, { context: { ...context, resumed: true } });
    if (outcome.type === 'charged') expect((await repeated).coupons).toHaveLength(2);
    else await expect(repeated).rejects.toMatchObject({ code: 'declined', position: expect.any(BigInt) });
    expect(await types()).toEqual(['checkout-started.v1', closed]);
  });

  it('a purchase with an unknown outcome is still processing', async () => {
    shop.gateway.onCharge = async () => {
      throw new GatewayOutcomeUnknown('no answer');
    };
    const first = await shop.buy(2);
    await expect(shop.buy(1)).rejects.toMatchObject({
      code: 'already_charging',
      details: { purchase_id: first.id },
    });
  });
});
