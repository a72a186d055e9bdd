import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Keyring, Slices } from '#eventsourcing';
import { follow, given, rowsOf, stateOf, type TableEvent } from '../../../test/support/given-when-then.js';
import { HOLD, START, claimOf, placeOf, terms } from '../../../test/support/sale.js';
import { inventory, type InventoryCommand } from '../inventory/inventory.decider.js';
import type { InventoryEvent } from '../inventory/inventory.events.js';
import { inventoryFollowers } from '../followers.js';
import { purchase } from './purchase.decider.js';
import type { PurchaseRecorded } from './purchase.events.js';
import { presentPurchase } from './purchase.present.js';
import type { PurchaseRow } from './purchase.row.js';
import { rowFrom } from './purchase.from-log.js';
import { purchasesView } from './purchase.view.js';

const recordedPurchase: PurchaseRecorded = {
  purchase_id: 'r1',
  partner_id: 'acme',
  user_id: 'ann',
  deal: terms().deal,
  quantity: 2,
  price: 1_999,
  amount: 3_998,
  created_at: START,
};

/** The events of commands to the inventory, and of their followers in other streams, in log order. */
function story(...commands: readonly (readonly [InventoryCommand, number])[]): TableEvent[] {
  const events: InventoryEvent[] = [];
  const history: TableEvent[] = [];
  for (const [command, time] of commands) {
    const decided = inventory.decide(command, stateOf(inventory, events), time);
    events.push(...decided);
    history.push(...decided.map((event) => ({ ...event, stream: 'inventory-spa-day', time })));
  }
  return history;
}
const begun: readonly (readonly [InventoryCommand, number])[] = [
  [{ type: 'set-terms', terms: terms() }, START],
  [{ type: 'set-stock', looked: Infinity, units: 9, change_id: 'c' }, START],
  [placeOf('r1', 2), START],
];
const claimed = [...begun, [claimOf('r1', 'ann', 2), START + 60_000] as const];

/** The purchase's own streams, written by `follow`. */
function ownStory(...commands: readonly (readonly [InventoryCommand, number])[]): TableEvent[] {
  const written = follow(inventoryFollowers, story(...commands));
  return Object.entries(written).flatMap(([stream, events]) => events.map((event) => ({ ...event, stream })));
}
async function rowAfter(
  ...commands: readonly (readonly [InventoryCommand, number])[]
): Promise<PurchaseRow | undefined> {
  return (await rowsOf(purchasesView, ownStory(...commands)))['r1'];
}

describe('the followers of holds and sales', () => {
  it('D2: a hold writes the reservation', () => {
    expect(follow(inventoryFollowers, story(...begun))).toEqual({
      'reservation-r1': [
        {
          type: 'reservation-placed.v1',
          data: {
            purchase_id: 'r1',
            number: 0,
            partner_id: 'acme',
            deal: terms().deal,
            quantity: 2,
            price: 1_999,
            created_at: START,
            deadline: START + HOLD,
            holder_id: null,
          },
        },
      ],
    });
  });

  it('D3 D10: a sale ends the reservation, and writes the purchase under its id and one coupon per unit', () => {
    const written = follow(inventoryFollowers, story(...claimed));
    expect(
      Object.fromEntries(Object.entries(written).map(([stream, events]) => [stream, events.map(({ type }) => type)])),
    ).toEqual({
      'reservation-r1': ['reservation-placed.v1', 'reservation-claimed.v1'],
      'purchase-r1': ['purchase-recorded.v1'],
      'coupon-r1-c0': ['coupon-issued.v1'],
      'coupon-r1-c1': ['coupon-issued.v1'],
    });
    expect(written['purchase-r1']?.[0]?.data).toEqual(recordedPurchase);
    expect(written['coupon-r1-c1']?.[0]?.data).toEqual({
      coupon_id: 'r1-c1',
      purchase_id: 'r1',
      partner_id: 'acme',
      user_id: 'ann',
      deal_id: 'spa-day',
      deal_type: 'daily-deal',
      deal_revision: 0,
      number: 1,
      barcode: '000000000001',
      unit: 1,
      redemption_code: null,
      created_at: START + 60_000,
      expires_at: terms().expires_at,
    });
  });

  it.each<readonly [string, readonly (readonly [InventoryCommand, number])[], readonly string[]]>([
    ['a release', [[{ type: 'release', number: 0, reservation_id: 'r1' }, START + 1]], ['released']],
    ['a hold that ran out', [[{ type: 'expire-hold', reservation_id: 'r1' }, START + HOLD]], ['expired']],
    ['a claim that came late', [[claimOf('r1', 'ann', 2), START + HOLD]], ['expired', 'claimed']],
    [
      'a claim after the release',
      [
        [{ type: 'release', number: 0, reservation_id: 'r1' }, START + 1],
        [claimOf('r1', 'ann', 2), START + 2],
      ],
      ['released', 'claimed'],
    ],
  ])('D3 D4: %s writes every step to the reservation’s stream', (_, commands, steps) => {
    const written = follow(inventoryFollowers, story(...begun, ...commands));
    expect(written['reservation-r1']?.map(({ type }) => type)).toEqual(
      ['placed', ...steps].map((step) => `reservation-${step}.v1`),
    );
  });
});

