import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Engine, and, eq, everything, gt, lte, or, type Where } from '#eventsourcing';
import type { Paging } from '#http';
import { DomainError, type Instant, type Position } from '#kernel';
import { holdExpiry, stockView } from '#purchasing';
import { RegionFinder } from '../region/region-finder.js';
import { regionsView } from '../region/region.view.js';
import { Regions } from '../region/regions.js';
import type { DealParts } from './deal.present.js';
import type { DealState } from './deal.state.js';
import { dealsView, type DealRow } from './deal.view.js';

/** The present parts of deals, as presenting wants them. */
export type FoundDeal = Omit<DealParts, 'publicUrl'>;

/** Deals by region and state, latest end first (interface 4.3, ruling C3). */
export class ListDeals {
  constructor(
    /** Whatever names a region (ruling C4). */
    readonly region: string | undefined,
    /** undefined: in all workflow states. */
    readonly state: DealState | undefined,
    readonly paging: Paging,
    readonly since: Position,
  ) {}
}

@QueryHandler(ListDeals)
export class ListDealsHandler implements IQueryHandler<ListDeals, readonly FoundDeal[] | number> {
  constructor(
    private readonly engine: Engine,
    private readonly regions: Regions,
    private readonly finder: RegionFinder,
  ) {}

  async execute({ region, state, paging, since }: ListDeals): Promise<readonly FoundDeal[] | number> {
    const { views, freshness, clock } = this.engine;
    await freshness.until([dealsView, stockView, regionsView], since);
    const regionId = region === undefined ? undefined : (await this.finder.regionOf(region)).id;
    const now = clock.now();
    const conditions = [
      ...(regionId === undefined ? [] : [eq('region_id', regionId)]),
      ...(state === undefined ? [] : [inState(state, now)]),
    ];
    const where = conditions.length === 0 ? everything : and(...conditions);
    const reader = views.reader(dealsView);
    if (paging.count) return reader.count(where);
    const rows = await reader.find({ where, sort: [{ field: 'end_at', descending: true }], ...paging });
    return Promise.all(rows.map(({ row }) => this.#parts(row, now)));
  }

  async #parts(row: DealRow, now: Instant): Promise<FoundDeal> {
    const stock = await this.engine.views.reader(stockView).get(row.deal_id);
    const region = await this.regions.find(row.attributes.region_id);
    return { row, region, stock: stock?.row, ranOut: 0, now };
  }
}

const PAGE = 1_000;

/** One deal, in whatever state, with its units to the moment. */
export class GetDeal {
  constructor(
    readonly id: string,
    readonly since: Position,
  ) {}
}

@QueryHandler(GetDeal)
export class GetDealHandler implements IQueryHandler<GetDeal, FoundDeal> {
  constructor(
    private readonly engine: Engine,
    private readonly regions: Regions,
  ) {}

  async execute({ id, since }: GetDeal): Promise<FoundDeal> {
    const { views, freshness, clock } = this.engine;
    await freshness.until([dealsView, stockView, holdExpiry.view], since);
    const found = await views.reader(dealsView).get(id);
    if (found === undefined) throw new DomainError('deal_not_found', 'Unable to find');
    const now = clock.now();
    const stock = await views.reader(stockView).get(id);
    const ranOut = await this.#ranOut(id, now);
    const region = await this.regions.find(found.row.attributes.region_id);
    return { row: found.row, region, stock: stock?.row, ranOut, now };
  }

  /** Units of holds past their deadline: however many there are, none of them counts any more (ruling D1). */
  async #ranOut(id: string, now: Instant): Promise<number> {
    const where = and(eq('deal_id', id), lte('due_at', now));
    let units = 0;
    for (let page = 1; ; page += 1) {
      const late = await this.engine.views.reader(holdExpiry.view).find({ where, sort: [], page, perPage: PAGE });
      units = late.reduce((sum, { row }) => sum + row.quantity, units);
      if (late.length < PAGE) return units;
    }
  }
}

/** The deals that are in a state now: time decides, in filters too (ruling C1). */
export function inState(state: DealState, now: Instant): Where {
  const begun = or(eq('state', 'in-flight'), and(eq('state', 'approved'), lte('start_at', now)));
  switch (state) {
    case 'in-flight':
      return and(begun, gt('end_at', now));
    case 'approved':
      return and(eq('state', 'approved'), gt('start_at', now));
    case 'paused':
      return and(eq('state', 'paused'), gt('end_at', now));
    case 'landed':
      return or(eq('state', 'landed'), and(or(begun, eq('state', 'paused')), lte('end_at', now)));
    default:
      return eq('state', state);
  }
}
