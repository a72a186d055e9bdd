import type { Instant } from '#kernel';

/** Deal types (interface 2.2, ruling C2). The first two are prepaid: only they are bought. */
export const DEAL_TYPES = ['daily-deal', 'on-going', 'affiliate', 'card-linked'] as const;
export type DealType = (typeof DEAL_TYPES)[number];

/** Workflow states of a deal (interface 3.1). */
export const DEAL_STATES = [
  'submitted',
  'in-review',
  'rejected',
  'approved',
  'in-flight',
  'paused',
  'cancelled',
  'landed',
  'deleted',
] as const;
export type DealState = (typeof DEAL_STATES)[number];

/** The deal as a purchase shows it (interface 2.5). `image` is a path or URL. */
export interface DealSummary {
  readonly id: string;
  readonly title: string;
  readonly type: DealType;
  readonly image: string | null;
}

/** What a sale depends on; owned by the inventory, copied from the deal. */
export interface SaleTerms {
  /** The revision of the deal's event that set them: older terms that arrive late are passed over. */
  readonly deal_revision: number;
  readonly deal: DealSummary;
  /** The recorded workflow state; `stateAt` says what is true at a time. */
  readonly state: DealState;
  readonly start_at: Instant;
  readonly end_at: Instant;
  /** Cents per unit. */
  readonly price: number;
  readonly max_per_user: number | null;
  /** When vouchers expire; null where they do not, or where `expiration_days` says it. */
  readonly expires_at: Instant | null;
  /** Days after the sale at which a voucher expires. */
  readonly expiration_days: number | null;
}

/** The workflow state at a time: time decides, not what a timer has recorded (ruling C1). */
export function stateAt(
  deal: { readonly state: DealState; readonly start_at: Instant; readonly end_at: Instant },
  now: Instant,
): DealState {
  const state = deal.state === 'approved' && now >= deal.start_at ? 'in-flight' : deal.state;
  return (state === 'in-flight' || state === 'paused') && now >= deal.end_at ? 'landed' : state;
}

/** Whether the deal sells at a time (rulings C1, C2). */
export function sellsAt(terms: SaleTerms, now: Instant): boolean {
  const prepaid = terms.deal.type === 'daily-deal' || terms.deal.type === 'on-going';
  return prepaid && stateAt(terms, now) === 'in-flight' && now >= terms.start_at;
}