describe('a purchase', () => {
  it('is recorded only once', () => {
    given(purchase)
      .when({ type: 'record', purchase: recordedPurchase })
      .then([{ type: 'purchase-recorded.v1', data: recordedPurchase }]);
    given(purchase, [{ type: 'purchase-recorded.v1', data: recordedPurchase }])
      .when({ type: 'record', purchase: { ...recordedPurchase, user_id: 'bob' } })
      .then([]);
  });

  describe('as a row', () => {
    it('B6: a reservation is pending and reserved, with amount = price × quantity and no user', async () => {
      expect(await rowAfter(...begun)).toEqual({
        id: 'r1',
        partner_id: 'acme',
        deal: terms().deal,
        price: 1_999,
        amount: 3_998,
        quantity: 2,
        payment_state: 'pending',
        fulfillment_state: 'reserved',
        created_at: START,
        deadline: START + HOLD,
        user_id: null,
        credit_card_id: null,
        last4: null,
        reference: null,
        coupons: [],
      });
    });

    it('3.2: a hold that is released or has run out is pending and released', async () => {
      for (const close of [
        [{ type: 'release', number: 0, reservation_id: 'r1' }, START + 1],
        [{ type: 'expire-hold', reservation_id: 'r1' }, START + HOLD],
      ] as const) {
        expect(await rowAfter(...begun, close)).toMatchObject({
          payment_state: 'pending',
          fulfillment_state: 'released',
        });
      }
    });

    it('3.2 D3: a claim, in time or late, is charged and fulfilled, with the reservation’s date and the coupons in order', async () => {
      const late = [...begun, [claimOf('r1', 'ann', 2), START + HOLD] as const];
      for (const commands of [claimed, late]) {
        const row = await rowAfter(...commands);
        expect(row).toMatchObject({
          payment_state: 'charged',
          fulfillment_state: 'fulfilled',
          created_at: START,
          deadline: null,
          user_id: 'ann',
          amount: 3_998,
        });
        expect(row?.coupons.map(({ coupon_id }) => coupon_id)).toEqual(['r1-c0', 'r1-c1']);
      }
    });

    it('has its coupons, in any order of their events', async () => {
      const history = ownStory(...claimed);
      const coupons = history.filter(({ stream }) => stream.startsWith('coupon-')).toReversed();
      const redeemed = {
        type: 'coupon-redeemed.v1',
        stream: 'coupon-r1-c1',
        data: { coupon_id: 'r1-c1', purchase_id: 'r1', redeemed_at: START + 99 },
      };
      const rest = history.filter(({ stream }) => !stream.startsWith('coupon-'));
      const row = (await rowsOf(purchasesView, [...rest, ...coupons, redeemed]))['r1'];
      expect(row?.coupons.map(({ coupon_id, state }) => [coupon_id, state])).toEqual([
        ['r1-c0', 'valid'],
        ['r1-c1', 'redeemed'],
      ]);
    });

    it('folded from its own streams is byte for byte that of the view', async () => {
      const history = ownStory(...claimed);
      const events = history.map((event, revision) => ({
        ...event,
        id: 'i',
        revision,
        metadata: { time: 0, command_id: 'c', correlation: 'r', causation: null, actor: 'a' },
      }));
      const fromView = (await rowsOf(purchasesView, history))['r1'];
      expect(JSON.stringify(rowFrom(events.toReversed()))).toBe(JSON.stringify(fromView));
      const sold = events.filter(({ type }) => !type.startsWith('reservation-'));
      expect(JSON.stringify(rowFrom(sold))).toBe(JSON.stringify(fromView));
    });

    it('does not exist for a coupon alone', async () => {
      const history = ownStory(...claimed).filter(({ stream }) => stream.startsWith('coupon-'));
      expect(await rowsOf(purchasesView, history)).toEqual({});
      expect(rowFrom([])).toBeUndefined();
    });
  });

  describe('as an answer', () => {
    const presenting = {
      keyring: Keyring.of(Buffer.alloc(32, 1), thisMachine.randomness),
      publicUrl: { href: 'http://deals.test' },
      slices: new Slices(thisMachine.time),
    };
    const answer = async (
      now: number,
      ...commands: readonly (readonly [InventoryCommand, number])[]
    ): Promise<object> => {
      const row = await rowAfter(...commands);
      if (row === undefined) throw new Error('no row');
      return presentPurchase(row, now, presenting);
    };

    it('A9 B6 2.5: has its keys in the order of the interface', async () => {
      const purchase = await answer(START, ...claimed);
      expect(Object.keys(purchase)).toEqual([
        'id',
        'purchase_id',
        'deal_type',
        'deal_id',
        'price',
        'amount',
        'number_bought',
        'payment_state',
        'fulfillment_state',
        'created_at',
        'user_id',
        'credit_card_id',
        'deal',
        'coupons',
      ]);
      expect(purchase).toMatchObject({
        id: 'r1',
        purchase_id: 'r1',
        deal_type: 'daily-deal',
        deal_id: 'spa-day',
        price: 1_999,
        amount: 3_998,
        number_bought: 2,
        payment_state: 'charged',
        fulfillment_state: 'fulfilled',
        created_at: 'Fri Jan 15 08:00:00 UTC 2027',
        user_id: 'ann',
        credit_card_id: null,
        coupons: [{ id: 'r1-c0' }, { id: 'r1-c1' }],
      });
      expect(JSON.stringify((purchase as { deal: object }).deal)).toBe(
        JSON.stringify({
          id: 'spa-day',
          deal_id: 'spa-day',
          title: 'A day at the spa',
          type: 'daily-deal',
          image_url: '/spa.jpg?size=medium',
          image_url_abs: 'http://deals.test/spa.jpg?size=medium',
        }),
      );
    });

    it('B6: shows a reservation past its deadline as released, with or without an event', async () => {
      expect(await answer(START + HOLD - 1, ...begun)).toMatchObject({ fulfillment_state: 'reserved', coupons: [] });
      expect(await answer(START + HOLD, ...begun)).toMatchObject({
        payment_state: 'pending',
        fulfillment_state: 'released',
      });
    });
  });
});
