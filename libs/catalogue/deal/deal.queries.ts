import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  and,
  eq,
  lte,
  type Paging,
  type RowVersion,
  type Where,
  Reader,
  Clock,
  later,
  shownNow,
  Time,
  showsExactly,
  showsRow,
} from '#eventsourcing';
import { DomainError, type Instant, type Position } from '#kernel';
import { MOST_EXAMINED } from '#kernel/bounds';
import { holdExpiry, type Units } from '#purchasing/model';
import { RegionFinder } from '../region/region-finder.js';
import { regionsView } from '../region/region.view.js';
import { Regions } from '../region/regions.js';
import type { DealOrder, DealWhere } from './deal-criteria.js';
import { inWordsOfLists } from './excess.js';
import { dealListingView } from './deal-listing.view.js';
import type { DealParts } from './deal.present.js';
import { dealsView } from './deal.view.js';

/** A deal that a query found, ready to present. */
export type FoundDeal = Omit<DealParts, 'publicUrl'>;

/** A page of deals, not yet read. */
export interface FoundDeals {
  /** Their rows in the listing, in the order of the page. */
  readonly rows: readonly RowVersion[];
  /** Whether another page follows. */
  readonly more: boolean;
  /** The time at which they met the condition. */
  readonly now: Instant;
}

