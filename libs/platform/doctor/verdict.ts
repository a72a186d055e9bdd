/**
 * What a check says. `ok`: nothing to do. `look`: it works, and somebody should look at it. `wrong`: something does not work, or
 * will not after the next start.
 */
export type Verdict = 'ok' | 'look' | 'wrong';

/** The result of a check. */
export interface Result {
  readonly verdict: Verdict;
  /** What was found, in one line. */
  readonly facts: string;
  /** What to do, in sentences; none if nothing is to be done. */
  readonly todo: readonly string[];
}

export const ok = (facts: string): Result => ({ verdict: 'ok', facts, todo: [] });
export const look = (facts: string, ...todo: readonly string[]): Result => ({ verdict: 'look', facts, todo });
export const wrong = (facts: string, ...todo: readonly string[]): Result => ({ verdict: 'wrong', facts, todo });

const WEIGHT: Readonly<Record<Verdict, number>> = { ok: 0, look: 1, wrong: 2 };

/** The worst of some verdicts; `ok` for none. */
export const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce<Verdict>((sum, each) => (WEIGHT[each] > WEIGHT[sum] ? each : sum), 'ok');

/** Several results of one check as one: their facts after each other, and all that is to be done. */
export function together(results: readonly Result[]): Result {
  return {
    verdict: worst(results.map(({ verdict }) => verdict)),
    facts: results
      .map(({ facts }) => facts)
      .filter((facts) => facts !== '')
      .join('; '),
    todo: results.flatMap(({ todo }) => todo),
  };
}
