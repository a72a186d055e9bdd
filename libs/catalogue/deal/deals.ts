import { RowCache, type Engine } from '#eventsourcing';
import type { DealRow } from './deal.row.js';
import { dealsView } from './deal.view.js';

/** Deals in each of the two generations of the memory. */
const CACHED = 10_000;

/**
 * Remembers deals by slug until one of them changes. Lists show the same deals again and again, and reading a deal's text
 * costs more than finding it. The units, which change with every sale, are in the listing.
 */
export class Deals extends RowCache<DealRow> {
  readonly #sizes = new WeakMap<DealRow, number>();

  constructor(engine: Pick<Engine, 'views' | 'changes'>) {
    super(engine, dealsView, CACHED);
  }

  /** Characters of a deal, as JSON; worked out once for as long as it is remembered. */
  sizeOf(deal: DealRow): number {
    const known = this.#sizes.get(deal) ?? JSON.stringify(deal).length;
    this.#sizes.set(deal, known);
    return known;
  }
}
