import { z } from 'zod';
import { MOMENT, text } from '#http';
import { isoTime } from '#kernel';
import { PURCHASE_STATES, purchasesView, purchaseStateOf, type PurchaseRow } from '#purchasing/model';
import { lastFour, ofAmount, ofDeal, ofPartner, ofText, ofUser, ofWord } from '../list/filters.js';
import { defineList, NEWEST_FIRST } from '../list/list.js';

const STATE = z
  .enum(PURCHASE_STATES)
  .describe('`reserved` and `released` are holds; `declined` and `refunded` tell why a purchase is cancelled.');

/** A purchase or reservation in a list. */
const PURCHASE_LISTED = z
  .strictObject({
    id: z.string(),
    partner_id: z.string(),
    user_id: z.string().nullable().describe('Null for a hold, and for a sale of a reseller.'),
    deal_id: z.string(),
    state: STATE,
    number_bought: z.int(),
    amount: z.int().describe('Cents for all units.'),
    last4: z.string().nullable().describe('The last four digits of the card; null if the partner took the money.'),
    reference: z.string().nullable().describe('Of a reseller’s transaction.'),
    coupons: z.int().describe('How many it has.'),
    created_at: MOMENT,
  })
  .meta({ id: 'OperatedPurchase', description: 'A purchase or reservation, as lists of operators show it.' });

/** Purchases and reservations (ruling G5). */
export const PURCHASES = defineList({
  name: 'purchases',
  kind: 'purchase',
  page: ({ id }) => `/operators/purchases/${id}`,
  lists: 'purchases and reservations',
  view: purchasesView,
  ...NEWEST_FIRST,
  filters: {
    reference: ofText('reference', text('line').describe('The reference of a reseller’s transaction.'), /./),
    user_id: ofUser(),
    last4: lastFour(),
    state: { ...ofWord('state', PURCHASE_STATES), often: ['fulfilled', 'released'] as const },
    deal_id: ofDeal(),
    partner: ofPartner(),
    min_amount: ofAmount((row: PurchaseRow) => row.amount, 'at least'),
    max_amount: ofAmount((row: PurchaseRow) => row.amount, 'at most'),
  },
  item: PURCHASE_LISTED,
  present: (row) => ({
    id: row.id,
    partner_id: row.partner_id,
    user_id: row.user_id,
    deal_id: row.deal.id,
    state: purchaseStateOf(row),
    number_bought: row.quantity,
    amount: row.amount,
    last4: row.last4,
    reference: row.reference,
    coupons: row.coupons.length,
    created_at: isoTime(row.created_at),
  }),
});

/** An open hold in a list. */
const HOLD_LISTED = z
  .strictObject({
    id: z.string(),
    partner_id: z.string(),
    deal_id: z.string(),
    number_bought: z.int(),
    amount: z.int().describe('Cents for all units.'),
    created_at: MOMENT,
    deadline: MOMENT.describe('The end of the hold.'),
    is_over: z.boolean().describe('Whether it has run out: its units are free, although the log does not say so yet.'),
  })
  .meta({ id: 'OperatedReservation', description: 'An open hold, as lists of operators show it.' });

/** Holds that are neither claimed nor released, and whose end the log does not have yet. */
export const RESERVATIONS = defineList({
  name: 'reservations',
  kind: 'reservation',
  page: ({ id }) => `/operators/purchases/${id}`,
  lists: 'open holds',
  view: purchasesView,
  ...NEWEST_FIRST,
  only: { field: 'state', value: 'reserved' },
  filters: { partner: ofPartner<PurchaseRow>(), deal_id: ofDeal() },
  item: HOLD_LISTED,
  present: ({ id, partner_id, deal, quantity, amount, created_at, deadline }, { now }) => ({
    id,
    partner_id,
    deal_id: deal.id,
    number_bought: quantity,
    amount,
    created_at: isoTime(created_at),
    deadline: isoTime(deadline ?? created_at),
    is_over: deadline !== null && now >= deadline,
  }),
});
