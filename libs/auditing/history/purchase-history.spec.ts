import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine, Freshness, ViewReaders } from '#eventsourcing';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { PurchaseHistory, PurchaseHistoryHandler } from './purchase-history.queries.js';

describe('G7: the history of a purchase', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(600);
  });
  afterEach(() => shop.close());

  /** The views are empty: only the causes lead to the stock's events. */
  const noViews = (): Pick<Engine, 'views' | 'freshness'> => ({
    freshness: { until: async () => undefined } as Partial<Freshness> as Freshness,
    views: { reader: () => ({ get: async () => undefined }) } as unknown as ViewReaders,
  });

  // The history once ended at 1000 events and showed a fully refunded purchase as fulfilled.
  it('lists every event, however many there are', async () => {
    const row = await shop.buy(600);
    await shop.refund(row.id);
    const handler = new PurchaseHistoryHandler(Object.assign(Object.create(shop.engine) as Engine, noViews()));
    const events = await handler.execute(new PurchaseHistory(row.id));
    const count = (type: RegExp): number => events.filter((event) => type.test(event.type)).length;
    expect([count(/^purchase-coupon-cancelled/), count(/^purchase-money-returned/)]).toEqual([600, 600]);
    expect([count(/^coupon-issued/), count(/^coupon-cancelled/)]).toEqual([600, 600]);
    expect(shop.gateway.calls.filter((call) => call.startsWith('refund'))).toHaveLength(600);
  }, 60_000);
});
