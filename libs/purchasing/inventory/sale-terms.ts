import type { Instant } from '#kernel';

/** All money is in US cents: the interface knows no other. */
export const CURRENCY = 'USD';

/** The deal as a purchase shows it (interface 2.5). `image` is a path or URL, `type` one of interface 2.2. */
export interface DealSummary {
  readonly id: string;
  readonly title: string;
  readonly type: string;
  readonly image: string | null;
}

/** What a sale depends on; owned by the inventory, copied from the deal. */
export interface SaleTerms {
  /** The revision of the deal's event that set them: older terms that arrive late are passed over. */
  readonly deal_revision: number;
  readonly deal: DealSummary;
  /** Whether the deal is bought at all, and its workflow lets it sell within its window (rulings C1, C2). */
  readonly on_sale: boolean;
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

/** Whether the deal sells at a time: the clock decides, not what a timer has recorded (ruling C1). */
export function sellsAt(terms: SaleTerms, now: Instant): boolean {
  return terms.on_sale && now >= terms.start_at && now < terms.end_at;
}
