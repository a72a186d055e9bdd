/** What the incentive of a card-linked deal depends on (interface 2.1, ruling H1). Amounts are cents; null where not set. */
export interface IncentiveTerms {
  readonly min_spend: number | null;
  readonly num_qualifying: number | null;
  /** Only one of the next two is set. */
  readonly incentive_amount: number | null;
  readonly incentive_percentage: number | null;
  readonly maximum_allowance: number | null;
}

/**
 * What a redemption earns (rulings E4, H1).
 * @param amount cents
 * @param before qualifying redemptions of the link before this one
 * @returns the qualifying redemptions after it, and the incentive in cents
 */
export function incentiveOf(
  terms: IncentiveTerms,
  amount: number,
  before: number,
): { readonly qualifying: number; readonly incentive: number } {
  if (amount < (terms.min_spend ?? 0)) return { qualifying: before, incentive: 0 };
  const qualifying = before + 1;
  const every = Math.max(terms.num_qualifying ?? 1, 1);
  return { qualifying, incentive: qualifying % every === 0 ? earned(terms, amount) : 0 };
}

function earned({ incentive_amount, incentive_percentage, maximum_allowance }: IncentiveTerms, amount: number): number {
  if (incentive_amount !== null) return incentive_amount;
  const counted = Math.min(amount, maximum_allowance ?? amount);
  return Math.floor((counted * (incentive_percentage ?? 0)) / 100);
}
