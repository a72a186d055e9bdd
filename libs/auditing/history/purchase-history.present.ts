import type { AnswerOf } from '#http';
import { isoTime, type Recorded } from '#kernel';
import { purchaseStateAfter, unitsAfterEvent } from '#purchasing';
import type { PurchaseRow, Units } from '#purchasing/model';
import type { HISTORY_EVENT } from './purchase-history.answer.js';
import { withShownTimes } from './shown-times.js';

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
    const { time, actor, causation, command_id, correlation } = event.metadata;
    yield {
      position: event.position.toString(),
      stream: event.stream,
      revision: event.revision,
      type: event.type,
      time: isoTime(time),
      actor,
      cause: causation,
      command_id,
      correlation,
      data: withShownTimes(event.data),
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
