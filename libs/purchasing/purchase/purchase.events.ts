// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { DealSummary } from '../inventory/sale-terms.js';

/** A purchase whose payment was the partner's: charged and fulfilled at once. */
export interface PurchaseRecorded {
  readonly purchase_id: string;
  readonly partner_id: string;
  readonly user_id: string;
  readonly deal: DealSummary;
  readonly quantity: number;
  /** Cents per unit. */
  readonly price: number;
  /** Cents. */
  readonly amount: number;
  readonly created_at: Instant;
}

export type PurchaseEvent = EventOf<'purchase-recorded.v1', PurchaseRecorded>;

export const purchaseEvents = defineEventTypes<PurchaseEvent>('purchase', { 'purchase-recorded.v1': true });
