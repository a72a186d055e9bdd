import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Freshness } from '#eventsourcing';
import type { Engine } from '#platform';
import type { View } from '#kernel';
import { inventory } from '#purchasing/model';
import { terms } from '../../../test/support/sale.js';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { findPaying } from '../checkout/sections.js';
import { Redeem, RedeemHandler } from '../coupon/redeem.commands.js';
import { GetPurchase, GetPurchaseHandler } from '../purchase/purchase.queries.js';
import { Claim, ClaimHandler } from './claim.commands.js';
import { Release, ReleaseHandler } from './release.commands.js';
import { engineOf } from '../../../test/support/engine-of.js';

const UNKNOWN = { code: 'not_found', message: 'Unable to find' };

describe('the owner of a sale', () => {
  let shop: Shop;
  let held: string;
  beforeEach(async () => {
    shop = await openShop();
    held = (await shop.reserve(2)).id;
  });
  afterEach(() => shop.close());

  /** The engine, with views that hold one row. */
  const seeing = (row: object | undefined): Engine => {
    const freshness = new Freshness(thisMachine.time);
    freshness.until = async () => undefined;
    const reader = (_: View): object => ({ get: async () => row && { row } });
    return engineOf({ ...shop.engine, freshness, views: { reader } });
  };

  it('A5: another partner cannot claim or release a reservation, or redeem a coupon', async () => {
    const { engine } = shop;
    const claim = new ClaimHandler(engine.writer, engine.keyring, shop.deals).execute(
      new Claim('rival', held, shop.ann, shop.context()),
    );
    await expect(claim).rejects.toMatchObject(UNKNOWN);
    const release = new ReleaseHandler(engine.writer).execute(new Release('rival', held, shop.context()));
    await expect(release).rejects.toMatchObject(UNKNOWN);
    const coupon = (await shop.claim(held)).coupons[0]?.coupon_id ?? '';
    const redeem = new RedeemHandler(engine.writer, engine.reader).execute(
      new Redeem('rival', coupon, undefined, shop.context()),
    );
    await expect(redeem).rejects.toMatchObject({ code: 'coupon_not_found' });
    expect(await shop.stored('coupon', coupon)).toHaveLength(1);
  });

  it('A5: another partner cannot see a purchase', async () => {
    const engine = seeing({ id: held, partner_id: 'acme' });
    const get = (partner: string): Promise<unknown> =>
      new GetPurchaseHandler(engine.reader).execute(new GetPurchase(partner, held, 0n));
    await expect(get('rival')).rejects.toMatchObject(UNKNOWN);
    expect(await get('acme')).toMatchObject({ row: { id: held } });
  });

  it('E1: nobody can make a new claim for a hidden or an unknown user', async () => {
    await shop.hide(shop.ann);
    for (const user of [shop.ann, 'nobody']) {
      await expect(shop.claim(held, user)).rejects.toMatchObject({ code: 'user_not_found' });
    }
    expect(await shop.stored('reservation', held)).toHaveLength(1);
  });

  it('D3 B6: pays the price of the reservation, whatever the deal costs now', async () => {
    const { loop, clock } = shop.engine;
    const now = clock.now();
    const dearer = terms({ deal_revision: 1, price: 9_999, start_at: now - 1_000, end_at: now + 60_000 });
    await loop.execute(inventory, shop.deal, { type: 'set-terms', terms: dearer }, shop.context());
    expect(await shop.claim(held)).toMatchObject({ price: 1_999, amount: 3_998 });
    const fresh = await shop.reserve(1);
    expect(await shop.claim(fresh.id)).toMatchObject({ price: 9_999, amount: 9_999 });
  });

  it('D6: must pay with a card of their own: another user’s card is refused, another partner’s is unknown', async () => {
    const asking = { partnerId: 'acme', since: 0n, now: 0 };
    const paying = (row: object | undefined, id = 'card-of-bob'): Promise<unknown> =>
      findPaying(seeing(row), asking, { card: { by: 'id', id, withDetails: false } }, { id: shop.ann });
    const refused = (code: string): object => ({ fault: { part: 'card', code } });
    expect(await paying({ partner_id: 'acme', user_id: 'bob' })).toEqual(refused('of_another'));
    expect(await paying({ partner_id: 'rival', user_id: 'bob' })).toEqual(refused('unknown'));
    expect(await paying(undefined)).toEqual(refused('unknown'));
    expect(await paying(undefined, shop.card)).toEqual({ value: { id: shop.card } });
  });
});
