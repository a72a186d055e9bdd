import { Remembered, type Engine } from '#eventsourcing';
import type { DealRow } from './deal.row.js';
import { dealsView } from './deal.view.js';

/** Deals in each of the two generations of the memory. */
const REMEMBERED = 10_000;

/**
 * Remembers deals by slug until one of them changes. Lists show the same deals again and again, and reading a deal's text
 * costs more than finding it. The units, which change with every sale, are in the listing.
 */
export class Deals {
  readonly #remembered: Remembered<DealRow>;

  constructor(private readonly engine: Pick<Engine, 'views' | 'changes'>) {
    this.#remembered = new Remembered(engine.changes, dealsView, REMEMBERED);
  }

  find(id: string): Promise<DealRow | undefined> {
    return this.#remembered.find(id, async () => (await this.engine.views.reader(dealsView).get(id))?.row);
  }
}
