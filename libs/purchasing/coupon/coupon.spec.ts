import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring } from '#eventsourcing';
import { DAY } from '#kernel';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { terms } from '../../../test/support/sale.js';
import { couponsFor } from './coupon-ids.js';
import { coupon } from './coupon.decider.js';
import type { CouponEvent, CouponIssued } from './coupon.events.js';
import { presentCoupon, redemptionUrl } from './coupon.present.js';
import { qrModules, qrPng } from './coupon.qr.js';
import { couponStateAt, type CouponRow } from './coupon.row.js';
import { NEVER, couponsView } from './coupon.view.js';

const T = 1_324_062_675_000;
const issued: CouponIssued = {
  coupon_id: '0123456789abcdef0123456789abcdef',
  purchase_id: 'r1',
  partner_id: 'acme',
  user_id: 'ann',
  deal_id: 'spa-day',
  deal_type: 'daily-deal',
  deal_revision: 3,
  number: 0,
  barcode: '000000000001',
  unit: 7,
  redemption_code: 'SPA-1',
  created_at: T,
  expires_at: T + 1_000,
};
const { coupon_id, purchase_id } = issued;
const issue: CouponEvent = { type: 'coupon-issued.v1', data: issued };
const redeemed = (redeemed_at: number): CouponEvent => ({
  type: 'coupon-redeemed.v1',
  data: { coupon_id, purchase_id, redeemed_at },
});

