import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newContext } from '#eventsourcing';
import { openShop, type Shop, type StoredEvent } from '../../../test/support/shop.js';
import { coupon } from '../coupon/coupon.decider.js';
import { inventory } from '../inventory/inventory.decider.js';
import { unitsLeft } from '../inventory/inventory.state.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { BeingCharged } from '../purchase/purchase.state.js';
import { GatewayOutcomeUnknown, GatewayRefused } from '../ports/payment-gateway.js';

/** The payment of Ann's purchase of two units with her card. */
const PAID = { amount: 3_998, currency: 'USD', last4: '4242', gateway: 'told' };

describe('D7: the payment in the events of a purchase', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(10);
  });
  afterEach(() => shop.close());

  const noAnswer = async (): Promise<never> => {
    throw new GatewayOutcomeUnknown('no answer');
  };
  const refuses = async (): Promise<never> => {
    throw new GatewayRefused('the request is broken');
  };
  const left = async (): Promise<number> => unitsLeft(await shop.engine.loop.read(inventory, shop.deal));
  /** Buys two units with Ann's card. */
  const bought = async (): Promise<string> => {
    const { id } = await shop.buy(2);
    return id;
  };
  /** The id of the last purchase, in any state. */
  const opened = async (): Promise<string> => {
    const events = await shop.stored('inventory', shop.deal);
    const started = events.findLast(({ type }) => type === 'checkout-started.v1');
    return (started?.data as { purchase_id: string }).purchase_id;
  };
  const story = async (id: string): Promise<readonly StoredEvent[]> => shop.stored('purchase', id);
  const types = async (id: string): Promise<readonly string[]> => (await story(id)).map(({ type }) => type);
  /** Runs the work of a row, as if it were due. */
  const work = async (list: string, key: string, row: object = {}): Promise<void> => {
    const found = shop.charging.work.find((each) => each.list.name === list);
    await found?.run(key, { due_at: 0, ...row });
  };

  it('has amount, currency, last four digits, gateway and reference in every event that moves money', async () => {
    const id = await bought();
    const row = await shop.refund(id);
    const events = await story(id);
    expect(events[1]).toMatchObject({
      type: 'purchase-charged.v1',
      data: { ...PAID, reference: 'c-1', lost_attempts: 0 },
      metadata: { causation: null },
    });
    const returned = events.filter(({ type }) => type === 'purchase-money-returned.v1');
    expect(returned.map(({ data }) => data)).toEqual(
      row.coupons.map(({ coupon_id }) => ({
        purchase_id: id,
        coupon_id,
        ...PAID,
        amount: 1_999,
        reference: 'r-1',
      })),
    );
    // The cause of each is the cancellation that made it due.
    const at = (type: string): readonly number[] =>
      events.flatMap((event, index) => (event.type === type ? [index] : []));
    expect(returned.map(({ metadata }) => metadata.causation)).toEqual(
      at('purchase-coupon-cancelled.v1').map((revision) => `purchase-${id}@${revision}`),
    );
  });

  it('is in a decline and in a void, too', async () => {
    shop.gateway.onCharge = async () => ({ kind: 'declined', reason: 'no funds', reference: 'd-1' });
    await expect(shop.buy(2)).rejects.toMatchObject({ code: 'declined' });
    const declined = await story(await opened());
    expect(declined.at(-1)).toMatchObject({
      type: 'purchase-declined.v1',
      data: { ...PAID, reference: 'd-1', lost_attempts: 0 },
    });
    shop.gateway.onCharge = noAnswer;
    shop.gateway.onCancel = async () => ({ amount: 3_998, reference: 'v-1' });
    const id = await bought();
    await shop.voidCharge(id);
    const events = await story(id);
    expect(events.map(({ type }) => type)).toEqual([
      'purchase-opened.v1',
      'purchase-charge-lost.v1',
      'purchase-void-asked.v1',
      'purchase-voided.v1',
    ]);
    expect(events[3]).toMatchObject({
      data: { ...PAID, reference: 'v-1', refunded: true, lost_attempts: 1 },
      metadata: { causation: `purchase-${id}@2` },
    });
  });

  it('the first attempt without an answer is an event, the cause of the charge; later ones are only counted', async () => {
    shop.gateway.onCharge = noAnswer;
    const id = await bought();
    for (let again = 0; again < 2; again += 1) await expect(work('open-checkouts', id)).rejects.toThrow('no answer');
    shop.gateway.onCharge = async () => ({ kind: 'approved', reference: 'c-9' });
    await work('open-checkouts', id);
    const events = await story(id);
    expect(events.map(({ type }) => type)).toEqual([
      'purchase-opened.v1',
      'purchase-charge-lost.v1',
      'purchase-charged.v1',
    ]);
    const [open, lost, charged] = events;
    expect(lost?.data).toEqual({ purchase_id: id, ...PAID, reference: null });
    expect(charged?.data).toMatchObject({ ...PAID, reference: 'c-9', lost_attempts: 3 });
    expect(charged?.metadata).toMatchObject({
      causation: `purchase-${id}@1`,
      correlation: open?.metadata.correlation,
      actor: 'system:open-checkouts',
    });
    expect((await shop.stored('inventory', shop.deal)).at(-1)).toMatchObject({
      type: 'checkout-sold.v1',
      metadata: { causation: `purchase-${id}@2` },
    });
  });

  // Such a charge once stayed open for ever: a 500, units held, a user who could not buy, and a charge days later.
  it('a final refusal of a charge declines the purchase and frees its units', async () => {
    shop.gateway.onCharge = refuses;
    await expect(shop.buy(2)).rejects.toMatchObject({
      code: 'declined',
      message: 'purchase declined: the gateway refused it: the request is broken',
    });
    const id = await opened();
    expect(await types(id)).toEqual(['purchase-opened.v1', 'purchase-charge-refused.v1', 'purchase-voided.v1']);
    expect((await story(id)).at(-1)?.data).toMatchObject({ refunded: false, amount: 0 });
    expect([await left(), shop.gateway.calls]).toEqual([10, [`charge ${id} 3998`, `cancel ${id}`]]);
    shop.gateway.onCharge = async () => ({ kind: 'approved', reference: null });
    await work('open-checkouts', id);
    expect(shop.gateway.calls).toHaveLength(2);
    await bought();
  });

  it('a final refusal after a lost answer gives back the money that was taken, also in the work list', async () => {
    shop.gateway.onCharge = noAnswer;
    const id = await bought();
    shop.gateway.onCharge = refuses;
    shop.gateway.onCancel = noAnswer;
    await expect(work('open-checkouts', id)).rejects.toThrow('no answer');
    expect((await shop.engine.loop.read(purchase, id)).status).toBe('voiding');
    shop.gateway.onCancel = async () => ({ amount: 3_998, reference: 'v-1' });
    await work('open-checkouts', id);
    expect((await story(id)).at(-1)).toMatchObject({
      type: 'purchase-voided.v1',
      data: { refunded: true, amount: 3_998, lost_attempts: 1 },
    });
    expect(await left()).toBe(10);
  });

  // Two processes may ask at once. The second once gave back the money of a purchase that the first had sold.
  it('a final refusal changes nothing once another try has its outcome', async () => {
    shop.gateway.onCharge = noAnswer;
    const id = await bought();
    const by = { last4: '4242', gateway: 'told', reference: 'c-1' };
    shop.gateway.onCharge = async () => {
      const context = newContext(shop.engine, 'another process');
      await shop.engine.loop.execute(purchase, id, { type: 'charged', by, lost_since: 0 }, context);
      return refuses();
    };
    await work('open-checkouts', id);
    expect(await types(id)).toEqual(['purchase-opened.v1', 'purchase-charge-lost.v1', 'purchase-charged.v1']);
    expect(shop.gateway.calls).toEqual([`charge ${id} 3998`, `charge ${id} 3998`]);
    expect(await left()).toBe(8);
  });

  it('a charge whose card is gone is voided, and gives back the money that was taken', async () => {
    shop.gateway.onCharge = noAnswer;
    const id = await bought();
    const { opened: open } = (await shop.engine.loop.read(purchase, id)) as BeingCharged;
    await shop.engine.vault.destroy(open.credit_card_id);
    shop.gateway.onCancel = async () => ({ amount: 3_998, reference: 'v-1' });
    await work('open-checkouts', id);
    const events = await story(id);
    expect(events.slice(-2)).toMatchObject([
      { type: 'purchase-void-asked.v1', data: { reason: 'the card is not stored any more' } },
      { type: 'purchase-voided.v1', data: { refunded: true, amount: 3_998 } },
    ]);
    expect(await left()).toBe(10);
  });

  it('a charge that the gateway has cancelled before is declined', async () => {
    shop.gateway.onCharge = async () => ({ kind: 'cancelled', reference: 'c-1' });
    await expect(shop.buy(2)).rejects.toMatchObject({ message: 'purchase declined: it was cancelled' });
    expect((await story(await opened())).at(-1)).toMatchObject({ type: 'purchase-declined.v1' });
    expect(await left()).toBe(10);
  });

  it('D14: a final refusal of a refund is an event, and nobody asks for the refund again', async () => {
    const id = await bought();
    shop.gateway.onRefund = refuses;
    const [first] = (await shop.refund(id)).coupons;
    const events = await story(id);
    expect(events.filter(({ type }) => type === 'purchase-money-refused.v1')).toMatchObject([
      {
        data: { coupon_id: first?.coupon_id, ...PAID, amount: 1_999, reference: null, reason: 'the request is broken' },
      },
      {},
    ]);
    const before = shop.gateway.calls.length;
    await work('open-refunds', first?.coupon_id ?? '', {
      purchase_id: id,
      amount: 1_999,
      cause: 'x@1',
      correlation: 'r',
    });
    expect(shop.gateway.calls).toHaveLength(before);
  });

  // A row of a view may be older than the log, or belong to another log.
  it('D14: only the purchase’s own stream decides which money goes back, and how much', async () => {
    const id = await bought();
    const { coupons } = await shop.claim((await shop.reserve(1)).id);
    const [own] = (await shop.refund(id)).coupons;
    const before = shop.gateway.calls.length;
    const row = { amount: 999_999, cause: 'x@1', correlation: 'r' };
    await work('open-refunds', own?.coupon_id ?? '', { ...row, purchase_id: id });
    await work('open-refunds', 'nobody', { ...row, purchase_id: id });
    await work('open-refunds', coupons[0]?.coupon_id ?? '', { ...row, purchase_id: coupons[0]?.purchase_id });
    await work('open-refunds', 'nobody', { ...row, purchase_id: 'nothing' });
    expect(shop.gateway.calls).toHaveLength(before);
    shop.gateway.onRefund = noAnswer;
    const late = await bought();
    const [due] = (await shop.refund(late)).coupons;
    shop.gateway.onRefund = async () => ({ reference: 'r-2' });
    await work('open-refunds', due?.coupon_id ?? '', { ...row, purchase_id: late });
    expect(shop.gateway.calls.at(-1)).toBe(`refund ${due?.coupon_id} 1999`);
  });

  it('D14: a refund call gives the money of each coupon back once, also of one that was cancelled before', async () => {
    const id = await bought();
    const charged = (await story(id)).find(({ type }) => type === 'purchase-charged.v1');
    const [first] = (charged?.data as { coupons: readonly { id: string }[] }).coupons;
    await shop.engine.loop.execute(coupon, first?.id ?? '', { type: 'cancel', reason: 'x' }, shop.context());
    expect(shop.gateway.calls.filter((call) => call.startsWith('refund'))).toEqual([]);
    await shop.refund(id);
    const refunds = shop.gateway.calls.filter((call) => call.startsWith('refund'));
    expect([refunds.length, new Set(refunds).size]).toEqual([2, 2]);
  });
});
