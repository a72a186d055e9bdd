import { Remembered, type Engine } from '#eventsourcing';
import type { DealRow } from './deal.row.js';
import { dealsView } from './deal.view.js';

/** Deals that are remembered, in each of the map's two generations. */
const REMEMBERED = 10_000;

/**
 * Deals by slug, remembered until one of them changes: lists show the same ones again and again, and reading a deal's text
 * costs more than finding it. Their units, which change with every sale, are in the listing.
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
