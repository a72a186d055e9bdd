import { PageSize, type Engine, generationBytes } from '#eventsourcing';
import { ListItems, type MadeItems, type ReadRow } from '#http';
import type { Instant } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import { regionsView } from '../region/region.view.js';
import type { Regions } from '../region/regions.js';
import { dealListingView } from './deal-listing.view.js';
import type { FoundDeal, FoundDeals } from './deal.queries.js';
import { dealsView } from './deal.view.js';
import type { Deals } from './deals.js';

/** What a list shows of each deal. */
export interface Shape {
  /** The same for all calls that show the same. */
  readonly name: string;
  readonly present: (deal: FoundDeal) => object;
}

/**
 * The deals of lists as JSON, remembered by the version of their row in the listing: it changes with every event of the deal
 * and of its units. A change of a region, whose name and time zone they show, forgets all.
 */
export class DealItems {
  /** What a deal counts in a page: its characters (`DealBody`). */
  readonly #items: ListItems<number>;

  constructor(
    private readonly engine: Pick<Engine, 'views' | 'changes' | 'freshness' | 'time'>,
    private readonly bodies: Deals,
    private readonly regions: Regions,
  ) {
    const items = new ListItems<number>(engine.time, generationBytes('dealItems'));
    const forget = (): void => items.forget();
    engine.changes.subscribe(regionsView, forget);
    for (const view of [dealListingView, dealsView, regionsView]) engine.changes.whenReplaced(view, forget);
    this.#items = items;
  }

  /**
   * The deals of a page, in its order.
   * @throws DomainError page_too_large
   */
  of({ rows, now }: FoundDeals, { name, present }: Shape): Promise<MadeItems> {
    const size = new PageSize(LARGEST_PAGE);
    return this.#items.of({
      rows,
      now,
      shape: name,
      read: (key) => this.#read(key, now, present),
      take: (characters) => size.take(characters),
    });
  }

  /** undefined if one of the views does not have the deal (yet). */
  async #read(key: string, now: Instant, present: Shape['present']): Promise<ReadRow<number> | undefined> {
    const { views, freshness } = this.engine;
    const listed = await views.reader(dealListingView).get(key);
    if (listed === undefined) return undefined;
    const { position, row } = listed;
    // The listing may be ahead of the view of the bodies, and then this body may be older than the row.
    const isCertain = freshness.has(dealsView, position);
    const body = await this.bodies.find(key);
    if (body === undefined) return undefined;
    const { start_at, end_at, region_id } = body.row.attributes;
    const region = await this.regions.find(region_id);
    const deal = { row: body.row, region, units: row.units, ranOut: 0, now };
    return { position, size: body.characters, turns: [start_at, end_at], isCertain, show: () => present(deal) };
  }
}
