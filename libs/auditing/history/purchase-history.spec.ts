import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventLogReader, type Freshness, Unavailable, type ViewReaders } from '#eventsourcing';
import type { DealDetails } from '#purchasing';
import { OneDeal } from '../../../test/support/resales.js';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { PurchaseHistory, PurchaseHistoryHandler } from './purchase-history.queries.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('G7: the history of a purchase', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(600);
  });
  afterEach(() => shop.close());

  /** The views are empty: only the causes lead to the stock's events. */
  const noViews = {
    freshness: { until: async () => undefined } as Partial<Freshness> as Freshness,
    views: { reader: () => ({ get: async () => undefined }) } as unknown as ViewReaders,
  };

  // The history once ended at 1000 events and showed a fully refunded purchase as fulfilled.
  it('lists every event, however many there are', async () => {
    const row = await shop.buy(600);
    await shop.refund(row.id);
    const { writer, reader, keyring, time } = engineOf({ ...shop.engine, ...noViews });
    const handler = new PurchaseHistoryHandler(writer, reader, keyring, time, new OneDeal());
    const { events, missing } = await handler.execute(new PurchaseHistory(row.id));
    const count = (type: RegExp): number => events.filter((event) => type.test(event.type)).length;
    expect([count(/^purchase-coupon-cancelled/), count(/^purchase-money-returned/)]).toEqual([600, 600]);
    expect([count(/^coupon-issued/), count(/^coupon-cancelled/)]).toEqual([600, 600]);
    expect(missing).toEqual([]);
    expect(shop.gateway.calls.filter((call) => call.startsWith('refund'))).toHaveLength(600);
  });

  /** The history from a log that lacks some events: `stream@revision`. */
  const historyWithout = (
    id: string,
    lacks: RegExp,
    refuses = (_stream: string) => false,
    deals: DealDetails = new OneDeal(),
  ) => {
    const { log } = shop.engine;
    const cut: Pick<EventLogReader, 'head' | 'readStream'> = {
      head: () => log.head(),
      async readStream(stream, from, max) {
        if (from === 0 && refuses(stream)) throw new Unavailable('the event log needs an operator');
        const events = await log.readStream(stream, 0, 1_000);
        const left = events.filter(({ revision }) => revision >= from && !lacks.test(`${stream}@${revision}`));
        return left.slice(0, max);
      },
    };
    const engine = engineOf({ ...shop.engine, ...noViews, log: cut });
    return new PurchaseHistoryHandler(engine.writer, engine.reader, engine.keyring, engine.time, deals).execute(
      new PurchaseHistory(id),
    );
  };

  // An operator has accepted that somebody cut streams. The history shows what is left, and says what is not.
  it('names the events that the log lacks', async () => {
    const row = await shop.buy(2);
    const whole = await historyWithout(row.id, /nothing/);
    const names = (events: typeof whole.events) => events.map(({ stream, revision }) => `${stream}@${revision}`);
    // The log gives the next event of the stream instead.
    const [lacked = ''] = names(whole.events).filter((name) => name.startsWith('inventory-'));
    const found = await historyWithout(row.id, new RegExp(`^${lacked}$`));
    expect(found.missing).toEqual([lacked]);
    expect(names(found.events)).toEqual(names(whole.events).filter((name) => name !== lacked));
  });

  it('names the events that a stream of the purchase does not begin with', async () => {
    const row = await shop.buy(1);
    await shop.refund(row.id);
    const { missing } = await historyWithout(row.id, /^coupon-.*@0$/);
    expect(missing).toEqual([expect.stringMatching(/^coupon-.*@0$/)]);
  });

  it('I2: shows the deal as sold once, and names its event if the log lacks it', async () => {
    const row = await shop.buy(2);
    const { deals } = await historyWithout(row.id, /nothing/);
    expect(deals).toMatchObject([{ id: shop.deal, revision: 0, title: 'A day at the spa' }]);
    const lost = await historyWithout(row.id, /nothing/, undefined, shop.deals);
    expect([lost.deals, lost.missing]).toEqual([[], [`deal-${shop.deal}@0`]]);
  });

  it('is unavailable while a stream is cut, and nobody has accepted that', async () => {
    const row = await shop.buy(1);
    const history = historyWithout(row.id, /^inventory-/, (stream) => stream.startsWith('inventory-'));
    await expect(history).rejects.toThrow(Unavailable);
  });
});
