import type { CouponCheck } from './coupon-check.js';
import type { ExportedEvent } from './exported-event.js';
import type { Faults } from './faults.js';
import { checkDecides, checkFollows } from './follows.js';
import type { Group } from './group.js';
import type { PurchaseCheck } from './purchase-check.js';
import type { Start } from './starts.js';
import { text } from './values.js';

/** A resale that came to nothing, and whose purchase has not come yet. */
interface Undone {
  readonly start: Start;
  readonly event: ExportedEvent;
}

/**
 * Checks resales. Several may stand under one reference, and so in one purchase: one of them is sold, and the others are
 * abandoned. The purchase comes with the resale that is sold, or else with the one that it abandons last.
 */
export class ResaleCheck {
  /** By resale. */
  readonly #undone = new Map<string, Undone>();
  /** What purchases have abandoned, and the inventory has not undone yet; by resale. */
  readonly #due = new Map<string, ExportedEvent>();

  constructor(
    private readonly faults: Faults,
    private readonly purchases: PurchaseCheck,
    private readonly coupons: CouponCheck,
  ) {}

  get unfinished(): readonly Start[] {
    return [...this.#undone.values()].map(({ start }) => start);
  }

  /** @returns the purchase, if it is sold */
  close(start: Start, event: ExportedEvent, isSold: boolean, group: Group): ExportedEvent | undefined {
    if (event.data['purchase_id'] !== start.event.data['purchase_id'])
      this.faults.add(event, 'accounts', 'it names another purchase than resale-started');
    if (isSold) return this.#sold(start, event, group);
    const abandoned = this.#due.get(start.id);
    if (abandoned === undefined) this.#undone.set(start.id, { start, event });
    else {
      this.#due.delete(start.id);
      checkFollows(event, abandoned, this.faults);
    }
    if (!group.isEmpty) this.#abandoned(group.take(streamOf(start)), start.event);
    return undefined;
  }

  /** A resale that is open at the end, or whose purchase has not come. */
  atEnd(start: Start, group: Group): void {
    const { faults } = this;
    const events = group.take(streamOf(start));
    const undone = this.#undone.get(start.id);
    if (undone !== undefined) {
      this.#abandoned(events, start.event);
      if (this.#undone.delete(start.id))
        faults.add(undone.event, 'accounts', 'the purchase has not abandoned this resale');
      return;
    }
    this.#due.delete(start.id);
    for (const event of events) {
      if (event.data['resale_id'] !== start.id) continue;
      faults.missing(event, 'the inventory does not say so');
      if (event.type === 'purchase-resold.v1') this.#sell(start, event, events, group);
    }
  }

  end(): void {
    for (const { event } of this.#undone.values())
      this.faults.add(event, 'accounts', 'the purchase has not abandoned this resale');
    for (const event of this.#due.values()) this.faults.missing(event, 'the inventory does not say so');
  }

  #sold(start: Start, event: ExportedEvent, group: Group): ExportedEvent | undefined {
    const stream = streamOf(start);
    const events = group.take(stream);
    const resold = events.find(({ type }) => type === 'purchase-resold.v1');
    if (resold?.data['resale_id'] !== start.id) {
      if (!group.isUnreadable(stream)) this.faults.add(event, 'accounts', `${stream} has not sold this resale`);
      return undefined;
    }
    checkFollows(event, resold, this.faults);
    this.#abandoned(events, start.event);
    this.#sell(start, resold, events, group);
    return resold;
  }

  #sell(start: Start, resold: ExportedEvent, events: readonly ExportedEvent[], group: Group): void {
    this.purchases.resold(resold, start.event);
    const corrections = this.coupons.check({ decision: resold, sale: { ...resold.data, user_id: null } }, group);
    const later = events.filter(({ revision }) => revision > resold.revision);
    this.purchases.corrected(resold, later, false, corrections);
    for (const event of events)
      if (event.revision < resold.revision && event.type !== 'purchase-resale-abandoned.v1')
        this.faults.add(event, 'accounts', 'a resold purchase does not begin so');
  }

  /** What a purchase has abandoned of this deal's resales: the inventory has undone it, or does so later. */
  #abandoned(events: readonly ExportedEvent[], { stream }: ExportedEvent): void {
    for (const event of events) {
      if (event.type !== 'purchase-resale-abandoned.v1' || `inventory-${text(event.data['deal_id'])}` !== stream)
        continue;
      checkDecides(event, this.faults);
      const id = text(event.data['resale_id']);
      const undone = this.#undone.get(id);
      if (undone === undefined) this.#due.set(id, event);
      else {
        this.#undone.delete(id);
        checkFollows(undone.event, event, this.faults);
      }
    }
  }
}

const streamOf = ({ event }: Start): string => `purchase-${text(event.data['purchase_id'])}`;
