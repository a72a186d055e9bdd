import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { and, eq, gt, lte, oneOf, Reader, PersonalData } from '#eventsourcing';
import { notFound, type Instant, type Position } from '#kernel';
import { FindUser, openProfile } from '#people';
import { inState, type DealOrder, type DealWhere } from '../deal/deal-criteria.js';
import { FindDeals, type FoundDeals } from '../deal/deal.queries.js';
import { readPlace } from './places.js';
import { preferredCategories } from './preferred-categories.js';
import { RegionFinder } from './region-finder.js';
import type { Region } from './region.events.js';
import { regionsView } from './region.view.js';
import type { RegionalFilter, RegionalList } from './regional-deals.schema.js';
import { Regions } from './regions.js';

/** Deals of one region, earliest start first (interface 4.4). */
export class ListRegionalDeals extends Query<FoundDeals | number> {
  constructor(
    /** Names a region in any form of ruling C4. */
    readonly place: string,
    readonly list: RegionalList,
    /** The partner whose user `list.userId` must be. */
    readonly partnerId: string,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListRegionalDeals)
export class ListRegionalDealsHandler implements IQueryHandler<ListRegionalDeals> {
  constructor(
    private readonly reader: Reader,
    private readonly personalData: PersonalData,
    private readonly queries: QueryBus,
    private readonly regions: Regions,
    private readonly finder: RegionFinder,
  ) {}

  async execute({ place, list, partnerId, since }: ListRegionalDeals): Promise<FoundDeals | number> {
    await this.reader.until([regionsView], since);
    const region = await this.#region(place);
    const fixed: DealWhere[] = [eq('region_id', region.id)];
    if (list.userId !== undefined) fixed.push(...(await this.#preferences(partnerId, list.userId, since)));
    const where: FindDeals['where'] = (now) => and(...fixed, ...list.filters.map((filter) => meets(filter, now)));
    const sort: DealOrder = [{ field: 'start_at', descending: false }];
    return this.queries.execute(new FindDeals(undefined, where, sort, list.paging, since));
  }

  /** A slug in a path is an id: an unknown slug is 404 like any unknown id (ruling A8). */
  async #region(place: string): Promise<Region> {
    if (readPlace(place).kind !== 'slug') return this.finder.regionOf(place);
    const region = await this.regions.find(place);
    if (region === undefined) throw notFound('no region has this id: GET /api/v1/regions lists them');
    return region;
  }

  /** The conditions of a user's preferences; an unknown or hidden user is 404 (ruling C5). */
  async #preferences(partnerId: string, userId: string, since: Position): Promise<readonly DealWhere[]> {
    const user = await this.queries.execute(new FindUser(partnerId, userId, since));
    const profile = await openProfile(this.personalData, user);
    if (profile === null) throw notFound('you have no user with this user_id');
    const categories = preferredCategories(profile.partner_data);
    return categories === undefined ? [] : [oneOf('category_slug', categories)];
  }
}

/** Finds the deals that meet one filter at `now` (ruling C5). */
function meets(filter: RegionalFilter, now: Instant): DealWhere {
  switch (filter) {
    case 'in_flight':
      return inState('in-flight', now);
    case 'offer':
      return oneOf('type', ['card-linked', 'affiliate']);
    case 'current':
      return and(lte('start_at', now), gt('end_at', now));
    case 'not_bg':
      return eq('bg', false);
  }
}
