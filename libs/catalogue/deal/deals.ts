import { BoundedMap, type Engine } from '#eventsourcing';
import type { DealRow } from './deal.row.js';
import { dealsView } from './deal.view.js';

/** Deals that are remembered, in each of the map's two generations. */
const REMEMBERED = 10_000;

/**
 * Deals by slug, remembered until one of them changes: lists show the same ones again and again, and reading a deal's text
 * costs more than finding it. Their units, which change with every sale, are in the listing.
 */
export class Deals {
  #known = new BoundedMap<string, DealRow>(REMEMBERED);

  constructor(private readonly engine: Pick<Engine, 'views'>) {}

  async find(id: string): Promise<DealRow | undefined> {
    // What is found while a deal changes goes into the map that is forgotten with the change.
    const remembered = this.#known;
    const known = remembered.get(id);
    if (known !== undefined) return known;
    const found = await this.engine.views.reader(dealsView).get(id);
    if (found !== undefined) remembered.set(id, found.row);
    return found?.row;
  }

  /** A deal changed. */
  forget(): void {
    this.#known = new BoundedMap(REMEMBERED);
  }
}
