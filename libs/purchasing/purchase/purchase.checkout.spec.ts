import { describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { follow, given, rowsOf, stateOf, type TableEvent } from '../../../test/support/given-when-then.js';
import { START, checkoutOf, closeOf, terms } from '../../../test/support/sale.js';
import { openCheckouts, openRefunds } from '../checkout/open-checkouts.work.js';
import { askedRefunds } from '../corrections/asked-refunds.work.js';
import type { CouponEvent } from '../coupon/coupon.events.js';
import { inventory } from '../inventory/inventory.decider.js';
import type { InventoryEvent } from '../inventory/inventory.events.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from '../followers.js';
import { stockEffectsView } from '../inventory/stock-effects.view.js';
import { purchase, type Handling, type PurchaseCommand } from './purchase.decider.js';
import type { LostAttempts, Payment, PurchaseEvent, PurchaseOpened, RefundBy } from './purchase.events.js';
import type { PurchaseRow } from './purchase.row.js';
import { purchasesView } from './purchase.view.js';

const coupons = [
  { id: 'p1-c0', barcode: '000000000000', unit: 0, code: null },
  { id: 'p1-c1', barcode: '000000000001', unit: 1, code: { revision: 2, index: 1 } },
];
const opened: PurchaseOpened = {
  purchase_id: 'p1',
  partner_id: 'acme',
  user_id: 'ann',
  credit_card_id: 'card-of-ann',
  shipping_address_id: null,
  session_id: null,
  deal: terms().deal,
  quantity: 2,
  price: 1_999,
  amount: 3_998,
  created_at: START,
  coupons,
  expires_at: START + DAY,
  expiration_days: null,
  takeover_at: START + 15_000,
};
const open: PurchaseEvent = { type: 'purchase-opened.v1', data: opened };
const by: Handling = { last4: '4242', gateway: 'sandbox', reference: 'sandbox-1' };
/** The payment in the event of an outcome. */
const paid = (amount: number, lost_attempts = 0): Payment & LostAttempts => ({
  amount,
  currency: 'USD',
  ...by,
  lost_attempts,
});
const charged: PurchaseEvent = {
  type: 'purchase-charged.v1',
  data: {
    purchase_id: 'p1',
    partner_id: 'acme',
    user_id: 'ann',
    deal: terms().deal,
    coupons,
    coupons_expire_at: START + DAY,
    ...paid(3_998),
  },
};
const closed = { purchase_id: 'p1', user_id: 'ann', deal_id: 'spa-day' };
const declined: PurchaseEvent = {
  type: 'purchase-declined.v1',
  data: { ...closed, reason: 'no funds', number_hash: '4242', ...paid(3_998) },
};
const voidAsked: PurchaseEvent = { type: 'purchase-void-asked.v1', data: { ...closed, reason: 'gone' } };
const voided = (refunded: boolean): PurchaseEvent => ({
  type: 'purchase-voided.v1',
  data: { ...closed, refunded, ...paid(refunded ? 3_998 : 0) },
});
const gone = (
  coupon_id: string,
  refund: number,
  refunded: number,
  units_left: number,
  refund_by: RefundBy = 'gateway',
): PurchaseEvent => ({
  type: 'purchase-coupon-cancelled.v1',
  data: { purchase_id: 'p1', coupon_id, refund_by, refund, refunded, units_left },
});
const money = (amount: number): Payment => ({ amount, currency: 'USD', ...by });
const back = (coupon_id: string, amount = 1_999): PurchaseEvent => ({
  type: 'purchase-money-returned.v1',
  data: { purchase_id: 'p1', coupon_id, ...money(amount) },
});
const askRefund: PurchaseCommand = { type: 'ask-refund', issued: ['p1-c0', 'p1-c1'], reason: 'closed' };
const refundAsked: PurchaseEvent = {
  type: 'purchase-refund-asked.v1',
  data: { purchase_id: 'p1', coupons: ['p1-c0', 'p1-c1'], reason: 'closed' },
};
const outcomes: readonly PurchaseCommand[] = [
  { type: 'charged', by, lost_since: 0 },
  { type: 'declined', reason: 'no funds', number_hash: '4242', by, lost_since: 0 },
  { type: 'voided', amount: 3_998, by, lost_since: 0 },
];
const [asCharged, asDeclined, asVoided] = outcomes as readonly [PurchaseCommand, PurchaseCommand, PurchaseCommand];
const historyOf = (...events: readonly PurchaseEvent[]): TableEvent[] =>
  events.map((event) => ({ ...event, stream: 'purchase-p1', time: START }));
const rowAfter = async (...events: readonly PurchaseEvent[]): Promise<PurchaseRow | undefined> =>
  (await rowsOf(purchasesView, historyOf(...events)))['p1'];

describe('G12.1: a purchase whose buyer is erased', () => {
  const erase: PurchaseCommand = { type: 'erase-buyer', reason: 'asked' };
  const gone: PurchaseEvent = {
    type: 'purchase-buyer-erased.v1',
    data: { purchase_id: 'p1', user_id: opened.user_id, reason: 'asked', erased_at: START },
  };

  it('is erased once, whatever its state, and its charge goes on', () => {
    given(purchase).when(erase, START).then('not_found');
    for (const events of [[open], [open, charged], [open, declined], [open, voidAsked]]) {
      given(purchase, events).when(erase, START).then([gone]);
      given(purchase, [...events, gone])
        .when(erase, START + 1)
        .then([]);
    }
    given(purchase, [open, gone]).when(asCharged, START).then([charged]);
    given(purchase, [open, gone, charged])
      .when(erase, START + 1)
      .then([]);
    given(purchase, [open, gone, charged]).when(askRefund).then([refundAsked]);
    expect(stateOf(purchase, [open, gone, charged]).buyer_erased).toEqual({ at: START, reason: 'asked' });
  });

  it('shows no last four digits any more, also if the charge has its outcome later', async () => {
    expect((await rowAfter(open, charged))?.last4).toBe(by.last4);
    expect(await rowAfter(open, charged, gone)).toMatchObject({ last4: null, erased: true, payment_state: 'charged' });
    expect(await rowAfter(open, gone, charged)).toMatchObject({ last4: null, payment_state: 'charged' });
    expect(await rowAfter(open, gone, declined)).toMatchObject({ last4: null, payment_state: 'declined' });
  });
});

describe('a purchase that our gateway charges', () => {
  it('D7: is opened once by the checkout, and fulfilled by the charge', () => {
    given(purchase).when({ type: 'open', purchase: opened }).then([open]);
    given(purchase, [open]).when({ type: 'open', purchase: opened }).then([]);
    given(purchase, [open]).when(asCharged, START).then([charged]);
    given(purchase, [open]).when(asDeclined).then([declined]);
  });

  it('D10: has coupons that expire with the deal, or a number of days after the charge', () => {
    const days: PurchaseEvent = { type: 'purchase-opened.v1', data: { ...opened, expiration_days: 30 } };
    const [event] = purchase.decide(asCharged, stateOf(purchase, [days]), START + 9);
    expect(event?.data).toMatchObject({ coupons_expire_at: START + 9 + 30 * DAY });
  });

  it.each<[string, PurchaseEvent[]]>([
    ['charged', [open, charged]],
    ['declined', [open, declined]],
    ['voided', [open, voidAsked, voided(false)]],
    ['never opened', []],
  ])('D7: %s, ignores any outcome', (_, events) => {
    for (const command of outcomes) given(purchase, events).when(command).then([]);
  });

  it('G5: is closed during a void only by the gateway’s answer to the void', () => {
    given(purchase, [open]).when({ type: 'ask-void', reason: 'gone' }).then([voidAsked]);
    given(purchase, [open, voidAsked]).when(asCharged).then([]);
    given(purchase, [open, voidAsked]).when(asDeclined).then([]);
    given(purchase, [open, voidAsked])
      .when(asVoided)
      .then([voided(true)]);
    given(purchase, [open]).when(asVoided).then([]);
    for (const events of [
      [open, voidAsked],
      [open, voidAsked, voided(false)],
    ]) {
      given(purchase, events).when({ type: 'ask-void', reason: 'again' }).then([]);
    }
    given(purchase, [open, charged]).when({ type: 'ask-void', reason: 'gone' }).then('purchase_not_open');
    given(purchase, [open, declined]).when({ type: 'ask-void', reason: 'gone' }).then('purchase_not_open');
    given(purchase).when({ type: 'ask-void', reason: 'gone' }).then('not_found');
  });

  const lost: PurchaseEvent = { type: 'purchase-charge-lost.v1', data: { purchase_id: 'p1', ...money(3_998) } };
  const refused: PurchaseEvent = {
    type: 'purchase-charge-refused.v1',
    data: { ...closed, reason: 'too long', ...money(3_998) },
  };

  it('D7: has an event of the first lost answer, and counts later ones in its outcome', () => {
    const loses: PurchaseCommand = { type: 'charge-lost', by };
    given(purchase, [open]).when(loses).then([lost]);
    for (const events of [[open, lost], [open, charged], [open, voidAsked], []]) {
      given(purchase, events).when(loses).then([]);
    }
    const withLost = [open, lost];
    const [event] = given(purchase, withLost).when({ type: 'charged', by, lost_since: 0 }, START).outcome;
    expect(event).toEqual({ ...charged, data: { ...charged.data, lost_attempts: 1 } });
    for (const command of [asDeclined, asVoided]) {
      const events = command === asVoided ? [...withLost, voidAsked] : withLost;
      const { outcome } = given(purchase, events).when({ ...command, lost_since: 3 } as PurchaseCommand);
      expect(outcome).toMatchObject([{ data: { lost_attempts: 4 } }]);
    }
  });

  it('D7: is closed after a final refusal, once the gateway gave back what an earlier try took', () => {
    const refuses: PurchaseCommand = { type: 'charge-refused', reason: 'too long', by };
    given(purchase, [open]).when(refuses).then([refused]);
    for (const events of [[open, refused], [open, charged], [open, voidAsked], []]) {
      given(purchase, events).when(refuses).then([]);
    }
    given(purchase, [open, refused]).when(asCharged).then([]);
    const ended = given(purchase, [open, refused]).when({ type: 'voided', amount: 0, by, lost_since: 0 });
    ended.then([voided(false)]);
    expect(ended.state).toMatchObject({ status: 'voided', reason: 'too long' });
    expect(stateOf(purchase, [open, voidAsked, voided(false)])).toMatchObject({ status: 'voided', reason: 'voided' });
  });

  it('D14: owes nothing for a coupon whose refund the gateway refuses for good', () => {
    const now = [open, charged, gone('p1-c1', 1_999, 1_999, 1)];
    const refuses: PurchaseCommand = { type: 'money-refused', coupon_id: 'p1-c1', reason: 'no such charge', by };
    const data = { purchase_id: 'p1', coupon_id: 'p1-c1', reason: 'no such charge', ...money(1_999) };
    const done = given(purchase, now).when(refuses);
    done.then([{ type: 'purchase-money-refused.v1', data }]);
    expect(done.state).toMatchObject({ money_due: {} });
    given(purchase, [...now, back('p1-c1')])
      .when(refuses)
      .then([]);
    given(purchase, [open]).when(refuses).then([]);
  });

  it('D14: gives back the price of each cancelled coupon once, and with the last one all the rest', () => {
    const odd: PurchaseEvent = { type: 'purchase-opened.v1', data: { ...opened, amount: 4_001 } };
    const first = given(purchase, [odd, charged]).when({ type: 'cancel-coupon', coupon_id: 'p1-c1' });
    first.then([gone('p1-c1', 2_000, 2_000, 1)]);
    const now = [odd, charged, gone('p1-c1', 2_000, 2_000, 1)];
    given(purchase, now).when({ type: 'cancel-coupon', coupon_id: 'p1-c1' }).then([]);
    given(purchase, now)
      .when({ type: 'cancel-coupon', coupon_id: 'p1-c0' })
      .then([gone('p1-c0', 2_001, 4_001, 0)]);
    given(purchase, now)
      .when({ type: 'money-returned', coupon_id: 'p1-c1', by })
      .then([back('p1-c1', 2_000)]);
    given(purchase, now).when({ type: 'money-returned', coupon_id: 'p1-c0', by }).then([]);
  });

  it('I15, D14: gives back no money that the partner took: they owe it, and it says so', () => {
    const { credit_card_id, shipping_address_id, session_id, takeover_at, ...made } = opened;
    expect([credit_card_id, shipping_address_id, session_id, takeover_at]).toHaveLength(4);
    const recorded: PurchaseEvent = { type: 'purchase-recorded.v1', data: made };
    const first = given(purchase, [recorded]).when({ type: 'cancel-coupon', coupon_id: 'p1-c1' });
    first.then([gone('p1-c1', 1_999, 1_999, 1, 'partner')]);
    expect(first.state).toMatchObject({ money_due: {} });
    given(purchase, [recorded, gone('p1-c1', 1_999, 1_999, 1, 'partner')])
      .when({ type: 'cancel-coupon', coupon_id: 'p1-c0' })
      .then([gone('p1-c0', 1_999, 3_998, 0, 'partner')]);
  });

  it('D14 G5: can be refunded if it is paid and has a unit left', () => {
    given(purchase, [open, charged]).when(askRefund).then([refundAsked]);
    given(purchase, [open, charged, refundAsked]).when(askRefund).then([]);
    const none = [gone('p1-c0', 1_999, 1_999, 1), gone('p1-c1', 1_999, 3_998, 0)];
    given(purchase, [open, charged, ...none])
      .when(askRefund)
      .then([]);
    for (const events of [[open], [open, declined], [open, voidAsked]]) {
      given(purchase, events).when(askRefund).then('purchase_not_sold');
    }
    given(purchase).when(askRefund).then('not_found');
    // Who does not know all coupons has not seen the sale: also if another call has asked for the refund.
    for (const events of [
      [open, charged],
      [open, charged, refundAsked],
    ]) {
      given(purchase, events)
        .when({ ...askRefund, issued: ['p1-c0'] })
        .then('coupons_not_known');
    }
  });

  it('D14: writes once which coupon replaced which', () => {
    const replaced = { purchase_id: 'p1', coupon_id: 'p1-c0', replacement_id: 'new' };
    const noted: PurchaseEvent = { type: 'purchase-coupon-replaced.v1', data: replaced };
    given(purchase, [open, charged]).when({ type: 'replace-coupon', replaced }).then([noted]);
    given(purchase, [open, charged, noted]).when({ type: 'replace-coupon', replaced }).then([]);
  });
});

describe('the followers', () => {
  const begun = (): InventoryEvent[] => {
    const events: InventoryEvent[] = [];
    for (const command of [{ type: 'set-terms', terms: terms() } as const, checkoutOf('p1', 'ann', 2)]) {
      events.push(...inventory.decide(command, stateOf(inventory, events), START));
    }
    return events;
  };

  it('D6 D7: of a checkout open the purchase, with everything that its charge needs', () => {
    const written = follow(
      inventoryFollowers,
      begun().map((event) => ({ ...event, stream: 'inventory-spa-day', time: START })),
    );
    expect(Object.keys(written)).toEqual(['purchase-p1']);
    expect(written['purchase-p1']).toEqual([
      {
        type: 'purchase-opened.v1',
        data: {
          ...opened,
          coupons: coupons.map((coupon) => ({ ...coupon, code: null })),
          expires_at: terms().expires_at,
        },
      },
    ]);
  });

  it('D7 D10: of the charge write the sale, and one coupon per unit', () => {
    const codes: InventoryEvent = {
      type: 'codes-added.v1',
      data: { stock: null, held: 2, sold: 0, codes_left: 2, revision: 2, previous: null, codes: ['SPA-1', 'SPA-2'] },
    };
    const written = follow(purchaseFollowers, historyOf(charged), { 'inventory-spa-day': [...begun(), codes] });
    expect(
      Object.fromEntries(Object.entries(written).map(([stream, events]) => [stream, events.map(({ type }) => type)])),
    ).toEqual({
      'inventory-spa-day': ['checkout-sold.v1'],
      'coupon-p1-c0': ['coupon-issued.v1'],
      'coupon-p1-c1': ['coupon-issued.v1'],
    });
    expect(written['coupon-p1-c1']?.[0]?.data).toMatchObject({
      number: 1,
      redemption_code: 'SPA-2',
      created_at: START,
    });
  });

  it.each([
    ['a decline', declined],
    ['a void', voided(true)],
  ])('D7 G5: of %s free the units', (_, event) => {
    const written = follow(purchaseFollowers, historyOf(event), { 'inventory-spa-day': begun() });
    expect(Object.entries(written).map(([stream, events]) => [stream, events.map(({ type }) => type)])).toEqual([
      ['inventory-spa-day', ['checkout-undone.v1']],
    ]);
  });

  it('D14: of a cancelled coupon return its unit and its money', () => {
    const cancelled: CouponEvent = {
      type: 'coupon-cancelled.v1',
      data: {
        coupon_id: 'p1-c0',
        purchase_id: 'p1',
        user_id: 'ann',
        deal_id: 'spa-day',
        unit: 0,
        reason: 'closed',
      },
    };
    const sold = begun();
    sold.push(...inventory.decide(closeOf('p1', true), stateOf(inventory, sold), START));
    const before = { 'inventory-spa-day': sold, 'purchase-p1': [open, charged] };
    const written = follow(couponFollowers, [{ ...cancelled, stream: 'coupon-p1-c0' }], before);
    expect(
      Object.fromEntries(Object.entries(written).map(([stream, events]) => [stream, events.map(({ type }) => type)])),
    ).toEqual({ 'inventory-spa-day': ['unit-returned.v1'], 'purchase-p1': ['purchase-coupon-cancelled.v1'] });
  });
});

describe('views of purchases that our gateway charges', () => {
  it.each<[string, PurchaseEvent[], string]>([
    ['opened', [open], 'pending/pending'],
    ['charged', [open, charged], 'charged/fulfilled'],
    ['declined', [open, declined], 'declined/cancelled'],
    ['asked to be voided', [open, voidAsked], 'pending/pending'],
    ['voided before it was charged', [open, voidAsked, voided(false)], 'declined/cancelled'],
    ['voided after it was charged', [open, voidAsked, voided(true)], 'refunded/cancelled'],
    ['with a coupon cancelled', [open, charged, gone('p1-c0', 1_999, 1_999, 1)], 'charged/fulfilled'],
    [
      'with all coupons cancelled',
      [open, charged, gone('p1-c0', 1_999, 1_999, 1), gone('p1-c1', 1_999, 3_998, 0)],
      'refunded/cancelled',
    ],
  ])('B6: %s', async (_, events, expected) => {
    const row = await rowAfter(...events);
    expect(`${row?.payment_state}/${row?.fulfillment_state}`).toBe(expected);
    expect(row).toMatchObject({ credit_card_id: 'card-of-ann', user_id: 'ann', amount: 3_998, deadline: null });
  });

  it('D7 G5: a charge without an outcome is work, due after the call’s own time', async () => {
    const due = async (...events: PurchaseEvent[]): Promise<unknown> =>
      (await rowsOf(openCheckouts.view, historyOf(...events)))['p1'];
    const of = { deal_id: 'spa-day', credit_card_id: 'card-of-ann', amount: 3_998 };
    const row = { ...of, opened_at: START, due_at: START + 15_000, voiding: false };
    expect(await due(open)).toEqual(row);
    expect(await due(open, voidAsked)).toEqual({ ...row, voiding: true });
    const refused = { ...closed, reason: 'too long', ...money(3_998) };
    expect(await due(open, { type: 'purchase-charge-refused.v1', data: refused })).toEqual({ ...row, voiding: true });
    for (const end of [charged, declined]) expect(await due(open, end)).toBeUndefined();
    expect(await due(open, voidAsked, voided(true))).toBeUndefined();
  });

  it('D14: money that is due is work until the gateway has answered', async () => {
    const cancelled = gone('p1-c0', 1_999, 1_999, 1);
    expect(await rowsOf(openRefunds.view, historyOf(open, charged, cancelled))).toEqual({
      'p1-c0': {
        purchase_id: 'p1',
        amount: 1_999,
        cause: 'purchase-p1@2',
        correlation: 'r',
        due_at: START + 15_000,
      },
    });
    expect(await rowsOf(openRefunds.view, historyOf(open, charged, cancelled, back('p1-c0')))).toEqual({});
    const data = { purchase_id: 'p1', coupon_id: 'p1-c0', reason: 'no such charge', ...money(1_999) };
    const refused: PurchaseEvent = { type: 'purchase-money-refused.v1', data };
    expect(await rowsOf(openRefunds.view, historyOf(open, charged, cancelled, refused))).toEqual({});
    expect(await rowsOf(openRefunds.view, historyOf(open, charged, gone('p1-c0', 0, 0, 1)))).toEqual({});
    const owed = gone('p1-c0', 1_999, 1_999, 1, 'partner');
    expect(await rowsOf(openRefunds.view, historyOf(owed))).toEqual({});
  });

  it('D14: an operator’s refund is work until the last coupon is cancelled, reissued ones included', async () => {
    const replaced: PurchaseEvent = {
      type: 'purchase-coupon-replaced.v1',
      data: { purchase_id: 'p1', coupon_id: 'p1-c0', replacement_id: 'new' },
    };
    const row = { coupons: ['p1-c0', 'p1-c1'], reason: 'closed', due_at: START + 5_200 };
    expect(await rowsOf(askedRefunds.view, historyOf(refundAsked))).toEqual({ p1: row });
    const later = [refundAsked, replaced, gone('p1-c1', 1_999, 1_999, 1)];
    expect(await rowsOf(askedRefunds.view, historyOf(...later))).toEqual({ p1: { ...row, coupons: ['new'] } });
    expect(await rowsOf(askedRefunds.view, historyOf(...later, gone('new', 1_999, 3_998, 0)))).toEqual({});
    // Coupons that were cancelled or replaced before are not work.
    const before = [open, charged, gone('p1-c1', 1_999, 1_999, 1), replaced];
    given(purchase, before)
      .when(askRefund)
      .then([{ type: 'purchase-refund-asked.v1', data: { purchase_id: 'p1', coupons: ['new'], reason: 'closed' } }]);
    expect(askedRefunds.command('p1', row).map(({ id, command }) => [id, command])).toEqual([
      ['p1-c0', { type: 'cancel', reason: 'closed' }],
      ['p1-c1', { type: 'cancel', reason: 'closed' }],
    ]);
  });

  it('G7: an auditor finds the events of the units', async () => {
    const units = { stock: null, held: 0, sold: 2, codes_left: null };
    const of = { purchase_id: 'p1', user_id: 'ann' };
    const events: TableEvent<InventoryEvent>[] = [
      { stream: 'inventory-spa-day', type: 'checkout-sold.v1', data: { ...of, number: 0, quantity: 2, ...units } },
      {
        stream: 'inventory-spa-day',
        type: 'unit-returned.v1',
        data: { ...of, coupon_id: 'p1-c0', unit: 0, ...units, sold: 1 },
      },
    ];
    expect(await rowsOf(stockEffectsView, events)).toEqual({
      p1: { events: ['inventory-spa-day@0', 'inventory-spa-day@1'] },
    });
  });
});
