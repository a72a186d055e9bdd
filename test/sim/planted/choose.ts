import { createHash } from 'node:crypto';

/** What the list of mutants is chosen by, from all generated ones. */
export const LIST = { seed: 'list-1', count: 240 } as const;
/** What the mutants to be found are drawn by, from the list. The draw was made once, before any mutant was tried. */
export const DRAW = { seed: 'draw-1', count: 42 } as const;

/**
 * Chooses items by a seed: first one of each group, then uniformly among all others. The order of chance is that of the SHA-256
 * of seed and id, so the choice depends on nothing else.
 * @param groupOf what every item's group is called; no group is left out
 * @returns the chosen items in the order in which they were given
 */
export function choose<T extends { readonly id: string }>(
  items: readonly T[],
  groupOf: (item: T) => string,
  { seed, count }: { readonly seed: string; readonly count: number },
): readonly T[] {
  const rank = (item: T): string => createHash('sha256').update(`${seed}:${item.id}`).digest('hex');
  const ranked = items.map((item) => ({ item, rank: rank(item) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const firsts = new Map<string, T>();
  for (const { item } of ranked) if (!firsts.has(groupOf(item))) firsts.set(groupOf(item), item);
  const chosen = new Set(firsts.values());
  for (const { item } of ranked) if (chosen.size < count) chosen.add(item);
  return items.filter((item) => chosen.has(item));
}
