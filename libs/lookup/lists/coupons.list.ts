import { z } from 'zod';
import { digits, MOMENT, oneOfWords, text } from '#http';
import { isoTime } from '#kernel';
import { couponStateAt, couponsView, type CouponRow } from '#purchasing/model';
import { ofDeal, ofPartner, ofText, ofUser } from '../list/filters.js';
import { defineList, NEWEST_FIRST } from '../list/list.js';

const BARCODE = /^\d{12}$/;
const STATES = ['valid', 'expired', 'redeemed', 'cancelled', 'reissued'] as const;

/** A coupon in a list. */
const COUPON_LISTED = z
  .strictObject({
    id: z.string(),
    purchase_id: z.string(),
    partner_id: z.string(),
    user_id: z.string().nullable().describe('Null if a reseller sold it.'),
    deal_id: z.string(),
    state: z.enum(STATES),
    barcode: z.string(),
    redemption_code: z.string().nullable(),
    created_at: MOMENT,
    expires_at: MOMENT.nullable(),
    redeemed_at: MOMENT.nullable(),
    replaced_by: z.string().nullable().describe('The coupon that was issued in its place.'),
  })
  .meta({ id: 'OperatedCoupon', description: 'A coupon, as lists of operators show it.' });

/** The twelve digits of a barcode, also in groups, as the printed page has them. */
const barcode = (): z.ZodType<string> =>
  z.preprocess(
    (input) => (typeof input === 'string' && input.length <= 30 ? input.replaceAll(/[\s-]/g, '') : input),
    digits(12, BARCODE, 'must be the twelve digits of a barcode'),
  );

/** Coupons (ruling G5). */
export const COUPONS = defineList({
  name: 'coupons',
  kind: 'coupon',
  page: ({ id }) => `/operators/coupons/${id}`,
  lists: 'coupons',
  view: couponsView,
  ...NEWEST_FIRST,
  filters: {
    barcode: ofText('barcode', barcode(), BARCODE),
    redemption_code: ofText('redemption_code', text('code').describe('A code of the deal’s pool.'), /./),
    user_id: ofUser(),
    deal_id: ofDeal(),
    partner: ofPartner<CouponRow>(),
    state: {
      schema: oneOfWords(STATES).describe('`expired` ones are neither redeemed, cancelled nor reissued.'),
      fits: (row, state, now) => couponStateAt(row, now) === state,
    },
  },
  item: COUPON_LISTED,
  present: (row, { now }) => ({
    id: row.coupon_id,
    purchase_id: row.purchase_id,
    partner_id: row.partner_id,
    user_id: row.user_id,
    deal_id: row.deal_id,
    state: couponStateAt(row, now),
    barcode: row.barcode,
    redemption_code: row.redemption_code,
    created_at: isoTime(row.created_at),
    expires_at: timeOrNull(row.expires_at),
    redeemed_at: timeOrNull(row.redeemed_at),
    replaced_by: row.replaced_by,
  }),
});

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at));
