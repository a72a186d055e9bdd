import type { Seeded } from '../core/seeded.js';

/** What becomes of unsynced operations, in parts. A name has one part, a write as many as it has sectors. */
export interface Fate {
  readonly words: string;
  keeps(operation: number, part: number, parts: number): boolean;
}

const SHARES = [0.05, 0.5, 0.95];

/**
 * Draws what becomes of operations that nobody has synced. Each way has met other defects than the rest: what is lost as a whole
 * shows a missing sync; what is kept in part, an order that nobody has promised.
 */
export function fateOf(operations: number, random: Seeded): Fate {
  const share = random.one(SHARES);
  const pivot = random.whole(0, Math.max(operations - 1, 0));
  const torn = random.fraction();
  const ways: readonly Fate[] = [
    { words: 'all are lost', keeps: () => false },
    { words: 'all are kept', keeps: () => true },
    {
      words: `the first ${pivot} are kept, and a beginning of the next`,
      keeps: (operation, part, parts) => operation < pivot || (operation === pivot && part < Math.floor(torn * parts)),
    },
    { words: `the first ${pivot} are lost`, keeps: (operation) => operation >= pivot },
    {
      words: `all but one (${pivot}) are kept, and that one in part`,
      keeps: (operation, part, parts) => operation !== pivot || part !== Math.floor(torn * parts),
    },
    { words: `all but one (${pivot}) are kept`, keeps: (operation) => operation !== pivot },
    { words: `only one (${pivot}) is kept`, keeps: (operation) => operation === pivot },
    {
      words: `only one (${pivot}) is kept, without its beginning`,
      keeps: (operation, part, parts) => operation === pivot && part > Math.floor(torn * parts),
    },
    { words: `${share * 100} % of the sectors are kept`, keeps: () => random.chance(share) },
    { words: `${share * 100} % are kept as a whole`, keeps: wholly(share, random) },
  ];
  return random.one(ways);
}

/** Decides once for each operation. */
function wholly(share: number, random: Seeded): Fate['keeps'] {
  const kept = new Map<number, boolean>();
  return (operation) => {
    const known = kept.get(operation);
    if (known !== undefined) return known;
    const keep = random.chance(share);
    kept.set(operation, keep);
    return keep;
  };
}
