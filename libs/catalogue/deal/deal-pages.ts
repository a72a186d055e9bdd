import {
  gt,
  generationBytes,
  type Reader,
  type Clock,
  type Time,
  type ViewChanges,
  showsExactly,
  shownNow,
} from '#eventsourcing';
import { type CacheStats, type Call, jsonOfPage, type MadePage, nameOfList, PageMemory } from '#http';
import type { Instant, Position } from '#kernel';
import type { DealItems, Shape } from './deal-items.js';
import { dealListingView } from './deal-listing.view.js';
import type { FoundDeals, SeenDeal } from './deal.queries.js';

/** A list of deals, as a call asks for it. */
export interface DealList {
  readonly call: Call;
  readonly since: Position;
  /** Finds its deals, or their number. */
  readonly find: () => Promise<FoundDeals | number>;
  readonly shape: Shape;
  /** The fields of the answer before its deals or their number. */
  readonly before: object;
  /** The URL of the next page; called only if there is one. */
  readonly next: () => string;
}

/** The pages of lists of deals, and single deals, as answers show them. */
export class DealPages {
  readonly #pages: PageMemory;

  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
    time: Time,
    changes: ViewChanges,
    private readonly items: DealItems,
  ) {
    this.#pages = new PageMemory(time, changes, items.views, generationBytes('dealPages'));
  }

  /** How often its memories were asked, for metrics. */
  get caches(): Readonly<Record<string, CacheStats>> {
    return { deal_pages: this.#pages.stats, deal_items: this.items.stats };
  }

  /**
   * A page, or the number of deals, as JSON.
   * @throws DomainError page_too_large
   */
  async of(list: DealList): Promise<Buffer> {
    return (await this.#make(list)).json;
  }

  /**
   * The same, remembered. It is only for lists that show nothing but deals and regions, and the same to every partner.
   * @throws DomainError page_too_large
   */
  async remembered(list: DealList): Promise<Buffer> {
    const { reader, clock } = this;
    await reader.until(this.items.views, list.since);
    const now = shownNow(clock);
    return this.#pages.page(`${list.shape.name} ${nameOfList(list.call)}`, now, async () => {
      const { json, from, until } = await this.#make(list);
      return { json, from: Math.max(now, from), until: Math.min(until, await this.#turnAfter(now)) };
    });
  }

  /**
   * A deal whose answer follows from its row in the listing, as JSON; undefined if a view does not have it (any more), or if it has
   * just changed.
   */
  async one({ listed, now, at, isExact }: SeenDeal, shape: Shape): Promise<Buffer | undefined> {
    const { items } = await this.items.of({ rows: [listed], more: false, now }, shape);
    const newest = await this.items.newestOf(listed.key);
    if (newest === undefined || (newest > at && isExact)) return undefined;
    showsExactly(isExact ? at : undefined);
    return items[0];
  }

  /** The times of the page are those of its items: the clock may change sooner which deals it has. */
  async #make({ find, shape, before, next }: DealList): Promise<MadePage> {
    const found = await find();
    if (typeof found === 'number')
      return { json: Buffer.from(JSON.stringify({ ...before, count: found })), from: -Infinity, until: Infinity };
    const { items, ...span } = await this.items.of(found, shape);
    const after = found.more ? { next_page: next() } : {};
    return { json: jsonOfPage({ before, name: 'deals', items, after }), ...span };
  }

  /** When the clock next changes which deals a list has: a deal begins or ends (ruling C1). */
  async #turnAfter(now: Instant): Promise<Instant> {
    const listing = this.reader.of(dealListingView);
    const [start, end] = await Promise.all(
      (['start_at', 'end_at'] as const).map((field) => listing.min(field, gt(field, now))),
    );
    return Math.min(...[start, end].map((turn) => (typeof turn === 'number' ? turn : Infinity)));
  }
}
