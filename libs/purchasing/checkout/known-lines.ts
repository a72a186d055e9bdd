import { pagesOf, type StreamReader } from '#eventsourcing';
import { streamName, type EventBody, type Recorded } from '#kernel';
import type { LedgerEntry } from '../ports/payment-gateway.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { PurchaseEvent } from '../purchase/purchase.events.js';

/**
 * Whether the log has the decision from which the gateway did this: it is written before the gateway is asked. A stream that
 * has lost its beginning, which an operator has accepted, may have had it.
 * @throws Unavailable if the log cannot be asked
 */
export async function isKnownToLog(log: StreamReader, entry: LedgerEntry): Promise<boolean> {
  let next = 0;
  for await (const page of pagesOf(log, streamName(purchase.category, entry.charge))) {
    for (const event of page) {
      if (event.revision !== next || asksFor(event, entry)) return true;
      next += 1;
    }
  }
  return false;
}

function asksFor(event: Recorded, { kind, key }: LedgerEntry): boolean {
  const { type, data } = event as EventBody as PurchaseEvent;
  if (kind === 'charge') return true;
  if (kind === 'refund') return type === 'purchase-coupon-cancelled.v1' && data.coupon_id === key;
  return type === 'purchase-void-asked.v1' || type === 'purchase-charge-refused.v1';
}
