import { describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import { Addresses } from './addresses.js';
import { Codes } from './codes.js';
import { Coupons } from './coupons.js';
import { held, madeUpLog, type MadeUp, onSale, sold } from './made-up-log.js';
import { OrderOfLog } from './order-of-log.js';
import { Places } from './places.js';
import { Units } from './units.js';

/** The invariant that a log violates; undefined if it violates none. */
function violated(check: { check(event: Recorded): void }, events: readonly MadeUp[]): string | undefined {
  try {
    for (const event of madeUpLog(...events)) check.check(event);
    return undefined;
  } catch (error) {
    return (error as Error).message.split(':', 1)[0];
  }
}

const at = (stock: number, open: number, taken: number): { stock: number; held: number; sold: number } => ({
  stock,
  held: open,
  sold: taken,
});
const released = ['inventory-spa', 'hold-released.v1', { reservation_id: 'a', quantity: 1, ...at(2, 0, 0) }] as const;

describe('the units of every deal', () => {
  it.each<[string, ...MadeUp[]]>([
    ['a hold and its release', ...onSale(2), held('a', at(2, 1, 0)), released],
    ['a hold and its claim', ...onSale(1), held('a', at(1, 1, 0)), sold('hold-claimed.v1', 'a', at(1, 0, 1))],
    [
      'a hold that ends at its deadline',
      ...onSale(2),
      held('a', at(2, 1, 0)),
      ['inventory-spa', 'hold-expired.v1', { reservation_id: 'a', quantity: 1, ...at(2, 0, 0) }, { time: 301_000 }],
    ],
    [
      'a unit that comes back and is sold again',
      ...onSale(1),
      sold('units-sold.v1', 'a', at(1, 0, 1)),
      ['inventory-spa', 'unit-returned.v1', { coupon_id: 'a-1', user_id: 'ann', ...at(1, 0, 0) }],
      sold('units-sold.v1', 'b', at(1, 0, 1)),
    ],
    [
      'a claim of a hold whose deal has a lower maximum since',
      ...onSale(1),
      held('a', at(1, 1, 0)),
      ...onSale(1, { max_per_user: 0 }).slice(0, 1),
      sold('hold-claimed.v1', 'a', at(1, 0, 1)),
    ],
  ])('may be %s', (_, ...events) => {
    expect(violated(new Units(), events)).toBeUndefined();
  });

  it.each<[string, ...MadeUp[]]>([
    ['held and sold are within stock', ...onSale(1), held('a', at(1, 1, 0)), sold('units-sold.v1', 'b', at(1, 1, 1))],
    ['the counters add up', ...onSale(2), held('a', at(2, 0, 0))],
    ['only held units are let go', ...onSale(2), released],
    ['units are held once', ...onSale(3), held('a', at(3, 1, 0)), held('a', at(3, 2, 0))],
    [
      'all held units are let go',
      ...onSale(2),
      held('a', at(2, 1, 0)),
      ['inventory-spa', 'hold-released.v1', { reservation_id: 'a', quantity: 2, ...at(2, 0, 0) }],
    ],
    ['a hold lasts five minutes', ...onSale(2), held('a', at(2, 1, 0), { deadline: 302_000 })],
    [
      'a hold ends at its time',
      ...onSale(2),
      held('a', at(2, 1, 0)),
      ['inventory-spa', 'hold-expired.v1', { reservation_id: 'a', quantity: 1, ...at(2, 0, 0) }, { time: 300_999 }],
    ],
    [
      'a claimed hold is open',
      ...onSale(1),
      held('a', at(1, 1, 0)),
      [...sold('hold-claimed.v1', 'a', at(1, 0, 1)), { time: 301_000 }] as unknown as MadeUp,
    ],
    ['only a deal on sale sells', ...onSale(1, { on_sale: false }), held('a', at(1, 1, 0))],
    ['only a deal on sale sells', ...onSale(1, { end_at: 1_000 }), held('a', at(1, 1, 0))],
    ['a sale has the price of its time', ...onSale(1), held('a', at(1, 1, 0), { price: 11 })],
    ['a purchase is within its limit', ...onSale(2, { max_per_user: 0 }), held('a', at(2, 1, 0))],
    [
      'a user has no more than one user may',
      ...onSale(3, { max_per_user: 1 }),
      sold('units-sold.v1', 'a', at(3, 0, 1)),
      sold('units-sold.v1', 'b', at(3, 0, 2)),
    ],
    [
      'a user has no more than one user may',
      ...onSale(3, { max_per_user: 1 }),
      held('a', at(3, 1, 0), { max_per_user: 1 }),
      sold('units-sold.v1', 'b', at(3, 1, 1)),
      sold('hold-claimed.v1', 'a', at(3, 0, 2)),
    ],
    ['a hold keeps the maximum of its moment', ...onSale(1), held('a', at(1, 1, 0), { max_per_user: 5 })],
    [
      'a user has one open checkout',
      ...onSale(3),
      sold('checkout-started.v1', 'a', at(3, 1, 0)),
      sold('checkout-started.v1', 'b', at(3, 2, 0)),
    ],
    ['a sale has a coupon for each unit', ...onSale(1), sold('units-sold.v1', 'a', at(1, 0, 1), { coupons: [] })],
    [
      'barcodes are unique',
      ...onSale(2),
      sold('units-sold.v1', 'a', at(2, 0, 1)),
      sold('units-sold.v1', 'b', at(2, 0, 2), {
        coupons: [{ id: 'b-1', barcode: 'a-barcode', code: null }],
      }),
    ],
    [
      'a code is given once',
      ...onSale(2),
      ['inventory-spa', 'codes-added.v1', { codes: ['x', 'y'], codes_left: 2, ...at(2, 0, 0) }],
      ...['a', 'b'].map((id, index) =>
        sold('units-sold.v1', id, at(2, 0, index + 1), {
          codes_left: 1 - index,
          coupons: [{ id: `${id}-1`, barcode: id, code: { revision: 2, index: 0 } }],
        }),
      ),
    ],
    [
      'codes are unique',
      ...onSale(2),
      ['inventory-spa', 'codes-added.v1', { codes: ['x', 'x'], codes_left: 2, ...at(2, 0, 0) }],
    ],
    [
      'the codes add up',
      ...onSale(2),
      ['inventory-spa', 'codes-added.v1', { codes: ['x', 'y'], codes_left: 3, ...at(2, 0, 0) }],
    ],
    [
      'no unit without its code',
      ...onSale(2),
      ['inventory-spa', 'codes-added.v1', { codes: ['x'], codes_left: 1, ...at(2, 0, 0) }],
      held('a', { ...at(2, 1, 0) }, { codes_left: 1 }),
      held('b', at(2, 2, 0), { codes_left: 1 }),
    ],
    [
      'a unit comes back once',
      ...onSale(2),
      sold('units-sold.v1', 'a', at(2, 0, 1)),
      ['inventory-spa', 'unit-returned.v1', { coupon_id: 'a-1', user_id: 'ann', ...at(2, 0, 0) }],
      ['inventory-spa', 'unit-returned.v1', { coupon_id: 'a-1', user_id: 'ann', ...at(2, 0, -1) }],
    ],
    ['each start has the next number', ...onSale(2), held('a', at(2, 1, 0), { number: 1 })],
    [
      'what ends has its number',
      ...onSale(2),
      held('a', at(2, 1, 0)),
      ['inventory-spa', 'hold-released.v1', { reservation_id: 'a', number: 1, quantity: 1, ...at(2, 0, 0) }],
    ],
    [
      'a number is sold once',
      ...onSale(2),
      sold('units-sold.v1', 'a', at(2, 0, 1), { number: 0 }),
      sold('units-sold.v1', 'b', at(2, 0, 2), { number: 0 }),
    ],
    [
      'a unit has one number',
      ...onSale(2),
      sold('units-sold.v1', 'a', at(2, 0, 1)),
      sold('units-sold.v1', 'b', at(2, 0, 2), {
        coupons: [{ id: 'b-1', barcode: 'b-barcode', unit: 0, code: null }],
      }),
    ],
    [
      'only sold units come back',
      ...onSale(2),
      ['inventory-spa', 'unit-returned.v1', { coupon_id: 'a-1', user_id: 'ann', ...at(2, 0, -1) }],
    ],
  ])('%s', (invariant, ...events) => {
    expect(violated(new Units(), events)).toBe(invariant);
  });
});

describe('the order of the log', () => {
  it.each<[string, ...MadeUp[]]>([
    ['revisions have no gaps', ['a-1', 'x'], ['a-1', 'x', {}, { revision: 2 }]],
    ['event ids are unique', ['a-1', 'x', {}, { id: 'same' }], ['a-2', 'x', {}, { id: 'same' }]],
    ['causes exist', ['a-1', 'x', {}, { causation: 'b-1@0' }]],
    ['followers have the time of their decision', ['a-1', 'x'], ['b-1', 'x', {}, { causation: 'a-1@0', time: 2_000 }]],
  ])('%s', (invariant, ...events) => {
    expect(violated(new OrderOfLog(), events)).toBe(invariant);
  });

  it('positions grow', () => {
    const check = new OrderOfLog();
    const [one, two] = madeUpLog(['a-1', 'x'], ['b-1', 'x']) as [Recorded, Recorded];
    check.check(two);
    expect(() => check.check(one)).toThrow('positions grow');
  });
});

const issued: MadeUp = ['coupon-a', 'coupon-issued.v1', { purchase_id: 'p', expires_at: 2_000 }];
const redeemed: MadeUp = ['coupon-a', 'coupon-redeemed.v1'];
const cancelled: MadeUp = ['coupon-a', 'coupon-cancelled.v1'];
const reissued = (redeemed_by_mistake: boolean): MadeUp => ['coupon-a', 'coupon-reissued.v1', { redeemed_by_mistake }];

describe('coupons', () => {
  it('are redeemed, and cancelled after that', () => {
    expect(violated(new Coupons(), [issued, redeemed, cancelled])).toBeUndefined();
  });

  it('are issued again unused, or if they were redeemed by mistake', () => {
    expect(violated(new Coupons(), [issued, reissued(false)])).toBeUndefined();
    expect(violated(new Coupons(), [issued, redeemed, reissued(true)])).toBeUndefined();
  });

  it.each<[string, ...MadeUp[]]>([
    ['a coupon is redeemed once, while it is valid', issued, redeemed, redeemed],
    ['a coupon is redeemed once, while it is valid', issued, cancelled, redeemed],
    ['an expired coupon is not redeemed', issued, ['coupon-a', 'coupon-redeemed.v1', {}, { time: 2_000 }]],
    ['a coupon ends once', issued, cancelled, cancelled],
    ['a coupon is used once', issued, redeemed, reissued(false)],
    ['a coupon is used once', issued, reissued(true)],
    ['a coupon is issued once', issued, issued],
    ['only an issued coupon changes', redeemed],
  ])('%s', (invariant, ...events) => {
    expect(violated(new Coupons(), events)).toBe(invariant);
  });
});

describe('the codes of coupons', () => {
  const added: MadeUp = ['inventory-spa', 'codes-added.v1', { codes: ['x', 'y'] }];
  const sale = (type: string, coupon: string, index: number, revision = 0): MadeUp => [
    'inventory-spa',
    type,
    { coupons: [{ id: coupon, code: { revision, index } }] },
  ];
  const given = (coupon: string, redemption_code: string | null): MadeUp => [
    `coupon-${coupon}`,
    'coupon-issued.v1',
    { deal_id: 'spa', redemption_code },
  ];
  const again: MadeUp = ['coupon-a', 'coupon-reissued.v1', { replacement: { coupon_id: 'b' } }];
  const sold = sale('units-sold.v1', 'a', 0);
  const tries = [1, 0].map((index) => sale('resale-started.v1', 'a', index));
  const resold: MadeUp = [
    'purchase-a',
    'purchase-resold.v1',
    { deal: { id: 'spa' }, coupons: [{ id: 'a', code: { revision: 0, index: 1 } }] },
  ];

  it.each<[string, ...MadeUp[]]>([
    ['are those of their sales', added, sold, sale('hold-claimed.v1', 'b', 1), given('a', 'x'), given('b', 'y')],
    ['go on to the coupon of a reissue', added, sold, given('a', 'x'), again, given('b', 'x')],
    ['are those of the resale that was recorded', added, ...tries, resold, given('a', 'y')],
    ['are missing where the sale has none', given('a', null)],
  ])('%s', (_, ...events) => {
    expect(violated(new Codes(), events)).toBeUndefined();
  });

  it.each<[string, ...MadeUp[]]>([
    ['a coupon has the code of its sale', added, sold, given('a', 'y')],
    ['a coupon has the code of its sale', added, sold, given('a', null)],
    ['a coupon has the code of its sale', given('a', 'x')],
    ['a coupon has the code of its sale', added, sold, given('a', 'x'), again, given('b', 'y')],
    ['a coupon has the code of its sale', added, ...tries, resold, given('a', 'x')],
    ['a code stands on one coupon', added, sold, sale('units-sold.v1', 'b', 0), given('a', 'x'), given('b', 'x')],
    ['a sale names codes that the pool has', added, sale('units-sold.v1', 'a', 2)],
    ['a sale names codes that the pool has', added, sale('units-sold.v1', 'a', 0, 1)],
  ])('%s', (invariant, ...events) => {
    expect(violated(new Codes(), events)).toBe(invariant);
  });
});

const offer: MadeUp = ['deal-spa', 'deal-created.v1', { attributes: { max_linkage: 1 } }];
const link = (id: string, linked: number, turn = 1): MadeUp => [
  'linkage-spa',
  'user-linked.v1',
  { card_link_id: id, turn, linked },
];
const batch = (id: string, scheduled: number, ...user_ids: string[]): MadeUp => [
  'schedule-acme-1',
  'users-scheduled.v1',
  { batch_id: id, user_ids, scheduled },
];

describe('places', () => {
  it('are freed and taken again', () => {
    const freed: MadeUp = ['linkage-spa', 'place-freed.v1', { card_link_id: 'a', turn: 1, linked: 0 }];
    expect(violated(new Places(), [offer, link('a', 1), freed, link('b', 1)])).toBeUndefined();
    const free: MadeUp = ['schedule-acme-1', 'users-freed.v1', { batch_id: 'x', scheduled: 0 }];
    expect(violated(new Places(), [batch('x', 1, 'ann'), free, batch('y', 1, 'ann')])).toBeUndefined();
  });

  it.each<[string, ...MadeUp[]]>([
    ['links are within max_linkage', offer, link('a', 1), link('b', 2)],
    ['a link has one place', offer, link('a', 1), link('a', 2, 2)],
    ['the links add up', offer, link('a', 2)],
    [
      'only a taken place is freed',
      offer,
      ['linkage-spa', 'place-freed.v1', { card_link_id: 'a', turn: 1, linked: 0 }],
    ],
    ['a user is in one batch of a day', batch('x', 1, 'ann'), batch('y', 2, 'ann')],
    ['the users of a day add up', batch('x', 2, 'ann')],
    [
      'a day has at most 10000 users',
      batch('x', 10_001, ...Array.from({ length: 10_001 }, (_, index) => `user-${index}`)),
    ],
    [
      'a transaction of a link counts once',
      ...['1', '1'].map((reference): MadeUp => [
        'cardLink-a',
        'card-link-redeemed.v1',
        { transaction_reference: reference },
      ]),
    ],
  ])('%s', (invariant, ...events) => {
    expect(violated(new Places(), events)).toBe(invariant);
  });
});

describe('e-mail addresses', () => {
  const taken = (user_id: string, taking: number): MadeUp => ['email-x', 'email-taken.v1', { user_id, taking }];

  it('have one user, until they are released', () => {
    const freed: MadeUp = ['email-x', 'email-freed.v1', { user_id: 'ann', taking: 1 }];
    expect(violated(new Addresses(), [taken('ann', 1), freed, taken('bob', 2)])).toBeUndefined();
    expect(violated(new Addresses(), [taken('ann', 1), taken('bob', 2)])).toBe('an address has one user');
    expect(violated(new Addresses(), [taken('ann', 1), taken('ann', 2), freed, taken('bob', 3)])).toBe(
      'an address has one user',
    );
  });

  it('are released by whoever left them, once everything has come to rest', () => {
    const atRest = (...events: readonly MadeUp[]) => {
      const addresses = new Addresses();
      const log = madeUpLog(...events);
      for (const event of log) addresses.check(event);
      return (): void => addresses.checkAtRest(log);
    };
    const left: readonly MadeUp[] = [
      taken('ann', 1),
      ['user-ann', 'user-registered.v1', { user_id: 'ann', address: 'x' }],
      ['email-y', 'email-exchanged.v1', { user_id: 'ann', taking: 1 }],
      ['user-ann', 'user-email-changed.v1', { user_id: 'ann', address: 'y' }],
    ];
    const freed: MadeUp = ['email-x', 'email-freed.v1', { user_id: 'ann', taking: 1 }];
    expect(atRest(...left, freed)).not.toThrow();
    expect(atRest(...left)).toThrow('who leaves an address releases it');
    expect(atRest(taken('ann', 1))).toThrow('who leaves an address releases it');
  });
});
