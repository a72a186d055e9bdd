import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Position } from '#kernel';
import type { Engine } from '#platform';
import { openShop, type Shop } from '../../../test/support/shop.js';
import type { CouponRow } from './coupon.row.js';
import { coupon } from './coupon.decider.js';
import { findCoupon } from './find-coupon.js';
import { Redeem, RedeemHandler } from './redeem.commands.js';
import { engineOf } from '../../../test/support/engine-of.js';

describe('I8: a coupon as a till names it', () => {
  let shop: Shop;
  let own: CouponRow;
  /** The rows of the view. */
  let seen: CouponRow[];
  /** What other processes have written, and the view sees when it has come to the log's end. */
  let unseen: CouponRow[];
  let waits: Position[];
  let engine: Engine;

  beforeEach(async () => {
    shop = await openShop();
    const { id } = await shop.reserve(1);
    const issued = (await shop.claim(id)).coupons[0];
    if (issued === undefined) throw new Error('a claim has a coupon');
    own = issued;
    [seen, unseen, waits] = [[own], [], []];
    const reader = {
      find: async ({ where }: { readonly where: unknown }) => {
        const { field, value } = where as { readonly field: string; readonly value: string };
        expect(field).toBe('barcode');
        return seen.filter(({ barcode }) => barcode === value).map((row) => ({ row }));
      },
    };
    const freshness = {
      until: async (_: unknown, position: Position) => {
        waits.push(position);
        seen = [...seen, ...unseen];
      },
    };
    const views = { reader: () => reader };
    engine = engineOf({ ...shop.engine, views, freshness });
  });
  afterEach(() => shop.close());

  const find = (named: string, partner = 'acme'): Promise<CouponRow | null> =>
    findCoupon(engine.writer, engine.reader, named, partner);
  const findAnybodys = (named: string): Promise<CouponRow | null> =>
    findCoupon(engine.writer, engine.reader, named, undefined);
  /** Another coupon with the same barcode: no key makes one on purpose. */
  const twin = async (partner_id = 'acme'): Promise<CouponRow> => {
    const { state: _state, redeemed_at: _at, replaced_by: _by, ...issued } = own;
    const coupon_id = 'f'.repeat(32);
    const other = { ...issued, coupon_id, partner_id };
    const { state } = await shop.engine.loop.execute(
      coupon,
      coupon_id,
      { type: 'issue', coupon: other },
      shop.context(),
    );
    if (state === null) throw new Error('an issued coupon has a state');
    return state;
  };

  it('is found by its id in any case, and by its barcode, also in groups', async () => {
    const { coupon_id, barcode } = own;
    const grouped = barcode.replaceAll(/(.{4})(?=.)/g, '$1 ');
    for (const named of [coupon_id, coupon_id.toUpperCase(), barcode, grouped, grouped.replaceAll(' ', '-')]) {
      expect(await find(named)).toEqual(own);
    }
    expect(waits).toEqual([]);
  });

  it('A5: is no other partner’s, and an operator finds it', async () => {
    for (const named of [own.coupon_id, own.barcode]) {
      expect(await find(named, 'rival')).toBeNull();
      expect(await findAnybodys(named)).toEqual(own);
    }
  });

  it('is unknown only when the view has seen the end of the log', async () => {
    [seen, unseen] = [[], [own]];
    expect(await find(own.barcode)).toEqual(own);
    expect(waits).toEqual([await shop.engine.log.head()]);
    [seen, unseen, waits] = [[], [], []];
    expect(await find(own.barcode)).toBeNull();
    expect(waits).toHaveLength(1);
  });

  it('is not said to be unknown while the view stays behind', async () => {
    seen = [];
    const behind = new Error('behind');
    engine = engineOf({ ...engine, freshness: { until: () => Promise.reject(behind) } });
    await expect(find(own.barcode)).rejects.toBe(behind);
  });

  it('is not redeemed by a barcode that two coupons of the partner have, but by its id', async () => {
    seen = [own, await twin()];
    const redeem = (named: string): Promise<unknown> =>
      new RedeemHandler(engine.writer, engine.reader).execute(new Redeem('acme', named, undefined, shop.context()));
    await expect(redeem(own.barcode)).rejects.toMatchObject({
      code: 'barcode_shared',
      message: 'two coupons have this barcode: scan the QR code',
    });
    await expect(findAnybodys(own.barcode)).rejects.toMatchObject({ code: 'barcode_shared' });
    expect(await redeem(own.coupon_id.toUpperCase())).toMatchObject({ row: { state: 'redeemed' } });
  });

  it('is found by a barcode that a coupon of another partner has too; an operator needs the id', async () => {
    seen = [await twin('rival'), own];
    expect(await find(own.barcode)).toEqual(own);
    await expect(findAnybodys(own.barcode)).rejects.toMatchObject({ code: 'barcode_shared' });
  });
});
