import { pictureOf, unixDateTime, type AnswerOf, type Presenters, newestOf } from '#http';
import type { Instant } from '#kernel';
import { presentCoupons, type Presenting } from '../coupon/coupon.present.js';
import type { PURCHASE } from './purchase.answer.js';
import type { PurchaseRow } from './purchase.row.js';

/** The purchase's answer (interface 2.5, ruling B6). A reservation past its deadline shows as `released`. */
async function firstPurchase(
  row: PurchaseRow,
  now: Instant,
  presenting: Presenting,
): Promise<AnswerOf<typeof PURCHASE>> {
  const { id, deal } = row;
  const picture = pictureOf(deal.image, 'medium', presenting.publicUrl.href);
  const ranOut = row.fulfillment_state === 'reserved' && row.deadline !== null && now >= row.deadline;
  return {
    id,
    purchase_id: id,
    deal_type: deal.type,
    deal_id: deal.id,
    price: row.price,
    amount: row.amount,
    number_bought: row.quantity,
    payment_state: row.payment_state,
    fulfillment_state: ranOut ? 'released' : row.fulfillment_state,
    created_at: unixDateTime(row.created_at),
    user_id: row.user_id,
    credit_card_id: row.credit_card_id,
    deal: {
      id: deal.id,
      deal_id: deal.id,
      title: deal.title,
      type: deal.type,
      image_url: picture?.path ?? null,
      image_url_abs: picture?.url ?? null,
    },
    coupons: await presentCoupons(row.coupons, now, presenting),
  };
}

/** By the version of the answers (ruling H6). */
export const purchasePresenters: Presenters<typeof firstPurchase> = { 1: firstPurchase };

/** The purchase’s answer (interface 2.5, ruling B6). */
export const presentPurchase = newestOf(purchasePresenters);