describe('a coupon', () => {
  it('D10: is issued only once', () => {
    given(coupon).when({ type: 'issue', coupon: issued }).then([issue]);
    given(coupon, [issue])
      .when({ type: 'issue', coupon: { ...issued, user_id: 'bob' } })
      .then([]);
  });

  it('D10 3.4: is redeemed if it is valid, and at most once', () => {
    given(coupon, [issue])
      .when({ type: 'redeem' }, T + 999)
      .then([redeemed(T + 999)]);
    given(coupon, [issue])
      .when({ type: 'redeem' }, T + 1_000)
      .then('redeem_failed');
    given(coupon, [issue, redeemed(T)])
      .when({ type: 'redeem' }, T + 1)
      .then('redeem_failed');
    given(coupon).when({ type: 'redeem' }, T).then('coupon_not_found');
    const lasting: CouponEvent = { type: 'coupon-issued.v1', data: { ...issued, expires_at: null } };
    given(coupon, [lasting])
      .when({ type: 'redeem' }, NEVER)
      .then([redeemed(NEVER)]);
  });

  describe('D14: for operators', () => {
    const why = { reason: 'the spa has closed' };
    const cancelled: CouponEvent = {
      type: 'coupon-cancelled.v1',
      data: { coupon_id, purchase_id, user_id: 'ann', deal_id: 'spa-day', unit: 7, ...why },
    };
    const renew = {
      type: 'reissue',
      coupon_id: 'new',
      barcode: '000000000002',
      terms: undefined,
      redeemed_by_mistake: false,
      ...why,
    } as const;
    const renewed = (
      created_at: number,
      expires_at: number | null,
      { redeemed_by_mistake = false, deal_revision = issued.deal_revision } = {},
    ): CouponEvent => ({
      type: 'coupon-reissued.v1',
      data: {
        coupon_id,
        purchase_id,
        ...why,
        redeemed_by_mistake,
        replacement: { ...issued, coupon_id: 'new', barcode: '000000000002', deal_revision, created_at, expires_at },
      },
    });

    it.each([
      ['valid', [issue], T],
      ['redeemed', [issue, redeemed(T)], T],
      ['expired', [issue], T + 1_000],
    ])('is cancelled if it is %s, once', (_, events, now) => {
      const done = given(coupon, events).when({ type: 'cancel', ...why }, now);
      done.then([cancelled]);
      expect(done.state?.state).toBe('cancelled');
      given(coupon, [...events, cancelled])
        .when({ type: 'cancel', reason: 'again' }, now)
        .then([]);
      given(coupon, [...events, cancelled])
        .when({ type: 'redeem' }, now)
        .then('redeem_failed');
    });

    it('I3: is reissued if it is valid: a new one with the same expiry replaces it, and shows the same deal', () => {
      const events = [issue];
      const done = given(coupon, events).when({ ...renew, expires_at: undefined }, T + 5);
      done.then([renewed(T + 5, T + 1_000)]);
      expect(done.state).toMatchObject({ state: 'reissued', replaced_by: 'new' });
      const after = [...events, renewed(T + 5, T + 1_000)];
      given(coupon, after)
        .when({ ...renew, expires_at: undefined }, T + 5)
        .then([]);
      given(coupon, after)
        .when({ ...renew, coupon_id: 'newer', expires_at: undefined }, T + 5)
        .then('coupon_replaced');
      given(coupon, after)
        .when({ type: 'cancel', ...why }, T + 5)
        .then('coupon_replaced');
      given(coupon, after)
        .when({ type: 'redeem' }, T + 5)
        .then('redeem_failed');
    });

    it('can be reissued with a new expiry; an expired one needs it', () => {
      const late = T + 1_000;
      given(coupon, [issue])
        .when({ ...renew, expires_at: undefined }, late)
        .then('reissue_expired');
      given(coupon, [issue])
        .when({ ...renew, expires_at: late }, late)
        .then('reissue_expired');
      given(coupon, [issue])
        .when({ ...renew, expires_at: late + 1 }, late)
        .then([renewed(late, late + 1)]);
    });

    it('I3: is reissued if it is redeemed only if that was a mistake, and then it is redeemed no more', () => {
      const used = [issue, redeemed(T)];
      const mistake = { ...renew, expires_at: undefined, redeemed_by_mistake: true };
      given(coupon, used)
        .when({ ...renew, expires_at: undefined }, T + 5)
        .then('coupon_not_reissued');
      const done = given(coupon, used).when(mistake, T + 5);
      done.then([renewed(T + 5, T + 1_000, { redeemed_by_mistake: true })]);
      expect(done.state).toMatchObject({ state: 'reissued', redeemed_at: null, replaced_by: 'new' });
      given(coupon, [...used, renewed(T + 5, T + 1_000, { redeemed_by_mistake: true })])
        .when(mistake, T + 6)
        .then([]);
      // It has expired since: an expired coupon would be of no use.
      given(coupon, used)
        .when(mistake, T + 1_000)
        .then('reissue_expired');
    });

    it.each([
      ['valid', [issue], T],
      ['expired', [issue], T + 1_000],
      ['cancelled', [issue, cancelled], T],
    ])('I3: that is %s was not redeemed by mistake', (_, events, now) => {
      given(coupon, events)
        .when({ ...renew, expires_at: T + 2_000, redeemed_by_mistake: true }, now)
        .then('coupon_not_reissued');
    });

    it('I2: is reissued with the present terms of the deal, if the operator says so: then it also expires as they say', () => {
      const { deal } = terms({ deal_revision: 9 });
      const current = { deal, expires_at: T + 7_000, expiration_days: null };
      const again = (at: number, expires_at: number | null) => renewed(at, expires_at, { deal_revision: 9 });
      given(coupon, [issue])
        .when({ ...renew, terms: current, expires_at: undefined }, T + 5)
        .then([again(T + 5, T + 7_000)]);
      given(coupon, [issue])
        .when({ ...renew, terms: current, expires_at: undefined }, T + 2_000)
        .then([again(T + 2_000, T + 7_000)]);
      given(coupon, [issue])
        .when({ ...renew, terms: { ...current, expiration_days: 2 }, expires_at: undefined }, T + 5)
        .then([again(T + 5, T + 5 + 2 * DAY)]);
      given(coupon, [issue])
        .when({ ...renew, terms: { ...current, expires_at: null }, expires_at: undefined }, T + 5)
        .then([again(T + 5, null)]);
      // An expiry of its own counts more than that of the terms.
      given(coupon, [issue])
        .when({ ...renew, terms: current, expires_at: T + 9 }, T + 5)
        .then([again(T + 5, T + 9)]);
      given(coupon, [issue])
        .when({ ...renew, terms: current, expires_at: undefined }, T + 7_000)
        .then('reissue_expired');
    });

    it('is not reissued if it is cancelled or does not exist', () => {
      given(coupon, [issue, cancelled])
        .when({ ...renew, expires_at: undefined }, T)
        .then('coupon_not_reissued');
      given(coupon)
        .when({ ...renew, expires_at: undefined }, T)
        .then('not_found');
      given(coupon)
        .when({ type: 'cancel', ...why }, T)
        .then('not_found');
    });
  });

  it('D10: is expired by the clock, unless it is redeemed', () => {
    const row: CouponRow = { ...issued, state: 'valid', redeemed_at: null, replaced_by: null };
    expect(couponStateAt(row, T + 999)).toBe('valid');
    expect(couponStateAt(row, T + 1_000)).toBe('expired');
    expect(couponStateAt({ ...row, state: 'redeemed', redeemed_at: T }, T + 1_000)).toBe('redeemed');
    expect(couponStateAt({ ...row, expires_at: null }, NEVER)).toBe('valid');
  });

  it('has a row of its last event; without an expiry it sorts after every instant', async () => {
    const history = [issue, redeemed(T + 5)].map((event) => ({ ...event, stream: `coupon-${coupon_id}` }));
    const row = { ...issued, state: 'valid', redeemed_at: null, replaced_by: null };
    expect(await rowsOf(couponsView, history.slice(0, 1))).toEqual({ [coupon_id]: row });
    expect(await rowsOf(couponsView, history)).toEqual({
      [coupon_id]: { ...row, state: 'redeemed', redeemed_at: T + 5 },
    });
    expect(await rowsOf(couponsView, history.slice(1))).toEqual({});
    expect(couponsView.fields.expires_at.of({ ...row, expires_at: null } as CouponRow)).toBe(NEVER);
  });

  describe('as an answer', () => {
    const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
    const presenting = { keyring, publicUrl: { href: 'http://deals.test' } };

    it('A9 B7 2.6: has its keys in the order of the ruling', () => {
      const row: CouponRow = { ...issued, state: 'redeemed', redeemed_at: T + 60_000, replaced_by: null };
      const answer = presentCoupon(row, T, presenting);
      const open = `http://deals.test/coupons/${coupon_id}`;
      expect(Object.keys(answer)).toEqual([
        'id',
        'slug',
        'deal_id',
        'deal_type',
        'barcode',
        'expires_at',
        'created_at',
        'qr_code_url',
        'qr_code',
        'state',
        'redemption_code',
        'redeemed_at',
        'print_url',
      ]);
      expect(answer).toMatchObject({
        id: coupon_id,
        slug: coupon_id,
        deal_id: 'spa-day',
        deal_type: 'daily-deal',
        barcode: '000000000001',
        expires_at: 'Fri Dec 16 19:11:16 UTC 2011',
        created_at: 'Fri Dec 16 19:11:15 UTC 2011',
        qr_code_url: `${open}/${keyring.sign('coupon-picture', coupon_id)}/qr.png`,
        state: 'redeemed',
        redemption_code: 'SPA-1',
        redeemed_at: 'Fri Dec 16 19:12:15 UTC 2011',
        print_url: `${open}/${keyring.sign('coupon', coupon_id)}/print`,
      });
    });

    it('B7: has null for what is unknown', () => {
      const row: CouponRow = {
        ...issued,
        expires_at: null,
        redemption_code: null,
        state: 'valid',
        redeemed_at: null,
        replaced_by: null,
      };
      expect(presentCoupon(row, T, presenting)).toMatchObject({
        expires_at: null,
        redemption_code: null,
        redeemed_at: null,
      });
    });

    it('B7: has a redemption URL in capitals where case does not matter', () => {
      expect(redemptionUrl('ab12', 'http://deals.test')).toBe('HTTP://DEALS.TEST/C/AB12');
      expect(redemptionUrl('ab12', 'https://deals.test:8443/shop')).toBe('https://deals.test:8443/shop/C/AB12');
    });

    it.each([
      ['http://a.b', '2b94389521b2c5941cebe9eed5e5e079174da74c22533440f037f4a7159b5365'],
      ['http://deals.example', '8de2034a4d593db3ff7d3bb504a62b018d28daa38682a54ab0340f958b3cdc5a'],
      ['https://deals.example/shop', '2ed33babf4c92f24a9fba1c060ebae0970b2d12723f742b31097b3a40b25a5d2'],
      [`https://deals.example/${'x'.repeat(500)}`, '13667919bbd884060569940a53174eca7f9b12b84cd962d4fd7f9bec0539eb95'],
    ])('B7: has the same picture in every build, under %s', (href, digest) => {
      // Others come before and after it, because codes are made from earlier ones.
      const pictures = Array.from({ length: 300 }, (_, n) => {
        const id = n === 200 ? coupon_id : keyring.deriveId('00000000-0000-7000-8000-000000000000', n);
        return qrPng(redemptionUrl(id, href));
      });
      expect(hash('sha256', pictures[200] ?? '')).toBe(digest);
      // They are remembered, and so must not keep what Node cut them from.
      for (const { buffer, length } of pictures) expect(buffer.byteLength).toBe(length);
    });

    it('B7: has a QR code of level L with a fixed mask, whatever its text', () => {
      for (let n = 0; n < 50; n += 1) {
        const modules = qrModules(
          redemptionUrl(keyring.deriveId('00000000-0000-7000-8000-000000000000', n), 'http://a.b'),
        );
        // A QR code begins its ninth line with level (two bits) and mask (three bits); bits 1, 3 and 5 are inverted.
        const format = modules[8]?.slice(0, 5).map((dark, at) => dark !== (at % 2 === 0));
        expect(format).toEqual([false, true, false, true, true]);
      }
    });
  });

  it('B2 D10: has an id and a barcode from its purchase; ids begin with the purchase’s time, and all differ', () => {
    const keyring = Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness);
    const purchase = '0190a1b2c3d4ffffffffffffffffffff';
    const coupons = couponsFor(keyring, purchase, 500);
    expect(couponsFor(keyring, purchase, 500)).toEqual(coupons);
    expect(new Set(coupons.map(({ id }) => id)).size).toBe(500);
    expect(new Set(coupons.map(({ barcode }) => barcode)).size).toBe(500);
    for (const { id, barcode } of coupons) {
      expect(id).toMatch(/^0190a1b2c3d4[0-9a-f]{20}$/);
      expect(barcode).toMatch(/^\d{12}$/);
    }
    expect(couponsFor(Keyring.of(Buffer.alloc(32, 2), thisMachine.randomness), purchase, 1)[0]?.id).not.toBe(
      coupons[0]?.id,
    );
  });
});
