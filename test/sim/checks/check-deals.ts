import type { Recorded } from '#kernel';
import type { Act } from '../workload/history.js';
import { DealHistories } from './deal-history.js';
import { dealUnits } from './deal-units.js';
import { linearize } from './linearizable.js';
import { Violation } from './violation.js';

/** Steps of the search for one deal. */
const MOST_STEPS = 200_000;
/** Milliseconds by which the clocks of processes may differ from the one that the clients read. */
const TOLERANCE = 10_000;

/**
 * Every deal's units were given as if one after another, between the calls and the answers of those who asked.
 * @returns how many deals were decided, and how many were given up
 * @throws Violation
 */
export function checkDeals(
  events: readonly Recorded[],
  written: readonly number[],
  acts: readonly Act[],
): { readonly decided: number; readonly givenUp: number } {
  let [decided, givenUp] = [0, 0];
  for (const [deal, history] of new DealHistories(events, written, acts).all) {
    const verdict = linearize(dealUnits(null, TOLERANCE), history, MOST_STEPS);
    if (verdict.kind === 'unknown') givenUp += 1;
    else decided += 1;
    if (verdict.kind !== 'not') continue;
    const { blocked, explained } = verdict;
    const words = `no order explains ${JSON.stringify(blocked.op)} between ${blocked.invoked} and ${blocked.returned}`;
    throw new Violation(
      'a deal’s units are linearizable',
      `deal ${deal}`,
      `${words}; ${explained} of ${history.length} are explained`,
    );
  }
  return { decided, givenUp };
}
