import type { OrderOutcome, ProjectionOrder } from '#eventsourcing';

/** How long an order waits for its outcome, in milliseconds. */
export const ORDER_PATIENCE = 10_000;
/**
 * An order that is older than this is not taken up any more: whoever gave it has ended. Longer than its patience, for it is
 * told by two machines' clocks.
 */
export const ORDER_LASTS = 30_000;

export interface OrderDocument {
  readonly _id: string;
  readonly order: ProjectionOrder;
  readonly state: 'asked' | 'taken' | 'answered';
  /** When it was given, in milliseconds. */
  readonly at: number;
  readonly outcome: OrderOutcome | null;
  /** Why it could not be carried out, or why that is not known. */
  readonly failure: string | null;
}
