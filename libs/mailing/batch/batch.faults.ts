import { DomainError, type Instant } from '#kernel';
import { isTomorrow } from '../schedule/schedule-day.js';

/** A fault of a batch that a caller creates, reads or cancels, by its parameter (interface 7.4, ruling F1). */
export type BatchFault =
  /** `of_another`: it is not the batch's deal. */
  | { readonly field: 'deal_id'; readonly code: 'missing' | 'no_text' | 'unknown' | 'not_sold' | 'of_another' }
  | { readonly field: 'batch_id'; readonly code: 'processed' }
  | { readonly field: 'send_at'; readonly code: 'missing' | 'not_tomorrow' | 'before_start' | 'after_end' }
  /** `invalid`: no id names a user who can be scheduled; `scheduled`: all are in other batches of the day. */
  | { readonly field: 'user_ids'; readonly code: 'missing' | 'too_many' | 'invalid' | 'scheduled' }
  /** `day_used_up`: batches were made for the day and cancelled, again and again. */
  | { readonly field: 'user_ids'; readonly code: 'day_full' | 'day_used_up' }
  | { readonly field: 'mode'; readonly code: 'missing' | 'unknown' };

/** The deal that a caller names to guard a batch, or why they name none. */
export type NamedDeal = string | { readonly code: 'missing' | 'no_text' };

/** All faults of a call about a batch. The controller makes messages of them. */
export class BatchInvalid extends DomainError {
  constructor(readonly faults: readonly BatchFault[]) {
    super('batch_invalid', 'validation failed');
  }
}

/** What a batch's time depends on, as its deal has it now. */
export interface SaleWindow {
  /** The workflow state (interface 3.1). */
  readonly state: string;
  readonly start_at: Instant;
  readonly end_at: Instant;
}

/** The states of a deal that mails may be about (interface 7.4, ruling H3). */
export function isMailable(state: string): boolean {
  return state === 'in-flight' || state === 'approved';
}

/**
 * The faults of a new batch's deal and time.
 * @param deal null for an unknown one, undefined if the caller names none
 * @param sendAt undefined if the caller sends no time
 */
export function timeFaults(
  deal: SaleWindow | null | undefined,
  sendAt: Instant | undefined,
  now: Instant,
): readonly BatchFault[] {
  const faults: BatchFault[] = [];
  if (deal === null) faults.push({ field: 'deal_id', code: 'unknown' });
  else if (deal !== undefined && !isMailable(deal.state)) faults.push({ field: 'deal_id', code: 'not_sold' });
  if (sendAt === undefined) return faults;
  if (!isTomorrow(sendAt, now)) faults.push({ field: 'send_at', code: 'not_tomorrow' });
  if (deal === null || deal === undefined) return faults;
  if (sendAt < deal.start_at) faults.push({ field: 'send_at', code: 'before_start' });
  if (sendAt >= deal.end_at) faults.push({ field: 'send_at', code: 'after_end' });
  return faults;
}
