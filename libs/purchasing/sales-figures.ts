import { categoryOf, type EventBody, idOf } from '#kernel';
import { inventory } from './inventory/inventory.decider.js';
import type { InventoryEvent, Units } from './inventory/inventory.events.js';
import { HottestDeals } from './hottest-deals.js';

/** How units are sold. */
export type SaleKind = 'claim' | 'direct' | 'checkout' | 'resale';

/**
 * Counts what this process has written about units, for metrics. It follows no stream and remembers no purchase: the numbers come
 * from the events, once they are on disk.
 */
export class SalesFigures {
  /** Sales, and their units, by the way in which they were made. */
  readonly sales: Record<SaleKind, number> = { claim: 0, direct: 0, checkout: 0, resale: 0 };
  readonly units: Record<SaleKind, number> = { claim: 0, direct: 0, checkout: 0, resale: 0 };
  /** Holds by what became of them. */
  readonly holds = { placed: 0, claimed: 0, released: 0, expired: 0 };
  /** Units of cancelled coupons that are for sale again. */
  returned = 0;
  readonly hottest = new HottestDeals();

  /** Notes the events of one append that is on disk. */
  wrote(stream: string, events: readonly EventBody[]): void {
    if (categoryOf(stream) !== inventory.category) return;
    for (const event of events) this.#note(stream, event as InventoryEvent);
  }

  #note(stream: string, event: InventoryEvent): void {
    switch (event.type) {
      case 'hold-placed.v1':
        this.holds.placed += 1;
        return;
      case 'hold-released.v1':
        this.holds.released += 1;
        return;
      case 'hold-expired.v1':
        this.holds.expired += 1;
        return;
      case 'hold-claimed.v1':
        this.holds.claimed += 1;
        this.#sold('claim', stream, event.data);
        return;
      case 'units-sold.v1':
        this.#sold('direct', stream, event.data);
        return;
      case 'checkout-sold.v1':
        this.#sold('checkout', stream, event.data);
        return;
      case 'resale-sold.v1':
        this.#sold('resale', stream, event.data);
        return;
      case 'unit-returned.v1':
        this.returned += 1;
        return;
      case 'terms-set.v1':
      case 'stock-set.v1':
      case 'codes-added.v1':
      case 'checkout-started.v1':
      case 'checkout-undone.v1':
      case 'resale-started.v1':
      case 'resale-undone.v1':
    }
  }

  #sold(kind: SaleKind, stream: string, { quantity, stock, held, sold }: Sale): void {
    this.sales[kind] += 1;
    this.units[kind] += quantity;
    this.hottest.sold(idOf(stream), quantity, stock === null ? null : Math.max(0, stock - held - sold));
  }
}

type Sale = Units & { readonly quantity: number };
