import type { OrderOutcome, ProjectionOrder } from '#eventsourcing';

/** How long an order waits for its outcome, in milliseconds. */
export const ORDER_PATIENCE = 10_000;
/**
 * An order older than this is not taken: the process that gave it has ended. It is longer than the order's patience, because
 * two machines' clocks measure it.
 */
export const ORDER_LASTS = 30_000;

export interface OrderDocument {
  readonly _id: string;
  readonly order: ProjectionOrder;
  /**
   * Closed: nobody waits for it any more. It stays until it is too old to be taken, because the request that gave it may
   * arrive late, or twice.
   */
  readonly state: 'asked' | 'taken' | 'answered' | 'closed';
  /** When the order was given, in milliseconds. */
  readonly at: number;
  readonly outcome: OrderOutcome | null;
  /** Why the order was not carried out, or why that is unknown. */
  readonly failure: string | null;
}
