import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './planted/targets.js';
import { type Form, run } from './run.js';

/** A seed that the suite runs again and again. */
export interface Kept {
  readonly seed: string;
  readonly commands: number;
  /** The form of the installation; without one, the seed chooses. */
  readonly form?: Form;
  /** Why it is kept: what it once found. */
  readonly why: string;
  /** Of everything that happens in its world. */
  readonly digest: string;
}

const FILE = join(ROOT, 'test/sim/kept.json');
/** The longest time of a kept world, in hours. */
const HOURS = 1_000;

/** The kept seeds, with the digests of their last recording. */
export function keptSeeds(): readonly Kept[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly Kept[];
}

/**
 * Runs the kept seeds again.
 * @returns what is wrong, a line each: a failure, or a world that is not the recorded one
 */
export async function checkKept(tell: (line: string) => void): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const kept of keptSeeds()) {
    const again = await runAgain(kept);
    tell(`seed ${kept.seed}: ${again.digest}`);
    if (again.failure !== undefined) wrong.push(`seed ${kept.seed} fails: ${again.failure}`);
    else if (again.digest !== kept.digest)
      wrong.push(`seed ${kept.seed} makes another world than recorded: ${again.digest}, not ${kept.digest}`);
  }
  return wrong;
}

/** Records the worlds that the kept seeds make today. @throws Error if one of them fails */
export async function recordKept(): Promise<void> {
  const recorded: Kept[] = [];
  for (const kept of keptSeeds()) {
    const { digest, failure } = await runAgain(kept);
    if (failure !== undefined) throw new Error(`seed ${kept.seed} fails: ${failure}`);
    recorded.push({ ...kept, digest });
  }
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
}

async function runAgain({
  seed,
  commands,
  form,
}: Kept): Promise<{ readonly digest: string; readonly failure: string | undefined }> {
  const { digest, failure } = await run({ seed, commands, form, hours: HOURS });
  return { digest, failure: failure?.message };
}
