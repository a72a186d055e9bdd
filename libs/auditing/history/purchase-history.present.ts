import type { AnswerOf } from '#http';
import type { Recorded } from '#kernel';
import { purchaseStateAfter, unitsAfterEvent } from '#purchasing';
import type { PurchaseRow, Units } from '#purchasing/model';
import { presentEvent } from '../event/event.present.js';
import type { HISTORY_EVENT } from './purchase-history.answer.js';

/**
 * The history's answer (ruling G7), event by event: each with its time, actor and cause, and the state that it led to. Together
 * they have the number of events times that of coupons.
 */
export function* presentHistory(events: readonly Recorded[]): Generator<AnswerOf<typeof HISTORY_EVENT>> {
  let row: PurchaseRow | undefined;
  let units: Units | undefined;
  for (const event of events) {
    row = purchaseStateAfter(row, event);
    units = unitsAfterEvent(event) ?? units;
    yield {
      ...presentEvent(event),
      state: {
        payment_state: row?.payment_state ?? null,
        fulfillment_state: row?.fulfillment_state ?? null,
        user_id: row?.user_id ?? null,
        coupons: (row?.coupons ?? []).map(({ coupon_id: id, state }) => ({ id, state })),
        stock: units ?? null,
      },
    };
  }
}
