import { idOf, type Recorded } from '#kernel';
import { placeOf, Violation } from './violation.js';

/** So long after a deal was changed, in milliseconds of the world, a call that had read it before may still be written. */
const UNTIL_WRITTEN = 30_000;

/** What a deal says of its incentive. Amounts are cents. */
interface Terms {
  readonly min_spend: number | null;
  readonly num_qualifying: number | null;
  readonly incentive_amount: number | null;
  readonly incentive_percentage: number | null;
  readonly maximum_allowance: number | null;
}

interface Data {
  readonly attributes: Terms;
  readonly deal_id: string;
  readonly transaction_amount: number;
  readonly qualifying: number;
  readonly incentive: number;
}

/** Terms, and when others took their place, in milliseconds of the world. */
interface Version {
  readonly terms: Terms;
  until: number;
}

/**
 * Every redemption of a card link earns what its deal promised at that time (ruling H1). It is computed here, from each deal's
 * events and the redemptions of the link before.
 * @param written when each event was written, in milliseconds of the world, by its index in the log
 * @throws Violation
 */
export function checkIncentives(events: readonly Recorded[], written: readonly number[]): void {
  const deals = new Map<string, Version[]>();
  /** The qualifying redemptions of each link so far, by its stream. */
  const before = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const at = written[index] ?? 0;
    const { attributes, deal_id } = event.data as Data;
    if (event.stream.startsWith('deal-')) {
      const versions = deals.get(idOf(event.stream)) ?? [];
      const last = versions.at(-1);
      if (last !== undefined) last.until = at;
      deals.set(idOf(event.stream), [...versions, { terms: attributes, until: Infinity }]);
    } else if (event.type === 'card-link-redeemed.v1') {
      const versions = (deals.get(deal_id) ?? []).filter(({ until }) => until + UNTIL_WRITTEN >= at);
      const qualifying = earns(event, before.get(event.stream) ?? 0, versions);
      before.set(event.stream, qualifying);
    }
  }
}

/** @returns the qualifying redemptions of the link after this one */
function earns(event: Recorded, before: number, versions: readonly Version[]): number {
  const { transaction_amount: amount, qualifying, incentive } = event.data as Data;
  const allowed = versions.map(({ terms }) => expected(terms, amount, before));
  if (allowed.some((each) => each.qualifying === qualifying && each.incentive === incentive)) return qualifying;
  const found = JSON.stringify({ amount, qualifying, incentive });
  throw new Violation(
    'a redemption earns the incentive of its deal',
    placeOf(event),
    `${found}; expected ${JSON.stringify(allowed)}`,
  );
}

function expected(terms: Terms, amount: number, before: number): Pick<Data, 'qualifying' | 'incentive'> {
  const { min_spend, num_qualifying, incentive_amount, incentive_percentage, maximum_allowance } = terms;
  if (min_spend !== null && amount < min_spend) return { qualifying: before, incentive: 0 };
  const qualifying = before + 1;
  if (num_qualifying !== null && num_qualifying > 0 && qualifying % num_qualifying !== 0)
    return { qualifying, incentive: 0 };
  const share = Math.min(amount, maximum_allowance ?? Infinity) * (incentive_percentage ?? 0);
  return { qualifying, incentive: incentive_amount ?? (share - (share % 100)) / 100 };
}
