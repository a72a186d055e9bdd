import { DAY, type Instant } from '#kernel';

/** All money is in US cents, the only currency of the interface. */
export const CURRENCY = 'USD';

/** The deal in a purchase, as sold (interface 2.5, ruling I2). `image` is a path or URL, `type` one of interface 2.2. */
export interface DealSummary {
  readonly id: string;
  /** The revision of the deal's event that has all that was sold: every event of a deal holds the whole deal. */
  readonly revision: number;
  readonly title: string;
  readonly type: string;
  readonly image: string | null;
}

/** The terms of a sale, copied from the deal. They belong to the inventory. */
export interface SaleTerms {
  /** Its revision is that of the deal's event that set them: the inventory ignores older terms that arrive late. */
  readonly deal: DealSummary;
  /** Whether the deal's type and workflow state let it sell between `start_at` and `end_at` (rulings C1, C2). */
  readonly on_sale: boolean;
  readonly start_at: Instant;
  readonly end_at: Instant;
  /** Cents per unit. */
  readonly price: number;
  readonly max_per_user: number | null;
  /** When vouchers expire; null if they do not, or if `expiration_days` decides. */
  readonly expires_at: Instant | null;
  /** Days after the sale at which a voucher expires. */
  readonly expiration_days: number | null;
}

/** When vouchers expire that are sold, or issued again, at a time under such terms; null for never. */
export function vouchersExpireAt(
  { expires_at, expiration_days }: Pick<SaleTerms, 'expires_at' | 'expiration_days'>,
  now: Instant,
): Instant | null {
  return expiration_days === null ? expires_at : now + expiration_days * DAY;
}

/** Whether the deal sells at a time. The clock decides, not an event of a timer (ruling C1). */
export function sellsAt(terms: SaleTerms, now: Instant): boolean {
  return terms.on_sale && now >= terms.start_at && now < terms.end_at;
}
