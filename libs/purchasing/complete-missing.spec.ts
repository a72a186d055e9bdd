import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Decider, EventBody, Followers } from '#kernel';
import { OneDeal, orderOf } from '../../test/support/resales.js';
import { claimOfHold } from '../../test/support/hold-number.js';
import { openShop, type Shop } from '../../test/support/shop.js';
import { barcodeOf, couponsFor } from './coupon/coupon-ids.js';
import { coupon } from './coupon/coupon.decider.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from './followers.js';
import { inventory, type InventoryCommand } from './inventory/inventory.decider.js';
import { GatewayOutcomeUnknown } from './ports/payment-gateway.js';
import { purchase } from './purchase/purchase.decider.js';
import type { PurchaseRow } from './purchase/purchase.row.js';
import { GiveBackCoupon, GiveBackCouponHandler } from './reseller/give-back.commands.js';
import { identify, resaleIdOf, type Identified } from './reseller/identify.js';
import { Resell, ResellHandler } from './reseller/resell.commands.js';

const BY = { by: { last4: '4242', gateway: 'told', reference: 'c-1' }, lost_since: 0 };
const ALL = [inventoryFollowers, purchaseFollowers, couponFollowers];

/** The followers, without those in streams of these categories. */
function allBut(...categories: readonly string[]): readonly Followers[] {
  return ALL.map(({ category, on }) => ({
    category,
    on: Object.fromEntries(
      Object.entries(on).map(([type, follow]) => [
        type,
        (event: never) => follow(event).filter(({ decider }) => !categories.includes(decider.category)),
      ]),
    ),
  }));
}

