import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, PageSize, Slices, allRows, and, eq, lte, type Paging, type StoredRow } from '#eventsourcing';
import { DomainError, type Instant, type Position } from '#kernel';
import { LARGEST_PAGE } from '#kernel/bounds';
import { holdExpiry, type Units } from '#purchasing/model';
import { RegionFinder } from '../region/region-finder.js';
import { regionsView } from '../region/region.view.js';
import { Regions } from '../region/regions.js';
import type { DealOrder, DealWhere } from './deal-criteria.js';
import { dealListingView, type ListedDeal } from './deal-listing.view.js';
import type { DealParts } from './deal.present.js';
import { dealsView } from './deal.view.js';
import { Deals } from './deals.js';

/** A deal that a query found, ready to present. */
export type FoundDeal = Omit<DealParts, 'publicUrl'>;

/** A deal of a page. */
export interface DealOfPage extends FoundDeal {
  /** How many characters it counts in a page (`DealBody`). */
  readonly characters: number;
}

/** A page of deals. */
export interface FoundDeals {
  readonly deals: readonly DealOfPage[];
  /** Whether another page follows. */
  readonly more: boolean;
}

/** A page of deals of the listing, or their number. */
export class FindDeals {
  constructor(
    /** The region that sells them, in any form of ruling C4; undefined for everywhere. */
    readonly region: string | undefined,
    /** The condition at a time, over the fields of the listing. */
    readonly where: (now: Instant) => DealWhere,
    readonly sort: DealOrder,
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

/** Deals whose bodies are read at once: a page that is too large is refused before many more of the largest are read. */
const TOGETHER = 10;

@QueryHandler(FindDeals)
export class FindDealsHandler implements IQueryHandler<FindDeals, FoundDeals | number> {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness' | 'clock' | 'time'>,
    private readonly bodies: Deals,
    private readonly regions: Regions,
    private readonly finder: RegionFinder,
  ) {}

  async execute({ region, where: fits, sort, paging, since }: FindDeals): Promise<FoundDeals | number> {
    const { views, freshness, clock } = this.engine;
    await freshness.until([dealListingView, dealsView, regionsView], since);
    const now = clock.now();
    const where =
      region === undefined ? fits(now) : and(eq('region_id', (await this.finder.regionOf(region)).id), fits(now));
    const reader = views.reader(dealListingView);
    if (paging.count) return reader.count(where);
    const { page, perPage } = paging;
    const rows = await reader.find({ where, sort, page, perPage, ahead: 1, most: LARGEST_PAGE });
    return { deals: await this.#page(rows.slice(0, perPage), now), more: rows.length > perPage };
  }

  /** @throws DomainError page_too_large */
  async #page(rows: readonly StoredRow<ListedDeal>[], now: Instant): Promise<readonly DealOfPage[]> {
    const size = new PageSize(LARGEST_PAGE);
    const slices = new Slices(this.engine.time);
    const deals: DealOfPage[] = [];
    for (let from = 0; from < rows.length; from += TOGETHER) {
      if (slices.isOver) await slices.next();
      const some = await Promise.all(rows.slice(from, from + TOGETHER).map((row) => this.#parts(row, now)));
      for (const deal of some) {
        if (deal === undefined) continue;
        size.take(deal.characters);
        deals.push(deal);
      }
    }
    return deals;
  }

  /** undefined if the view of the bodies does not have the deal of the listing yet. */
  async #parts({ key, row: { units } }: StoredRow<ListedDeal>, now: Instant): Promise<DealOfPage | undefined> {
    const body = await this.bodies.find(key);
    if (body === undefined) return undefined;
    const { row, characters } = body;
    const region = await this.regions.find(row.attributes.region_id);
    return { row, characters, region, units, ranOut: 0, now };
  }
}

/** Tries to read units and holds of one position while the deal sells. The views are further on at each try. */
const TRIES = 50;

/** Units of a deal, and how many of the held ones have run out. */
type UnitsNow = Pick<FoundDeal, 'units' | 'ranOut'>;

/** One deal, in any state, with its units at this moment. */
export class GetDeal {
  constructor(
    readonly id: string,
    readonly since: Position,
  ) {}
}

@QueryHandler(GetDeal)
export class GetDealHandler implements IQueryHandler<GetDeal, FoundDeal> {
  constructor(
    @Inject(Engine) private readonly engine: Pick<Engine, 'views' | 'freshness' | 'clock'>,
    private readonly regions: Regions,
  ) {}

  async execute({ id, since }: GetDeal): Promise<FoundDeal> {
    const { views, freshness, clock } = this.engine;
    await freshness.until([dealsView, dealListingView, holdExpiry.view], since);
    const found = await views.reader(dealsView).get(id);
    if (found === undefined) throw new DomainError('deal_not_found', 'Unable to find');
    const now = clock.now();
    const units = await this.#units(id, now);
    const region = await this.regions.find(found.row.attributes.region_id);
    return { row: found.row, region, ...units, now };
  }

  /**
   * Reads the units and the holds that have run out as of one position: at two positions, an expired hold could count
   * twice. The projector writes the listing before the holds. So if the listing is the same before and after the holds are
   * read, the holds were not ahead of it. If the listing changes at every try, the answer may show too few units left.
   */
  async #units(id: string, now: Instant): Promise<UnitsNow> {
    const { views, freshness } = this.engine;
    const listing = views.reader(dealListingView);
    let listed = await listing.get(id);
    for (let tries = 1; ; tries += 1) {
      const units: Units | null = listed?.row.units ?? null;
      if (listed === undefined || units === null || units.held === 0) return { units, ranOut: 0 };
      await freshness.until([holdExpiry.view], listed.position);
      const ranOut = await this.#ranOut(id, now);
      views.refresh();
      const again = await listing.get(id);
      if (again?.position === listed.position || tries === TRIES) return { units, ranOut };
      listed = again;
    }
  }

  /** Units of holds past their deadline: from then on they are free again (ruling D1). */
  async #ranOut(id: string, now: Instant): Promise<number> {
    const where = and(eq('deal_id', id), lte('due_at', now));
    const late = await allRows(this.engine.views.reader(holdExpiry.view), where);
    return late.reduce((sum, { quantity }) => sum + quantity, 0);
  }
}
