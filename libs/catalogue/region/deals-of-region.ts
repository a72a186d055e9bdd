import { and, BoundedMap, eq, gt, gte, lte, type Reader, type Clock } from '#eventsourcing';
import { MINUTE, type Instant } from '#kernel';
import { inState } from '../deal/deal-criteria.js';
import { dealListingView } from '../deal/deal-listing.view.js';
import type { DealRow } from '../deal/deal.row.js';
import type { Deals } from '../deal/deals.js';

/** A deal of a region, for a mail. */
export type DealOfRegion = Pick<DealRow, 'deal_id' | 'attributes'>;

/** Deals that a mail counts: it shows fewer. */
const MOST = 100;
/** How long the deals of a region are remembered: thousands of mails with the same deals are made one after another. */
const FRESH = MINUTE;
/** Regions in each of the two generations of the memory. */
const CACHED = 1_000;

/** The deals that a region sells now, for mails: the newest first, without those that are sold out or tagged bg. */
export class DealsOfRegion {
  readonly #known = new BoundedMap<string, { readonly until: Instant; readonly deals: readonly DealOfRegion[] }>(
    CACHED,
  );

  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
    private readonly bodies: Pick<Deals, 'find'>,
  ) {}

  async find(regionId: string): Promise<readonly DealOfRegion[]> {
    const now = this.clock.now();
    const known = this.#known.get(regionId);
    if (known !== undefined && now < known.until) return known.deals;
    const deals = await this.#read(regionId, now);
    this.#known.set(regionId, { until: now + FRESH, deals });
    return deals;
  }

  async #read(regionId: string, now: Instant): Promise<readonly DealOfRegion[]> {
    const rows = await this.reader.of(dealListingView).find({
      where: and(
        eq('region_id', regionId),
        inState('in-flight', now),
        lte('start_at', now),
        gt('end_at', now),
        eq('bg', false),
        gte('num_left', 1),
      ),
      sort: [{ field: 'start_at', descending: true }],
      page: 1,
      perPage: MOST,
      // Where all newer deals are sold out, this looks at the whole region.
      examine: Infinity,
    });
    const found = await Promise.all(rows.map(({ key }) => this.bodies.find(key)));
    return found.flatMap((body) => (body === undefined ? [] : [body.row]));
  }
}