describe('a process decided and died before its followers wrote, and no worker runs', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(10);
  });
  afterEach(() => shop.close());

  /** The types of events whose followers were cut off. */
  const cut = new Set<string>();

  async function decide<C, S, E extends EventBody>(
    decider: Decider<C, S, E>,
    id: string,
    command: C,
    followers: readonly Followers[] = [],
    context = shop.context(),
  ): Promise<void> {
    const other = shop.otherLoop(followers);
    const { events } = await other.execute(decider, id, command, context);
    await other.close();
    expect(events).not.toEqual([]);
    for (const { type } of events) cut.add(type);
  }

  const types = async (category: string, id: string): Promise<readonly string[]> =>
    (await shop.stored(category, id)).map(({ type }) => type);

  /** The inventory's command to sell a reservation. */
  const claiming = (id: string, quantity: number): Promise<InventoryCommand> =>
    claimOfHold(shop, id, couponsFor(shop.engine.keyring, id, quantity));

  /** A purchase by card, with a charge without an outcome. */
  async function pending(quantity: number): Promise<string> {
    const charge = shop.gateway.onCharge;
    shop.gateway.onCharge = async () => {
      throw new GatewayOutcomeUnknown('no answer');
    };
    const bought = await shop.buy(quantity);
    shop.gateway.onCharge = charge;
    return bought.id;
  }

  async function boughtCoupon(): Promise<{ readonly id: string; readonly couponId: string }> {
    const bought = await shop.buy(1);
    return { id: bought.id, couponId: bought.coupons[0]?.coupon_id ?? '' };
  }

  it('D2: a repeat of a reserve writes the reservation', async () => {
    const context = shop.context();
    const id = shop.engine.keyring.deriveId(context.commandId, 0);
    const hold = {
      type: 'place-hold',
      looked: Infinity,
      reservation_id: id,
      partner_id: 'acme',
      quantity: 2,
      holder_id: null,
    } as const;
    await decide(inventory, shop.deal, hold, [], context);
    expect(await shop.reserve(2, { context: { ...context } })).toMatchObject({ id, quantity: 2 });
    const [placed] = await shop.stored('reservation', id);
    // The work list would have written the same.
    expect(placed?.metadata).toMatchObject({ causation: `inventory-${shop.deal}@2`, actor: context.actor });
    expect(await shop.release(id)).toMatchObject({ fulfillment_state: 'released' });
  });

  it.each([
    ['released', 'release', 'reservation-released.v1'],
    ['run out', 'expire-hold', 'reservation-expired.v1'],
  ] as const)('D4: a release of a hold that is %s already writes the reservation’s end', async (_, type, followed) => {
    const { id } = await shop.reserve(2);
    if (type === 'expire-hold') shop.engine.clock.follow(300_000);
    await decide(inventory, shop.deal, { type, reservation_id: id, number: 0 });
    expect(await shop.release(id)).toMatchObject({ fulfillment_state: 'released' });
    expect(await types('reservation', id)).toEqual(['reservation-placed.v1', followed]);
  });

  it.each([
    ['nothing', []],
    ['no coupon', allBut('coupon')],
    ['no purchase', allBut('purchase')],
    ['not the end of the reservation', allBut('reservation')],
  ])('D3: a repeat of a claim of which %s was written', async (_, followers) => {
    const { id } = await shop.reserve(2);
    await decide(inventory, shop.deal, await claiming(id, 2), followers);
    expect((await shop.claim(id)).coupons).toHaveLength(2);
    expect(await types('reservation', id)).toEqual(['reservation-placed.v1', 'reservation-claimed.v1']);
    expect(await types('purchase', id)).toEqual(['purchase-recorded.v1']);
  });

  it('D3: a repeat of a claim after the deadline', async () => {
    const { id } = await shop.reserve(2);
    shop.engine.clock.follow(300_000);
    await decide(inventory, shop.deal, await claiming(id, 2));
    expect((await shop.claim(id)).coupons).toHaveLength(2);
    expect(await types('reservation', id)).toContain('reservation-claimed.v1');
  });

  it('D7: a repeat of a purchase by card charges it', async () => {
    const context = shop.context();
    const id = shop.engine.keyring.deriveId(context.commandId, 1);
    await decide(
      inventory,
      shop.deal,
      {
        type: 'start-checkout',
        looked: Infinity,
        purchase_id: id,
        partner_id: 'acme',
        user_id: shop.ann,
        credit_card_id: shop.card,
        shipping_address_id: null,
        session_id: null,
        quantity: 2,
        expected_price: null,
        coupons: couponsFor(shop.engine.keyring, id, 2),
        takeover_after: 5_000,
      },
      [],
      context,
    );
    const bought = await shop.buy(2, { context: { ...context, resumed: true } });
    expect(bought).toMatchObject({ id, payment_state: 'charged' });
  });

  it('G5: a void of a purchase that is voided already', async () => {
    const id = await pending(2);
    await decide(purchase, id, { type: 'ask-void', reason: 'gone' });
    await decide(purchase, id, { type: 'voided', amount: 0, ...BY });
    expect(await shop.voidCharge(id)).toMatchObject({ fulfillment_state: 'cancelled' });
    expect(await types('inventory', shop.deal)).toContain('checkout-undone.v1');
  });

  it.each([
    ['declined', { type: 'declined', reason: 'no funds', number_hash: '4242', ...BY }, 'checkout-undone.v1'],
    ['charged', { type: 'charged', ...BY }, 'checkout-sold.v1'],
  ] as const)('G5: a void that is refused because the purchase is %s', async (_, outcome, closed) => {
    const id = await pending(2);
    await decide(purchase, id, outcome);
    await expect(shop.voidCharge(id)).rejects.toMatchObject({ code: 'purchase_not_open' });
    expect(await types('inventory', shop.deal)).toContain(closed);
  });

  it('D14: a cancellation of a coupon that is cancelled already returns unit and money', async () => {
    const { id, couponId } = await boughtCoupon();
    await decide(coupon, couponId, { type: 'cancel', reason: 'lost' });
    expect(await shop.cancel(couponId)).toMatchObject({ state: 'cancelled' });
    expect(await types('inventory', shop.deal)).toContain('unit-returned.v1');
    expect((await types('purchase', id)).slice(-2)).toEqual([
      'purchase-coupon-cancelled.v1',
      'purchase-money-returned.v1',
    ]);
    expect(shop.gateway.calls).toContain(`refund ${couponId} 1999`);
  });

  /** A resale of two units, decided by another process, which wrote none of the followers. */
  async function resold(order = orderOf(shop.deal)): Promise<Identified> {
    const sale = order.sent && identify(shop.engine.keyring, 'acme', order.sent);
    if (sale === undefined) throw new Error('the order has content');
    const resale_id = resaleIdOf(shop.engine.keyring, sale, 0);
    const coupons = couponsFor(shop.engine.keyring, sale.purchaseId, 2);
    const held = {
      type: 'start-resale',
      looked: Infinity,
      resale_id,
      purchase_id: sale.purchaseId,
      partner_id: 'acme',
    } as const;
    await decide(inventory, shop.deal, { ...held, quantity: 2, coupons, takeover_after: 1_000 });
    return sale;
  }

  /** The same, recorded under its reference. */
  async function recorded(followers: readonly Followers[] = []): Promise<Identified> {
    const sale = await resold();
    const { resales } = await shop.engine.loop.readNow(inventory, shop.deal);
    const resale_id = resaleIdOf(shop.engine.keyring, sale, 0);
    const terms = resales.get(resale_id)?.terms;
    if (terms === undefined) throw new Error('the resale is open');
    const { transaction_reference, transaction_date, transaction_amount: amount } = sale.sent;
    const made = { purchase_id: sale.purchaseId, partner_id: 'acme', resale_id, content: sale.content, buyer: null };
    const resale = { ...terms, ...made, transaction_reference, transaction_date, amount };
    await decide(purchase, sale.purchaseId, { type: 'resell', resale }, followers);
    return sale;
  }

  const resell = async (order = orderOf(shop.deal)): Promise<PurchaseRow> =>
    (
      await new ResellHandler(
        shop.engine.writer,
        shop.engine.keyring,
        shop.engine.clock,
        shop.engine.personalData,
        new OneDeal(),
      ).execute(new Resell('acme', order, shop.context()))
    ).row;

  it.each([
    ['nothing', []],
    ['no coupon', allBut('coupon')],
    ['not the end of the resale', allBut('inventory')],
  ])('D11: a repeat of a reseller’s purchase of which %s was written', async (_, followers) => {
    const { purchaseId } = await recorded(followers);
    expect(await resell()).toMatchObject({ id: purchaseId, fulfillment_state: 'fulfilled', quantity: 2 });
    expect((await types('inventory', shop.deal)).slice(2)).toEqual(['resale-started.v1', 'resale-sold.v1']);
    expect(await types('purchase', purchaseId)).toEqual(['purchase-resold.v1']);
  });

  it('D11: a repeat of a reseller’s purchase whose units are only held', async () => {
    const { purchaseId } = await resold();
    expect(await resell()).toMatchObject({ id: purchaseId, fulfillment_state: 'fulfilled' });
    expect((await types('inventory', shop.deal)).slice(2)).toEqual(['resale-started.v1', 'resale-sold.v1']);
  });

  it('D14: a refund of a reseller’s purchase whose followers are missing, with one that was given up before', async () => {
    const { purchaseId } = await recorded();
    const lost = { purchase_id: purchaseId, resale_id: 'another', deal_id: shop.deal };
    const start = {
      type: 'start-resale',
      looked: Infinity,
      resale_id: 'another',
      purchase_id: purchaseId,
      partner_id: 'acme',
    } as const;
    const coupons = couponsFor(shop.engine.keyring, purchaseId, 1);
    await decide(inventory, shop.deal, { ...start, quantity: 1, coupons, takeover_after: 1_000 });
    await decide(purchase, purchaseId, { type: 'abandon-resale', resale: lost });
    expect(await shop.refund(purchaseId)).toMatchObject({ fulfillment_state: 'cancelled', payment_state: 'refunded' });
    const { held, sold } = await shop.engine.loop.readNow(inventory, shop.deal);
    expect({ held, sold }).toEqual({ held: 0, sold: 0 });
  });

  it('D12: a reseller’s cancellation that broke off; one of a cancelled coupon is refused after its followers', async () => {
    const row = await resell();
    const give = new GiveBackCouponHandler(shop.engine.writer, shop.engine.reader, new OneDeal());
    const cancelOf = (couponId: string, context = shop.context()): Promise<unknown> =>
      give.execute(new GiveBackCoupon('acme', couponId, context));
    const [first = '', second = ''] = row.coupons.map(({ coupon_id }) => coupon_id);
    const context = shop.context();
    const command = { type: 'give-back', refundable: true, units_left: 2 } as const;
    await decide(coupon, first, command, [], context);
    await cancelOf(first, { ...context, resumed: true });
    expect((await types('purchase', row.id)).at(-1)).toBe('purchase-coupon-cancelled.v1');
    await decide(coupon, second, { ...command, units_left: 1 });
    await expect(cancelOf(second)).rejects.toMatchObject({
      reasons: [
        'in a non refundable state',
        'coupons cannot already be part of another refund',
        'you can not refund more coupons than were bought',
      ],
    });
    expect((await types('inventory', shop.deal)).slice(-2)).toEqual(['unit-returned.v1', 'unit-returned.v1']);
  });

  /** Reissues a coupon, without followers. */
  async function reissued(couponId: string, context = shop.context()): Promise<string> {
    const { keyring } = shop.engine;
    const id = keyring.deriveId(context.commandId, 0);
    const barcode = barcodeOf(keyring, id);
    const as_sold = { terms: undefined, expires_at: undefined, redeemed_by_mistake: false };
    const command = { type: 'reissue', coupon_id: id, barcode, ...as_sold, reason: 'lost' } as const;
    await decide(coupon, couponId, command, [], context);
    return id;
  }

  it('D14: a repeat of a reissue', async () => {
    const { id, couponId } = await boughtCoupon();
    const context = shop.context();
    const replacement = await reissued(couponId, context);
    expect(await shop.reissue(couponId, { context: { ...context } })).toMatchObject({ coupon_id: replacement });
    expect((await types('purchase', id)).at(-1)).toBe('purchase-coupon-replaced.v1');
  });

  it('D14: a refusal that names the replacement of a coupon', async () => {
    const { couponId } = await boughtCoupon();
    const replaced_by = await reissued(couponId);
    await expect(shop.cancel(couponId)).rejects.toMatchObject({ code: 'coupon_replaced', details: { replaced_by } });
    expect(await shop.cancel(replaced_by)).toMatchObject({ state: 'cancelled' });
  });

  describe('D14: a refund', () => {
    it.each([
      ['nothing', []],
      ['no coupon', allBut('coupon')],
      ['no purchase', allBut('purchase')],
      ['not the end of the reservation', allBut('reservation')],
    ])('of a claim of which %s was written', async (_, followers) => {
      const { id } = await shop.reserve(2);
      await decide(inventory, shop.deal, await claiming(id, 2), followers);
      expect(await shop.refund(id)).toMatchObject({ fulfillment_state: 'cancelled' });
      expect(await types('reservation', id)).toContain('reservation-claimed.v1');
    });

    it.each([
      ['nothing', []],
      ['no coupon', allBut('coupon')],
      ['not the end of the checkout', allBut('inventory')],
    ])('of a charge of which %s was written', async (_, followers) => {
      const id = await pending(2);
      await decide(purchase, id, { type: 'charged', ...BY }, followers);
      expect(await shop.refund(id)).toMatchObject({ payment_state: 'refunded', fulfillment_state: 'cancelled' });
      const written = (await types('inventory', shop.deal)).slice(-3);
      expect(written).toEqual(['checkout-sold.v1', 'unit-returned.v1', 'unit-returned.v1']);
    });

    it('of a purchase with a reissued coupon', async () => {
      const { id, couponId } = await boughtCoupon();
      const replacement = await reissued(couponId);
      await shop.refund(id);
      expect((await types('coupon', replacement)).at(-1)).toBe('coupon-cancelled.v1');
    });
  });

  /** The tests above cut off every event that has followers: a new one needs its test. */
  afterAll(() => {
    const leading = ALL.flatMap(({ on }) => Object.keys(on));
    expect([...cut].filter((type) => leading.includes(type)).toSorted()).toEqual(leading.toSorted());
  });
});
