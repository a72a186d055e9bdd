/** The ways in which a deal sells. */
export const SALE_KINDS = ['claims', 'late claims', 'by card', 'by resellers'] as const;
export type SaleKind = (typeof SALE_KINDS)[number];

/** What a certificate adds up. Money is in cents. */
export class Totals {
  events = 0;
  /** Units. */
  released = 0;
  expired = 0;
  undone = 0;
  returned = 0;
  readonly sales: Readonly<Record<SaleKind, { sales: number; units: number; amount: number }>> = {
    claims: { sales: 0, units: 0, amount: 0 },
    'late claims': { sales: 0, units: 0, amount: 0 },
    'by card': { sales: 0, units: 0, amount: 0 },
    'by resellers': { sales: 0, units: 0, amount: 0 },
  };
  readonly coupons = { issued: 0, redeemed: 0, cancelled: 0, reissued: 0 };
  /** What our gateway has taken, given back for coupons, must still give back, and will not. */
  readonly money = { charged: 0, returned: 0, due: 0, refused: 0, voided: 0 };
  /** What partners owe their buyers for cancelled coupons. */
  partners = 0;
}
