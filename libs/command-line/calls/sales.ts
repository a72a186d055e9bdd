import { LONGEST_TIME } from '#kernel/bounds';
import type { Call, Seen } from './call.js';
import { choice, flag, id, REASON, text } from './values.js';

/** A coupon, as all answers show it. */
interface Coupon {
  readonly id: string;
  readonly deal_id: string;
  readonly barcode: string;
  readonly state: string;
  readonly expires_at: string | null;
  readonly redeemed_at: string | null;
}

/** A coupon, as the service shows it to operators; a correction shows less of whose it is. */
interface ShownCoupon {
  readonly coupon: Coupon;
  readonly partner_id?: string;
  readonly purchase_id?: string;
  readonly user_id?: string | null;
  readonly refund_by?: string;
  readonly amount?: number;
}

/** A purchase, as the service shows it to operators; a correction does not say whose it is. */
interface ShownPurchase {
  readonly purchase: {
    readonly id: string;
    readonly deal_id: string;
    readonly number_bought: number;
    readonly amount: number;
    readonly payment_state: string;
    readonly fulfillment_state: string;
    readonly created_at: string;
    readonly user_id: string | null;
    readonly coupons: readonly Coupon[] | null;
  };
  readonly partner_id?: string;
  readonly refund_by?: string;
  readonly amount?: number;
}

/** The history of a purchase, as far as people see it. */
interface ShownHistory {
  readonly missing?: readonly string[];
  readonly events: readonly object[];
}

/** A buyer who is erased. */
interface ErasedBuyer {
  readonly purchase_id: string;
  readonly erased_at: string;
  readonly reason: string;
}

const ofCoupon = { id: id('its id or its barcode, such as 486503955122', 'coupon') };
const ofPurchase = { id: id('its id', 'purchase') };

const showCoupon = ({ coupon, purchase_id, user_id, partner_id, refund_by, amount }: ShownCoupon): Seen => {
  const { id: coupon_id, barcode, state, expires_at, redeemed_at, deal_id } = coupon;
  const what = { coupon: coupon_id, barcode, state, expires_at, redeemed_at };
  const whose = { deal: deal_id, purchase: purchase_id, user: user_id, partner: partner_id };
  return { fields: { ...what, ...whose, refund_by, amount } };
};

const showPurchase = ({ purchase, partner_id, refund_by, amount }: ShownPurchase): Seen => {
  const { coupons, user_id, deal_id, ...rest } = purchase;
  const whose = { deal: deal_id, user: user_id, partner: partner_id };
  return {
    fields: { ...rest, ...whose, refund_by, refunded: amount },
    columns: [{ name: 'coupon', cell: (coupon: Coupon) => coupon.id }, 'barcode', 'state'],
    rows: coupons ?? [],
  };
};

const missingOf = ({ missing = [] }: ShownHistory): Seen =>
  missing.length === 0 ? {} : { title: `The log lacks ${missing.join(', ')}.` };

/** What anybody has bought, and its corrections (ruling G5). */
export const SALES: readonly Call[] = [
  {
    noun: 'coupons',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/coupons/:id',
    words: 'shows a coupon of any partner (with --json: all that partners see)',
    example: 'coupons show 486503955122',
    arguments: ofCoupon,
    show: showCoupon,
  },
  {
    noun: 'coupons',
    verb: 'cancel',
    kind: 'one',
    route: 'POST /operators/coupons/:id/cancel',
    words: 'cancels a coupon, puts its unit on sale again, and says who gives the money back',
    example: 'coupons cancel 486503955122 --reason "the spa has closed"',
    arguments: ofCoupon,
    options: { reason: REASON },
    show: showCoupon,
  },
  {
    noun: 'coupons',
    verb: 'reissue',
    kind: 'one',
    route: 'POST /operators/coupons/:id/reissue',
    words: 'replaces a valid or expired coupon by a new one, and shows that',
    example: 'coupons reissue 486503955122 --reason lost',
    arguments: ofCoupon,
    options: {
      reason: REASON,
      terms: choice('what it shows: the deal as it was sold, or as it is now', 'as_sold', 'current'),
      expires_at: text('when it expires, such as 2027-01-31T23:59:59', LONGEST_TIME),
      redeemed_by_mistake: flag('the old coupon was redeemed, and should not have been'),
    },
    show: showCoupon,
  },
  {
    noun: 'purchases',
    verb: 'show',
    kind: 'one',
    route: 'GET /operators/purchases/:id',
    words: 'shows a purchase or reservation of any partner (with --json: all that partners see)',
    example: 'purchases show 0b6f',
    arguments: ofPurchase,
    show: showPurchase,
  },
  {
    noun: 'purchases',
    verb: 'history',
    kind: 'one',
    route: 'GET /auditors/purchases/:id/history',
    words: 'lists every event of a purchase, with the state after it (with --json: all data, and the deal as sold)',
    example: 'purchases history 0b6f',
    arguments: ofPurchase,
    show: (history: ShownHistory) => ({
      ...missingOf(history),
      columns: [
        'position',
        'time',
        'actor',
        'type',
        'state.payment_state',
        'state.fulfillment_state',
        'state.stock.held',
        'state.stock.sold',
        'state.stock.stock',
        'words',
      ],
      rows: history.events,
    }),
  },
  {
    noun: 'purchases',
    verb: 'refund',
    kind: 'one',
    route: 'POST /operators/purchases/:id/refund',
    words: 'refunds a purchase and cancels its coupons, and says who gives the money back',
    example: 'purchases refund 0b6f --reason "the spa has closed"',
    arguments: ofPurchase,
    options: { reason: REASON },
    show: showPurchase,
  },
  {
    noun: 'purchases',
    verb: 'void',
    kind: 'one',
    route: 'POST /operators/purchases/:id/void',
    words: 'voids a purchase whose charge has no outcome',
    example: 'purchases void 0b6f --reason "the gateway has lost it"',
    arguments: ofPurchase,
    options: { reason: REASON },
    show: showPurchase,
  },
  {
    noun: 'purchases',
    verb: 'erase',
    kind: 'one',
    route: 'POST /operators/purchases/:id/erase',
    words: 'erases the buyer of a reseller’s purchase for ever; the purchase stays',
    example: 'purchases erase 0b6f --reason "they asked for it"',
    arguments: ofPurchase,
    options: { reason: REASON },
    show: ({ purchase_id, erased_at, reason }: ErasedBuyer) => ({
      fields: { purchase: purchase_id, erased_at, reason },
    }),
  },
];
