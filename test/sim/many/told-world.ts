import type { Fault } from '../core/faults.js';
import type { Form, Plan, Result } from '../run.js';

/** What is told of a world: as much as goes from one process to another. */
export interface ToldWorld {
  readonly seed: string;
  /** Undefined if its process ended before it told. */
  readonly form: Form | undefined;
  readonly digest: string;
  readonly steps: number;
  /** Milliseconds of the world. */
  readonly lasted: number;
  /** Milliseconds of the real machine, and of its processors. */
  readonly took: number;
  readonly worked: number;
  /** How often each fault struck. */
  readonly struck: Readonly<Partial<Record<Fault, number>>>;
  /** What was wrong; undefined if nothing was. */
  readonly failure: string | undefined;
}

/** Runs a world and measures it. */
export async function measured(plan: Plan, runIt: () => Promise<Result>): Promise<[ToldWorld, Result]> {
  const began = performance.now();
  const before = process.cpuUsage();
  const result = await runIt();
  const { user, system } = process.cpuUsage(before);
  const { digest, form, steps, lasted, struck, failure } = result;
  const told = {
    seed: plan.seed,
    form,
    digest,
    steps,
    lasted,
    took: performance.now() - began,
    worked: (user + system) / 1_000,
    struck: Object.fromEntries(struck),
    failure: failure?.message,
  };
  return [told, result];
}

/** A world whose process ended before it told. */
export function untold({ seed }: Plan, took: number, failure: string): ToldWorld {
  return { seed, form: undefined, digest: '?', steps: 0, lasted: 0, took, worked: 0, struck: {}, failure };
}

/** One line. */
export function lineOf({ seed, form, digest, steps, lasted, took, struck, failure }: ToldWorld): string {
  const faults = Object.values(struck).reduce((sum, times) => sum + times, 0);
  const world = `${steps} steps, ${faults} faults, ${(lasted / 60_000).toFixed(1)} min in ${(took / 1_000).toFixed(1)} s`;
  return `seed ${seed}: ${digest}, ${world}, ${form ?? '?'}${failure === undefined ? '' : `, FAILED: ${failure}`}`;
}
