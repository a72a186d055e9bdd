import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../test/support/given-when-then.js';
import { HOLD, START, terms } from '../../../test/support/sale.js';
import { reservation, type ReservationCommand } from './reservation.decider.js';
import type { ReservationEvent, ReservationPlaced } from './reservation.events.js';

const placed: ReservationPlaced = {
  purchase_id: 'r1',
  number: 3,
  partner_id: 'acme',
  deal: terms().deal,
  quantity: 2,
  price: 1_999,
  created_at: START,
  deadline: START + HOLD,
  holder_id: null,
};
const was: Record<string, ReservationEvent> = {
  placed: { type: 'reservation-placed.v1', data: placed },
  claimed: { type: 'reservation-claimed.v1', data: { purchase_id: 'r1', user_id: 'ann' } },
  released: { type: 'reservation-released.v1', data: { purchase_id: 'r1' } },
  expired: { type: 'reservation-expired.v1', data: { purchase_id: 'r1' } },
};
const events = (...names: readonly string[]): ReservationEvent[] => names.flatMap((name) => was[name] ?? []);
const commands: Record<string, ReservationCommand> = {
  place: { type: 'place', placed },
  claim: { type: 'claim', purchase_id: 'r1', user_id: 'ann' },
  release: { type: 'release', purchase_id: 'r1' },
  expire: { type: 'expire', purchase_id: 'r1' },
};

describe('a reservation, which follows its deal’s inventory', () => {
  // The inventory has decided: the reservation refuses nothing, and a step that has happened leads to no event.
  it.each<readonly [string, string, string]>([
    ['', 'place', 'placed'],
    ['', 'claim', ''],
    ['', 'release', ''],
    ['', 'expire', ''],
    ['placed', 'place', ''],
    ['placed', 'claim', 'claimed'],
    ['placed', 'release', 'released'],
    ['placed', 'expire', 'expired'],
    ['placed released', 'claim', 'claimed'],
    ['placed released', 'release', ''],
    ['placed released', 'expire', ''],
    ['placed expired', 'claim', 'claimed'],
    ['placed expired', 'release', ''],
    ['placed expired', 'expire', ''],
    ['placed claimed', 'claim', ''],
    ['placed claimed', 'release', ''],
    ['placed claimed', 'expire', ''],
    ['placed claimed', 'place', ''],
  ])('D3 D4: after "%s", %s writes "%s"', (before, command, after) => {
    const asked = commands[command];
    if (asked === undefined) throw new Error(command);
    given(reservation, events(...before.split(' ')))
      .when(asked)
      .then(events(after));
  });

  it('keeps its data in every state', () => {
    for (const name of ['released', 'expired']) {
      expect(stateOf(reservation, events('placed', name))).toEqual({ status: name, placed });
    }
    expect(stateOf(reservation, events('placed', 'claimed'))).toEqual({ status: 'claimed', placed, user_id: 'ann' });
    expect(stateOf(reservation, events('claimed'))).toEqual({ status: 'none' });
  });
});
