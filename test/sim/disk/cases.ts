import { checkFiles, checkService } from './check.js';
import { crash } from './crash.js';
import { lay } from './lay.js';
import type { Operation } from './operations.js';
import { Seeded } from '../core/seeded.js';
import type { Story } from './record.js';
import { checkStart } from './start.js';
import { type Told, toldBy } from './told.js';

/** How much of the build opens what the power left: the adapter's files alone, everything but HTTP, or the whole service. */
export type Depth = 'files' | 'service' | 'start';

const CHECKS: Readonly<Record<Depth, (story: Story, told: Told) => Promise<void>>> = {
  files: checkFiles,
  service: checkService,
  start: checkStart,
};

/** A cut that shows a defect. */
export interface Failure {
  readonly seed: number;
  readonly reason: string;
  /** What became of the unsynced operations of each file and folder. */
  readonly fates: readonly string[];
}

/**
 * Cuts the power once, as the seed says, and opens what is left with the real build.
 * @returns what went wrong
 */
export async function oneCut(story: Story, seed: number, depth: Depth): Promise<Failure | undefined> {
  const random = new Seeded(`cut ${seed}`);
  const at = placeOf(story, random);
  const image = crash(story.recording, at, random);
  lay(story.recording.root, image);
  const told = toldBy(story, at);
  try {
    await CHECKS[depth](story, told);
    return undefined;
  } catch (error) {
    return { seed, reason: String(error), fates: [`cut at ${at}`, ...image.story] };
  }
}

/**
 * A third of the cuts are anywhere; another third come within a few calls of an answer, a sync or a new name; the rest within a
 * few calls of a write to a file that is drawn first, so that files with few writes get as many cuts as the others.
 */
function placeOf({ recording: { operations, end } }: Story, random: Seeded): number {
  const way = random.whole(0, 2);
  if (way === 0) return random.whole(0, end - 1);
  const kind = random.one(['told', 'sync', 'names'] as const);
  const near = way === 1 ? operations.filter((each) => each.kind === kind) : writesOfOne(operations, random);
  const { began, returned } = random.one(near);
  return (random.chance(0.5) ? began : returned) + 1 + random.whole(0, 3);
}

function writesOfOne(operations: readonly Operation[], random: Seeded): readonly Operation[] {
  const writes = operations.filter((each) => each.kind === 'write');
  const file = random.one([...new Set(writes.map((each) => each.file))]);
  return writes.filter((each) => each.file === file);
}

/** The first of some seeds that shows a defect. */
export async function firstFailure(
  story: Story,
  depth: Depth,
  seeds: { readonly from: number; readonly to: number },
): Promise<Failure | undefined> {
  for (let seed = seeds.from; seed < seeds.to; seed += 1) {
    const failure = await oneCut(story, seed, depth);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
