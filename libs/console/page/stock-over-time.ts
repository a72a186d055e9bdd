/** A change of a deal’s units, as the ledger has it. */
export interface Entry {
  readonly revision: number;
  readonly position: string;
  readonly time: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly type: string;
  readonly words: string;
  readonly change: Readonly<Record<string, number | null>>;
  readonly units: { readonly stock: number | null; readonly held: number; readonly sold: number };
}

interface PartOfLedger {
  readonly entries: readonly Entry[];
  readonly next: number | null;
}

/** What a picture of a deal’s stock is made of. */
export interface StockOverTime {
  readonly points: readonly Entry[];
  /** The last changes, the newest last. */
  readonly last: readonly Entry[];
  /** How many changes there are. */
  readonly changes: number;
  /** Whether the points are all of them. */
  readonly isWhole: boolean;
}

/** The most changes that are read one by one. */
const WHOLE = 1_000;
/** The points of a picture of more. */
const POINTS = 120;
const LAST = 10;

/**
 * Reads the ledger of a deal: all of it if it is short, otherwise points that are evenly chosen, and its end. So a deal with a
 * million sales costs no more than one with a thousand.
 */
export async function stockOverTime(
  read: (from: number, limit: number) => Promise<PartOfLedger>,
): Promise<StockOverTime> {
  const { entries, next } = await read(0, WHOLE);
  if (next === null) return { points: entries, last: entries.slice(-LAST), changes: entries.length, isWhole: true };
  const end = await endOf(read, next);
  const chosen = Array.from({ length: POINTS }, (_, nth) => Math.floor((nth * end) / POINTS));
  const points: Entry[] = [];
  for (let at = 0; at < POINTS; at += 6) {
    const some = await Promise.all(chosen.slice(at, at + 6).map((from) => read(from, 1)));
    points.push(...some.flatMap((part) => part.entries));
  }
  const { entries: last } = await read(Math.max(0, end - LAST), LAST + 1);
  const all = [...points, ...last].filter(
    (entry, nth, sorted) => nth === 0 || entry.revision > (sorted[nth - 1]?.revision ?? -1),
  );
  return { points: all, last: last.slice(-LAST), changes: end + 1, isWhole: false };
}

/** The last revision. */
async function endOf(read: (from: number, limit: number) => Promise<PartOfLedger>, known: number): Promise<number> {
  let [there, beyond] = [known, known * 2];
  const isThere = async (at: number): Promise<boolean> => {
    const { entries, next } = await read(at, 1);
    return entries.length > 0 || next !== null;
  };
  while (await isThere(beyond)) [there, beyond] = [beyond, beyond * 2];
  while (beyond - there > 1) {
    const middle = Math.floor((there + beyond) / 2);
    if (await isThere(middle)) there = middle;
    else beyond = middle;
  }
  return there;
}