/** A page of deals of the listing, or their number, as the paging asks. */
export class FindDeals<Counts extends boolean = boolean> extends Query<Counts extends true ? number : FoundDeals> {
  constructor(
    /** The region that sells them, in any form of ruling C4; undefined for everywhere. */
    readonly region: string | undefined,
    /** The condition at a time, over the fields of the listing. */
    readonly where: (now: Instant) => DealWhere,
    readonly sort: DealOrder,
    readonly paging: Paging & { readonly count: Counts },
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(FindDeals)
export class FindDealsHandler implements IQueryHandler<FindDeals> {
  constructor(
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
    private readonly finder: RegionFinder,
  ) {}

  async execute({ region, where: fits, sort, paging, since }: FindDeals): Promise<FoundDeals | number> {
    const { reader, clock } = this;
    await reader.until([dealListingView, dealsView, regionsView], since);
    const now = shownNow(clock);
    const where =
      region === undefined ? fits(now) : and(eq('region_id', (await this.finder.regionOf(region)).id), fits(now));
    const listing = reader.of(dealListingView);
    try {
      if (paging.count) return await listing.count(where, MOST_EXAMINED);
      const { page, perPage } = paging;
      const found = await listing.versions({ where, sort, page, perPage, ahead: 1, examine: MOST_EXAMINED });
      showsRow(found.newest);
      const { rows } = found;
      return { rows: rows.slice(0, perPage), more: rows.length > perPage, now };
    } catch (error) {
      throw inWordsOfLists(error);
    }
  }
}

/** What one deal's answer shows besides its region. */
const SHOWN = [dealsView, dealListingView, holdExpiry.view];

/** Whether the regions are known up to a position, too. They may not be for long: a view that has stopped hinders no answer. */
const knowsRegions = (reader: Reader, position: Position): boolean => reader.has(regionsView, position);

/** The row of one deal in the listing, and the time at which it was read. */
export interface SeenDeal {
  readonly listed: RowVersion;
  readonly now: Instant;
  /** Up to where its views had come before they were read. */
  readonly at: Position;
  /** Whether the regions had come so far, too. */
  readonly isExact: boolean;
}

/**
 * One deal, if what it shows follows from its row in the listing: none of its holds has run out. Otherwise `GetDeal` puts it
 * together.
 */
export class SeeDeal extends Query<SeenDeal | undefined> {
  constructor(
    readonly id: string,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(SeeDeal)
export class SeeDealHandler implements IQueryHandler<SeeDeal> {
  constructor(
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async execute({ id, since }: SeeDeal): Promise<SeenDeal | undefined> {
    const { reader, clock } = this;
    await reader.until([...SHOWN, regionsView], since);
    const at = reader.reachedBy(SHOWN);
    const isExact = knowsRegions(reader, at);
    const now = shownNow(clock);
    const listing = reader.of(dealListingView);
    const listed = await listing.get(id);
    if (listed === undefined || listed.position > at) return undefined;
    if (!hasHolds(listed.row.units)) return { listed, now, at, isExact };
    await reader.until([holdExpiry.view], listed.position);
    if ((await reader.of(holdExpiry.view).count(ranOut(id, now))) > 0) return undefined;
    // If the listing is the same as before, the holds were not ahead of it.
    reader.refresh();
    return (await listing.get(id))?.position === listed.position ? { listed, now, at, isExact } : undefined;
  }
}

/** Looks for all parts of a deal as of one position, and the milliseconds between two of them. */
const LOOKS = 4;
const MOMENT = 50;

/** Tries to read units and holds of one position while the deal sells. The views are further on at each try. */
const TRIES = 50;

/** Units of a deal, and how many of the held ones have run out. */
type UnitsNow = Pick<FoundDeal, 'units' | 'ranOut'>;

/** One deal, in any state, with its units at this moment. */
export class GetDeal extends Query<FoundDeal> {
  constructor(
    readonly id: string,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(GetDeal)
export class GetDealHandler implements IQueryHandler<GetDeal> {
  constructor(
    private readonly reader: Reader,
    @Inject(Clock) private readonly clock: Clock,
    private readonly regions: Regions,
    @Inject(Time) private readonly time: Time,
  ) {}

  /** Reads again what was ahead of another part: so all parts are as of one position. */
  async execute({ id, since }: GetDeal): Promise<FoundDeal> {
    const { reader, clock } = this;
    await reader.until(SHOWN, since);
    for (let looks = 1; ; looks += 1) {
      const at = reader.reachedBy(SHOWN);
      const isExact = knowsRegions(reader, at);
      const found = await reader.of(dealsView).get(id);
      if (found === undefined) throw new DomainError('deal_not_found', 'Unable to find');
      const now = shownNow(clock);
      const { position, ...units } = await this.#units(id, now);
      const region = await this.regions.stored(found.row.attributes.region_id);
      const newest = [position, region?.position].reduce<Position>(later, found.position);
      if (newest <= at || looks === LOOKS) {
        showsExactly(newest <= at && isExact ? at : undefined);
        return { row: found.row, region: region?.row, ...units, now };
      }
      await this.#soon(newest);
    }
  }

  /** Waits a moment until all parts have come to a position. */
  async #soon(position: Position): Promise<void> {
    const there = this.reader.until(SHOWN, position).catch(() => undefined);
    await Promise.race([there, this.time.pause(MOMENT, { ref: false })]);
  }

  /**
   * Reads the units and the holds that have run out as of one position: at two positions, an expired hold could count
   * twice. The projector writes the listing before the holds. So if the listing is the same before and after the holds are
   * read, the holds were not ahead of it. If the listing changes at every try, the answer may show too few units left.
   */
  async #units(id: string, now: Instant): Promise<UnitsNow & { readonly position: Position | undefined }> {
    const { reader } = this;
    const listing = reader.of(dealListingView);
    let listed = await listing.get(id);
    for (let tries = 1; ; tries += 1) {
      const units: Units | null = listed?.row.units ?? null;
      const position = listed?.position;
      if (listed === undefined || !hasHolds(units)) return { units, ranOut: 0, position };
      await reader.until([holdExpiry.view], listed.position);
      const ranOut = await this.#ranOut(id, now);
      reader.refresh();
      const again = await listing.get(id);
      if (again?.position === listed.position || tries === TRIES) return { units, ranOut, position };
      listed = again;
    }
  }

  /** Units of holds past their deadline: from then on they are free again (ruling D1). */
  async #ranOut(id: string, now: Instant): Promise<number> {
    const late = await this.reader.all(holdExpiry.view, ranOut(id, now));
    return late.reduce((sum, { quantity }) => sum + quantity, 0);
  }
}

function hasHolds(units: Units | null): boolean {
  return units !== null && units.held > 0;
}

/** Finds the holds of a deal that are past their deadline. */
function ranOut(id: string, now: Instant): Where<'deal_id' | 'due_at'> {
  return and(eq('deal_id', id), lte('due_at', now));
}
