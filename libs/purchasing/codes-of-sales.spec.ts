import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable } from '#eventsourcing';
import { claimOfHold } from '../../test/support/hold-number.js';
import { openShop, type Shop } from '../../test/support/shop.js';
import { couponsFor } from './coupon/coupon-ids.js';
import { inventory } from './inventory/inventory.decider.js';
import type { PurchaseRow } from './purchase/purchase.row.js';

const codesOf = ({ coupons }: PurchaseRow): readonly (string | null)[] =>
  coupons.map(({ redemption_code }) => redemption_code);

describe('D10: the codes of sales', () => {
  let shop: Shop;
  beforeEach(async () => {
    shop = await openShop(20);
    await add(0, 'a', 'b');
    await add(2, 'c', 'd', 'e', 'f');
  });
  afterEach(() => shop.close());

  const add = async (seen: number, ...codes: readonly string[]): Promise<void> => {
    await shop.engine.loop.execute(inventory, shop.deal, { type: 'add-codes', codes, seen }, shop.context());
  };
  const sell = async (quantity: number): Promise<PurchaseRow> => shop.claim((await shop.reserve(quantity)).id);
  /** A sale by a process that died before its followers wrote. */
  const cutSale = async (quantity: number): Promise<string> => {
    const { id } = await shop.reserve(quantity);
    const other = shop.otherLoop([]);
    const claim = await claimOfHold(shop, id, couponsFor(shop.engine.keyring, id, quantity));
    await other.execute(inventory, shop.deal, claim, shop.context());
    await other.close();
    return id;
  };

  it('are texts on the coupons, from whichever event has them', async () => {
    expect(codesOf(await sell(1))).toEqual(['a']);
    expect(codesOf(await sell(3))).toEqual(['b', 'c', 'd']);
    expect(codesOf(await shop.buy(2))).toEqual(['e', 'f']);
  });

  it('are no texts in any event of the inventory but those that add them, nor of the purchase', async () => {
    const sold = await sell(1);
    const bought = await shop.buy(1);
    const streams = [
      ['inventory', shop.deal],
      ['purchase', sold.id],
      ['purchase', bought.id],
      ['reservation', sold.id],
    ] as const;
    const stored = (await Promise.all(streams.map(([category, id]) => shop.stored(category, id)))).flat();
    const texts = JSON.stringify(stored.filter(({ type }) => type !== 'codes-added.v1').map(({ data }) => data));
    expect(texts).not.toContain('redemption_code');
    expect(texts).toContain('"code":{"revision":2,"index":0}');
  });

  it('A11: are on the coupons that a repeat writes, after their process had died', async () => {
    const id = await cutSale(3);
    expect(codesOf(await shop.claim(id))).toEqual(['a', 'b', 'c']);
    expect(codesOf(await sell(1))).toEqual(['d']);
  });

  it('are free again after a decline, and go to the next buyers', async () => {
    shop.gateway.onCharge = async () => ({ kind: 'declined', reason: 'no', reference: 'd-1' });
    await expect(shop.buy(3)).rejects.toMatchObject({ code: 'declined' });
    expect(codesOf(await sell(4))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are never used again after a coupon was cancelled, and stay with one that was issued again', async () => {
    const { coupons } = await sell(2);
    const [first = '', second = ''] = coupons.map(({ coupon_id }) => coupon_id);
    await shop.cancel(first);
    expect((await shop.reissue(second)).redemption_code).toBe('b');
    expect(codesOf(await sell(4))).toEqual(['c', 'd', 'e', 'f']);
  });

  it('are on no coupon while the log does not give them: the sale stands, and a repeat gets them', async () => {
    const { id } = await shop.reserve(2);
    const { log } = shop.engine;
    const read = log.readStream.bind(log);
    let isAway = true;
    log.readStream = async (stream, from, max) => {
      if (isAway && stream === `inventory-${shop.deal}` && max === 1) throw new Unavailable('the log is away');
      return read(stream, from, max);
    };
    await expect(shop.claim(id)).rejects.toThrow('the log is away');
    const issued = couponsFor(shop.engine.keyring, id, 2).map((coupon) => shop.stored('coupon', coupon.id));
    expect((await Promise.all(issued)).flat()).toEqual([]);
    expect((await shop.stored('inventory', shop.deal)).at(-1)?.type).toBe('hold-claimed.v1');
    isAway = false;
    expect(codesOf(await shop.claim(id))).toEqual(['a', 'b']);
  });
});
