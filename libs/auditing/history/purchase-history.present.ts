import type { Recorded } from '#kernel';
import { purchaseStateAfter, unitsAfterEvent, type PurchaseRow } from '#purchasing';

/** The history's answer (ruling G7): each event with time, actor and cause, and the state that it led to. */
export function presentHistory(events: readonly Recorded[]): object[] {
  let row: PurchaseRow | undefined;
  let units: object | undefined;
  return events.map((event) => {
    row = purchaseStateAfter(row, event);
    units = unitsAfterEvent(event) ?? units;
    const { time, actor, causation, command_id, correlation } = event.metadata;
    return {
      position: event.position.toString(),
      stream: event.stream,
      revision: event.revision,
      type: event.type,
      time: new Date(time).toISOString(),
      actor,
      cause: causation,
      command_id,
      correlation,
      data: event.data,
      state: {
        payment_state: row?.payment_state ?? null,
        fulfillment_state: row?.fulfillment_state ?? null,
        user_id: row?.user_id ?? null,
        coupons: (row?.coupons ?? []).map(({ coupon_id: id, state }) => ({ id, state })),
        stock: units ?? null,
      },
    };
  });
}
