import { List } from 'immutable';
import { streamName, type EventBody, type EventPlace } from '#kernel';
import { inventoryEvents, type CodeAt, type CodesAdded, type InventoryEvent } from './inventory.events.js';

/** Codes that stand one after another in one event. */
export interface CodeRun extends CodeAt {
  readonly count: number;
}

/**
 * Redemption codes by their places in the log: each sold unit gets one (ruling D10). It has no text of a code, and forgets the
 * places of codes that a sale has used, so it is as large as the events whose codes are not sold yet.
 */
export interface CodePool {
  /** All codes that the pool has ever had. */
  readonly added: number;
  /** The revision of the last event that added some. */
  readonly last: number;
  /** Codes that no sale, open checkout or open resale has, in the order in which they are taken. */
  readonly left: List<CodeRun>;
  /** Codes that no sale has used. Those of open checkouts and resales count, because their units count as held. */
  readonly unsold: number;
}

/** The pool after an event has added codes to its end. */
export function withCodes(pool: CodePool | null, { revision, codes }: CodesAdded): CodePool {
  const { added, left, unsold } = pool ?? { added: 0, left: List<CodeRun>(), unsold: 0 };
  const count = codes.length;
  return {
    added: added + count,
    last: revision,
    left: left.push({ revision, index: 0, count }),
    unsold: unsold + count,
  };
}

/** The codes that the next sale of so many units takes; fewer if fewer are left. */
export function nextCodes(pool: CodePool | null, quantity: number): readonly CodeAt[] {
  const codes: CodeAt[] = [];
  for (const { revision, index, count } of pool?.left ?? []) {
    if (codes.length >= quantity) break;
    const some = Math.min(count, quantity - codes.length);
    for (let at = 0; at < some; at += 1) codes.push({ revision, index: index + at });
  }
  return codes;
}

/** The pool after a sale, a checkout or a resale has taken these codes. */
export function withoutCodes(pool: CodePool, taken: readonly CodeRun[]): CodePool {
  return { ...pool, left: taken.reduce(cutOut, pool.left) };
}

/** The pool after a sale has used so many codes. */
export function withUsed(pool: CodePool, count: number): CodePool {
  return { ...pool, unsold: pool.unsold - count };
}

/** The pool after a checkout or resale came to nothing: its codes are the next to be taken. */
export function withReturned(pool: CodePool, returned: readonly CodeRun[]): CodePool {
  return { ...pool, left: returned.reduceRight(putFirst, pool.left) };
}

/** Codes as runs, in the same order. */
export function runsOf(codes: readonly CodeAt[]): readonly CodeRun[] {
  const runs: CodeRun[] = [];
  for (const { revision, index } of codes) {
    const last = runs.at(-1);
    if (last?.revision === revision && last.index + last.count === index) {
      runs[runs.length - 1] = { ...last, count: last.count + 1 };
    } else {
      runs.push({ revision, index, count: 1 });
    }
  }
  return runs;
}

/** The number of codes in runs. */
export function countOf(runs: readonly CodeRun[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0);
}

/** The event that has the text of a deal's code. */
export function eventOfCode(dealId: string, { revision }: CodeAt): EventPlace {
  return { stream: streamName(inventoryEvents.category, dealId), revision };
}

/** The text of a code; undefined if the event does not have it. */
export function textOfCode(event: EventBody, { revision, index }: CodeAt): string | undefined {
  const { type, data } = event as InventoryEvent;
  return type === 'codes-added.v1' && data.revision === revision ? data.codes[index] : undefined;
}

/** Without the codes of a run, which are nearly always the first. */
function cutOut(left: List<CodeRun>, taken: CodeRun): List<CodeRun> {
  const at = left.findIndex(
    ({ revision, index, count }) =>
      revision === taken.revision && index <= taken.index && taken.index + taken.count <= index + count,
  );
  const run = left.get(at);
  if (at < 0 || run === undefined) return left;
  const { revision, index, count } = run;
  const before = { revision, index, count: taken.index - index };
  const after = { revision, index: taken.index + taken.count, count: index + count - taken.index - taken.count };
  const rest = [before, after].filter((each) => each.count > 0);
  if (at > 0) return left.splice(at, 1, ...rest);
  return rest.reduceRight((list, each) => list.unshift(each), left.shift());
}

function putFirst(left: List<CodeRun>, run: CodeRun): List<CodeRun> {
  const first = left.first();
  const joins = first?.revision === run.revision && run.index + run.count === first.index;
  return joins ? left.set(0, { ...run, count: run.count + first.count }) : left.unshift(run);
}
