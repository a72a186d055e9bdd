import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { View } from '#kernel';
import { views } from '#platform/model';
import { digestOf, goldenInputs, logsOf } from './golden-rows.js';

/** What is stored of a view. */
export interface ViewDigest {
  readonly version: number;
  readonly digest: string;
}

/** What is stored: for each view its version, and the digest of what its functions make of the inputs. */
export interface Digests {
  /** In the order in which they are folded; new ones come last. */
  readonly inputs: readonly string[];
  readonly views: Readonly<Record<string, ViewDigest>>;
}

export const DIGESTS_FILE = 'test/views/digests.json';
export const COMMAND = 'npm run views:record';

export function readDigests(): Digests {
  return JSON.parse(readFileSync(DIGESTS_FILE, 'utf8')) as Digests;
}

/** The digests of the views in this build. */
export async function digestsOf(of: readonly View[], inputs: readonly string[]): Promise<Digests> {
  const logs = await logsOf(inputs);
  const digested = of.map((view) => {
    return [view.name, { version: view.version, digest: digestOf(view, logs) }] as const;
  });
  return { inputs, views: Object.fromEntries(digested.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/**
 * Views whose rows changed under their stored version: an existing generation would keep the old rows. The inputs never change, so
 * other rows come from other functions, or from an upcaster.
 */
export function forgotten(stored: Digests, present: Digests): readonly string[] {
  return Object.entries(present.views).flatMap(([name, { version, digest }]) => {
    const known = stored.views[name];
    if (known?.version !== version || known.digest === digest) return [];
    return [
      `the rows of view ${name} changed and its version did not: raise \`version\` in ${fileOf(name)} and run ` +
        `\`${COMMAND}\` to store the new digest`,
    ];
  });
}

/** Digests that are missing or outdated. */
export function unstored(stored: Digests, present: Digests): readonly string[] {
  const names = new Set([...Object.keys(stored.views), ...Object.keys(present.views)]);
  const stale = [...names].filter((name) => stored.views[name]?.version !== present.views[name]?.version);
  const missing = goldenInputs().filter((input) => !stored.inputs.includes(input));
  return [
    ...stale.map((name) => `view ${name} has no digest of its present version: run \`${COMMAND}\``),
    ...missing.map((input) => `no digest is made of test/golden/${input}: run \`${COMMAND}\``),
  ];
}

/** The inputs that this tree still has. */
export function stillThere(inputs: readonly string[]): readonly string[] {
  const present = new Set(goldenInputs());
  return inputs.filter((input) => present.has(input));
}

/**
 * The digests to store next: of the present views, over all inputs.
 * @throws Error that names each view whose rows changed while its version did not
 */
export async function nextDigests(stored: Digests): Promise<Digests> {
  const kept = stillThere(stored.inputs);
  const refused = forgotten(stored, await digestsOf(views, kept));
  if (refused.length > 0) throw new Error(refused.join('\n'));
  return digestsOf(views, [...kept, ...goldenInputs().filter((input) => !kept.includes(input))]);
}

/** The source file of a view. */
function fileOf(name: string): string {
  const sources = readdirSync('libs', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  );
  const defines = new RegExp(`name: '${name}',\\s+version: `);
  const source = sources.find((file) => defines.test(readFileSync(join('libs', file), 'utf8')));
  return source === undefined ? 'its source' : join('libs', source);
}
