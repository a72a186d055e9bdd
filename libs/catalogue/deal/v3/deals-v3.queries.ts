import { Inject } from '@nestjs/common';
import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  and,
  everything,
  ExaminedRows,
  oneOf,
  Slices,
  type Paging,
  type RowVersion,
  Reader,
  Clock,
  Time,
  shownNow,
} from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { MOST_EXAMINED } from '#kernel/bounds';
import { RegionFinder } from '../../region/region-finder.js';
import { regionsView } from '../../region/region.view.js';
import { inState, type DealOrder } from '../deal-criteria.js';
import { FindDeals, type FoundDeals } from '../deal.queries.js';
import type { FilterCity } from './condition.js';
import type { DealListRequestV3 } from './deals-v3.schema.js';
import { whereOf } from './filter-where.js';
import { wrongAt } from './generated-parser.js';

/** The in-flight deals of a v3 list, or their number. */
export class FindDealsV3 extends Query<FoundDeals | number> {
  constructor(
    readonly request: Pick<DealListRequestV3, 'filter' | 'sort' | 'paging' | 'keywords'>,
    readonly since: Position,
  ) {
    super();
  }
}

type Fits = FindDeals['where'];

/** A condition and an order of deals. */
interface Listing {
  readonly fits: Fits;
  readonly by: DealOrder;
  readonly since: Position;
}

@QueryHandler(FindDealsV3)
export class FindDealsV3Handler implements IQueryHandler<FindDealsV3> {
  constructor(
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Time) private readonly time: Time,
    private readonly queries: QueryBus,
    private readonly finder: RegionFinder,
  ) {}

  /** @throws BadQuery for a city that belongs to no region */
  async execute({ request, since }: FindDealsV3): Promise<FoundDeals | number> {
    const { filter, sort, paging, keywords } = request;
    await this.reader.until([regionsView], since);
    const where = await whereOf(filter, this.#regionsIn(keywords.filter ?? ''));
    const fits: Fits = (now) => and(inState('in-flight', now), where);
    const listing = { fits, by: sort.by, since };
    if (paging.count) return this.#count(listing);
    if (sort.regionName === undefined) return this.#page(listing, paging.page, paging.perPage);
    return this.#byRegionName(listing, paging, sort.regionName === 'desc');
  }

  /** Finds the regions of the cities in a filter, each once, and in slices: a filter has hundreds. */
  #regionsIn(text: string): (city: FilterCity) => Promise<string> {
    const found = new Map<string, string>();
    const slices = new Slices(this.time);
    return async (city) => {
      const name = `${city.city}, ${city.state}`;
      if (slices.isOver) await slices.next();
      const region = found.get(name) ?? (await this.#regionOf(city, text));
      found.set(name, region);
      return region;
    };
  }

  async #regionOf({ city, state, at }: FilterCity, text: string): Promise<string> {
    try {
      return (await this.finder.regionOf(`${city}, ${state}`)).id;
    } catch (error) {
      throw error instanceof DomainError ? wrongAt('filter', error.message, text, at) : error;
    }
  }

  #page({ fits, by, since }: Listing, page: number, perPage: number): Promise<FoundDeals> {
    const paging = { count: false, page, perPage } as const;
    return this.queries.execute(new FindDeals(undefined, fits, by, paging, since));
  }

  #count({ fits, by, since }: Listing): Promise<number> {
    const paging = { count: true, page: 1, perPage: 1 } as const;
    return this.queries.execute(new FindDeals(undefined, fits, by, paging, since));
  }

  /**
   * The listing has no names of regions. So this reads the regions in order, with equal names together, and their deals. All
   * of them meet the condition at one time.
   */
  async #byRegionName(listing: Listing, { page, perPage }: Paging, descending: boolean): Promise<FoundDeals> {
    let skip = (page - 1) * perPage;
    const slices = new Slices(this.time);
    const now = shownNow(this.clock);
    const rows: RowVersion[] = [];
    const examined = new ExaminedRows();
    examined.begin(MOST_EXAMINED);
    for (const regions of await this.#regionsByName(descending)) {
      if (slices.isOver) await slices.next();
      const here: Listing = { ...listing, fits: () => and(oneOf('region_id', regions), listing.fits(now)) };
      const count = await this.#count(here);
      examined.take(count);
      if (skip >= count) {
        skip -= count;
        continue;
      }
      if (rows.length === perPage) return { rows, more: true, now };
      const wanted = Math.min(perPage - rows.length, count - skip);
      rows.push(...(await this.#slice(here, skip, wanted)));
      if (skip + wanted < count) return { rows, more: true, now };
      skip = 0;
    }
    return { rows, more: false, now };
  }

  /** A slice of the listing: it lies on one page of its size, or on two. */
  async #slice(listing: Listing, from: number, size: number): Promise<readonly RowVersion[]> {
    const page = Math.floor(from / size) + 1;
    const within = from % size;
    const first = await this.#page(listing, page, size);
    if (within === 0) return first.rows;
    const second = await this.#page(listing, page + 1, size);
    return [...first.rows, ...second.rows].slice(within, within + size);
  }

  /** The slugs of all regions, grouped by the region's name. */
  async #regionsByName(descending: boolean): Promise<readonly (readonly string[])[]> {
    const byName = new Map<string, string[]>();
    const slices = new Slices(this.time);
    for (const { name, id } of await this.reader.all(
      regionsView,
      everything,
      [{ field: 'name', descending }],
      slices,
    )) {
      byName.set(name, [...(byName.get(name) ?? []), id]);
    }
    return [...byName.values()];
  }
}
