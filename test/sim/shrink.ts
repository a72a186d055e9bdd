import type { LeftOut } from './core/faults.js';
import { type Plan, type Result, run } from './run.js';

/** The shortest plan that was found to fail in the same way. */
export interface Shrunk {
  readonly plan: Plan;
  readonly result: Result;
  /** How many worlds were tried. */
  readonly tries: number;
}

/** The kind of a failure: what stands before the first colon. Names and numbers after it may differ from run to run. */
export function kindOf(failure: Error): string {
  return failure.message.split(':', 1)[0] ?? '';
}

/**
 * Finds a shorter plan that fails in the same way: first without whole kinds of faults, then without operations, then without
 * single strikes.
 * @param failed the result of the plan
 * @param most the most worlds to try
 */
export async function shrink(plan: Plan, failed: Result, most: number, tell: (words: string) => void): Promise<Shrunk> {
  if (failed.failure === undefined) throw new Error('a plan that does not fail cannot be shrunk');
  const kind = kindOf(failed.failure);
  let best = { plan, result: failed };
  let tries = 0;
  const attempt = async (left: LeftOut): Promise<boolean> => {
    if (tries >= most) return false;
    tries += 1;
    const shorter = { ...best.plan, left };
    const result = await run(shorter);
    if (result.failure === undefined || kindOf(result.failure) !== kind) return false;
    best = { plan: shorter, result };
    return true;
  };
  for (const fault of [...failed.struck.keys()]) {
    const { left = {} } = best.plan;
    await attempt({ ...left, faults: new Set([...(left.faults ?? []), fault]) });
  }
  tell(`${best.result.struck.size} kinds of faults are left after ${tries} worlds`);
  const all = Array.from({ length: plan.commands }, (_, index) => index);
  await leaveOut(all, async (without) => attempt({ ...best.plan.left, operations: without }));
  const { operations = new Set() } = best.plan.left ?? {};
  tell(`${plan.commands - operations.size} operations are left after ${tries} worlds`);
  await leaveOut([...best.result.strikes], async (without) => attempt({ ...best.plan.left, strikes: without }));
  tell(`${best.result.strikes.length} strikes are left after ${tries} worlds`);
  return { ...best, tries };
}

/** Leaves out as many as it can, in halves, quarters and so on (delta debugging). */
async function leaveOut<T>(all: readonly T[], fails: (without: ReadonlySet<T>) => Promise<boolean>): Promise<void> {
  let kept = all;
  let without: ReadonlySet<T> = new Set();
  for (let pieces = 1; kept.length > 0;) {
    const size = Math.ceil(kept.length / pieces);
    let removed = false;
    for (let from = 0; from < kept.length; from += size) {
      const tried = new Set([...without, ...kept.slice(from, from + size)]);
      if (!(await fails(tried))) continue;
      without = tried;
      kept = kept.filter((each) => !tried.has(each));
      removed = true;
      from -= size;
    }
    if (removed) pieces = Math.max(1, Math.floor(pieces / 2));
    else if (size === 1) return;
    else pieces = Math.min(kept.length, pieces * 2);
  }
}
