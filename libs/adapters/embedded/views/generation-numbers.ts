import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readWithin, syncFolder, writeNamed } from '#files';
import { FILES } from '#kernel/bounds';

/** The live generation of a view and version, and the highest number taken. */
export interface GenerationNumbers {
  readonly live: number | null;
  /** The highest number that a generation has had. */
  readonly last: number;
}

/** The content of the file; undefined if there is none, or none that can be read. */
export function readGenerationNumbers(file: string): GenerationNumbers | undefined {
  try {
    const { live, last } = JSON.parse(readWithin(file, FILES.standing)?.toString() ?? '') as Partial<GenerationNumbers>;
    return Number.isInteger(last) && (live === null || Number.isInteger(live))
      ? ({ live, last } as GenerationNumbers)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces the file in one step: readers see the old or the new content, even after a power cut. Before the first live
 * generation a power cut has nothing to destroy, so the first start of all views does not wait for a sync.
 */
export function writeGenerationNumbers(file: string, standing: GenerationNumbers): void {
  const durable = standing.last > 1 || standing.live !== null;
  const next = `${file}.next`;
  writeNamed(file, () => {
    const descriptor = openSync(next, 'w');
    try {
      writeFileSync(descriptor, `${JSON.stringify(standing)}\n`);
      if (durable) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(next, file);
  });
  if (durable) syncFolder(dirname(file));
}
