import {
  PageSize,
  generationBytes,
  later,
  type Reader,
  type StoredRow,
  type Time,
  type ViewChanges,
} from '#eventsourcing';
import { type CacheStats, ListItems, type MadeItems, type ReadItem, viewsOf } from '#http';
import type { Instant, Position, View } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import type { Regions } from '../region/regions.js';
import { dealListingView, type ListedDeal } from './deal-listing.view.js';
import type { FoundDeal, FoundDeals } from './deal.queries.js';
import type { Deals } from './deals.js';

/** What a list shows of each deal. */
export interface Shape {
  /** The same for all calls that show the same. */
  readonly name: string;
  readonly present: (deal: FoundDeal) => object;
}

/** What is read to show a deal, besides its row in the listing. */
interface Parts {
  /** Every event of a deal changes its row in the listing too. */
  readonly along: { readonly bodies: Deals };
  /** Deals show the name and the time zone of their region. */
  readonly besides: { readonly regions: Regions };
}

/** The deals of lists as JSON, remembered by the version of their row in the listing. */
export class DealItems {
  /** What a deal counts in a page: its characters (`DealBody`). */
  readonly #items: ListItems<number, ListedDeal, Parts['along'], Parts['besides']>;

  constructor(reader: Reader, time: Time, changes: ViewChanges, bodies: Deals, regions: Regions) {
    const shows = { rows: dealListingView, along: { bodies }, besides: { regions } };
    this.#items = new ListItems({ reader, time, changes }, shows, generationBytes('dealItems'));
  }

  get stats(): CacheStats {
    return this.#items.stats;
  }

  /** All views that the items show. */
  get views(): readonly Pick<View, 'name'>[] {
    return viewsOf(this.#items.shows);
  }

  /** The position of the last event of a deal’s body and region, which its item shows; undefined for an unknown one. */
  async newestOf(id: string): Promise<Position | undefined> {
    const { along, besides } = this.#items.shows;
    const body = await along.bodies.find(id);
    if (body === undefined) return undefined;
    const region = await besides.regions.stored(body.row.attributes.region_id);
    return later(body.position, region?.position);
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
      read: (listed, shown) => readDeal(listed, shown, now, present),
      take: (characters) => size.take(characters),
    });
  }
}

/** undefined if the view of the bodies does not have the deal (yet). */
async function readDeal(
  { key, row: { units } }: StoredRow<ListedDeal>,
  { bodies, regions }: Parts['along'] & Parts['besides'],
  now: Instant,
  present: Shape['present'],
): Promise<ReadItem<number> | undefined> {
  const body = await bodies.find(key);
  if (body === undefined) return undefined;
  const { row, characters } = body;
  const { start_at, end_at, region_id } = row.attributes;
  const region = await regions.find(region_id);
  return {
    size: characters,
    newest: body.position,
    turns: [start_at, end_at],
    show: () => present({ row, region, units, ranOut: 0, now }),
  };
}
