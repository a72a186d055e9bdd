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

/** Stores the present lines. From format 1 on, nobody may: nothing that is listed changes. */
export function storeSums(): void {
  writeFileSync(LIST, `${presentSums().join('\n')}\n`);
}

/** By the file's name. */
function byName(a: string, b: string): number {
  return a.slice(66) < b.slice(66) ? -1 : 1;
}
