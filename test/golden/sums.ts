import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GOLDEN = 'test/golden';
const LIST = join(GOLDEN, 'SHA256SUMS');

const sum = (of: string | Buffer): string => createHash('sha256').update(of).digest('hex');

/** A line for each sample, of what it says without its spaces, and for each file of a recorded folder, of its bytes. */
export function presentSums(): readonly string[] {
  const entries = readdirSync(GOLDEN, { withFileTypes: true });
  const samples = entries.map(({ name }) => name).filter((name) => name.endsWith('.json'));
  const recorded = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(GOLDEN, name)).map((file) => `${name}/${file}`));
  const contentOf = (file: string): string =>
    JSON.stringify(JSON.parse(readFileSync(join(GOLDEN, file), 'utf8')) as unknown);
  return [
    ...samples.map((file) => `${sum(contentOf(file))}  ${file}`),
    ...recorded.map((file) => `${sum(readFileSync(join(GOLDEN, file)))}  ${file}`),
  ].sort(byName);
}

/** The stored lines. */
export function listedSums(): readonly string[] {
  return readFileSync(LIST, 'utf8').trim().split('\n').sort(byName);
}

/**
 * Lists what was added.
 * @throws Error if something that is listed has changed or is gone
 */
export function storeSums(): void {
  writeFileSync(LIST, `${grownSums(listedSums(), presentSums()).join('\n')}\n`);
}

/** The lines to list now: those that are listed, and new ones. @throws Error if one of those that are listed is not present */
export function grownSums(listed: readonly string[], present: readonly string[]): readonly string[] {
  const changed = listed.filter((line) => !present.includes(line)).map(nameIn);
  if (changed.length > 0) {
    throw new Error(
      `${changed.join(', ')} in ${GOLDEN}: data of earlier builds never changes. Bring the file back (git checkout), declare the ` +
        'next version of the event with an upcaster, and add a sample of that',
    );
  }
  return present;
}

function byName(a: string, b: string): number {
  return nameIn(a) < nameIn(b) ? -1 : 1;
}

/** The file that a line names. */
function nameIn(line: string): string {
  return line.slice(66);
}
