import type { LeftOut } from './core/faults.js';
import type { Plan, Result } from './run.js';

/** The shortest plan that was found to fail in the same way. */
export interface Shrunk {
  readonly plan: Plan;
  readonly result: Result;
  /** How many worlds were tried. */
  readonly tries: number;
  /** Whether nothing more can be left out; otherwise it ended before it knew. */
  readonly isShortest: boolean;
}

/** What shrinking needs. */
export interface Shrinking {
  readonly run: (plan: Plan) => Promise<Result>;
  /** Whether it must end: its time is over, or somebody has asked for it. */
  readonly isOver: () => boolean;
  /** Told of its progress. */
  readonly tell: (words: string) => void;
}

const HOUR = 3_600_000;
/** After so many worlds in vain it says how far it is. */
const TELLS_AFTER = 20;

/** The kind of a failure: what stands before the first colon, without names and numbers, which may differ from run to run. */
export function kindOf(failure: Error): string {
  const [words = ''] = failure.message.split(':', 1);
  return words.replaceAll(/\S*\d\S*/g, '#');
}

/**
 * Finds a shorter plan that fails in the same way: first without kinds of faults, then without operations, then without single
 * strikes; of each, as many at once as possible.
 * @param failed the result of the plan
 */
export async function shrink(plan: Plan, failed: Result, { run, isOver, tell }: Shrinking): Promise<Shrunk> {
  if (failed.failure === undefined) throw new Error('a plan that does not fail cannot be shrunk');
  const kind = kindOf(failed.failure);
  // A world that goes on for ever without what is left out would take the time of all others.
  const hours = Math.min(plan.hours, 3 * (failed.lasted / HOUR) + 1);
  let best = { plan: { ...plan, hours }, result: failed };
  let tries = 0;
  let inVain = 0;
  const attempt = async (left: LeftOut): Promise<boolean> => {
    if (isOver()) return false;
    tries += 1;
    const shorter = { ...best.plan, left };
    const result = await run(shorter);
    const isSame = result.failure !== undefined && kindOf(result.failure) === kind;
    if (isSame) best = { plan: shorter, result };
    inVain = isSame ? 0 : inVain + 1;
    if (isSame || inVain % TELLS_AFTER === 0) tell(`world ${tries}: ${sizeOf(best.plan, best.result)}`);
    return isSame;
  };
  await leaveOut([...failed.struck.keys()], (faults) => attempt({ ...best.plan.left, faults }));
  const all = Array.from({ length: plan.commands }, (_, index) => index);
  await leaveOut(all, (operations) => attempt({ ...best.plan.left, operations }));
  await leaveOut(best.result.strikes, (strikes) => attempt({ ...best.plan.left, strikes }));
  return { ...best, tries, isShortest: !isOver() };
}

function sizeOf({ commands, left }: Plan, { strikes, struck }: Result): string {
  const operations = commands - (left?.operations?.size ?? 0);
  return `it still fails; operations: ${operations}, faults: ${strikes.length}, kinds of them: ${struck.size}`;
}

/** Leaves out as many as it can, first all, then halves, quarters and so on (delta debugging). */
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
