import { List, Map, Set } from 'immutable';
import type { StateParts } from '#kernel';
import type { CodePool, CodeRun } from './code-pool.js';
import { noInventory, type InventoryState } from './inventory.state.js';

/** Entries of a collection in one part: each has some 100 bytes at most. */
const ENTRIES = 2_000;

const MAPS = ['holds', 'holdsOfUser', 'sales', 'unitsOfUser', 'checkouts', 'checkoutOfUser', 'resales'] as const;
const SETS = ['stockChanges', 'returned', 'ended'] as const;

/** Fields that are no collections, entries of a collection, or codes. */
type Part =
  | { readonly kind: 'values'; readonly values: Pick<InventoryState, 'terms' | 'stock' | 'held' | 'sold'> }
  | { readonly kind: 'pool'; readonly pool: Omit<CodePool, 'left'> }
  | { readonly kind: 'entries'; readonly field: string; readonly entries: readonly unknown[] };

/** The state of a deal in parts, and back. */
export const inventoryParts: StateParts<InventoryState> = {
  *parts(state) {
    const { terms, stock, held, sold, codes } = state;
    const part = (each: Part): Part => each;
    yield part({ kind: 'values', values: { terms, stock, held, sold } });
    for (const field of MAPS) yield* entriesOf(field, state[field].entries());
    for (const field of SETS) yield* entriesOf(field, state[field].values());
    yield* entriesOf('queue', state.queue.values());
    if (codes === null) return;
    const { left, ...pool } = codes;
    yield part({ kind: 'pool', pool });
    yield* entriesOf('left', left.values());
  },
  from(parts) {
    let values: Partial<InventoryState> = {};
    let pool: Omit<CodePool, 'left'> | undefined;
    const entries: Record<string, unknown[]> = {};
    for (const part of parts as readonly Part[]) {
      if (part.kind === 'values') ({ values } = part);
      else if (part.kind === 'pool') ({ pool } = part);
      else for (const each of part.entries) (entries[part.field] ??= []).push(each);
    }
    const collections: Record<string, unknown> = { queue: List(entries['queue'] ?? []) };
    for (const field of MAPS) collections[field] = Map((entries[field] ?? []) as [string, unknown][]);
    for (const field of SETS) collections[field] = Set(entries[field] ?? []);
    const left = List((entries['left'] ?? []) as CodeRun[]);
    const codes = pool === undefined ? null : { ...pool, left };
    return { ...noInventory, ...values, ...(collections as Partial<InventoryState>), codes };
  },
};

function* entriesOf(field: string, all: Iterable<unknown>): Generator<Part, void> {
  let entries: unknown[] = [];
  for (const each of all) {
    entries.push(each);
    if (entries.length < ENTRIES) continue;
    yield { kind: 'entries', field, entries };
    entries = [];
  }
  if (entries.length > 0) yield { kind: 'entries', field, entries };
}
