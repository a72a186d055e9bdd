import { describe, expect, it } from '@jest/globals';
import type { Act } from '../workload/history.js';
import { act } from './made-up-acts.js';
import { madeUpLog, type MadeUp } from './made-up-log.js';
import { checkRefusals } from './refusals.js';

const check =
  (events: readonly MadeUp[], one: Act, at = 5) =>
  (): void =>
    checkRefusals(
      madeUpLog(...events),
      events.map(() => at),
      [one],
    );
const refused = (error_msg: string, more: object = {}): { readonly status: number; readonly body: object } => ({
  status: 422,
  body: { error_msg, ...more },
});

describe('a refusal tells the truth', () => {
  const linked: MadeUp = ['linkage-spa', 'user-linked.v1', { card_link_id: 'l' }];
  const freed: MadeUp = ['linkage-spa', 'place-freed.v1', { card_link_id: 'l' }];
  const full = act(
    { type: 'link', deals: ['spa'], user: 'ann' },
    refused('the deal cannot be linked: all its places are taken (1)', { detail: 'the deal is spa; GET /deals/spa' }),
  );
  const sold: MadeUp = ['inventory-spa', 'units-sold.v1', { purchase_id: 'p', user_id: 'ann' }];
  const claim = (user: string): Act =>
    act({ type: 'claim', purchase: 'p', user }, refused('the reservation was claimed for another user'));
  const resold: MadeUp = [
    'purchase-q',
    'purchase-resold.v1',
    { partner_id: 'acme', transaction_reference: 'r', quantity: 1, amount: 9, deal: { id: 'spa' } },
  ];
  const used = (quantity: number, amount = 9): Act =>
    act(
      { type: 'resell', deal: 'spa', quantity, amount, reference: 'acme/r', content: 'c' },
      refused('validation failed', { errors: [{ field: 'transaction_reference', message: 'has already been used' }] }),
    );
  const redeemed: MadeUp = ['coupon-c', 'coupon-redeemed.v1', { coupon_id: 'c' }];
  const issued: MadeUp = ['coupon-c', 'coupon-issued.v1', { coupon_id: 'c', expires_at: 20_000 }];
  const redeem = (word: string): Act => act({ type: 'redeem', coupon: 'c' }, refused(`the coupon is ${word}`));
  const started: MadeUp = ['inventory-spa', 'checkout-started.v1', { purchase_id: 'p' }];
  const ended: MadeUp = ['inventory-spa', 'checkout-sold.v1', { purchase_id: 'p' }];
  const buy = act(
    { type: 'buy', deal: 'spa', quantity: 1, user: 'ann' },
    { status: 409, body: { error_msg: 'an existing purchase is still processing', purchase_id: 'p' } },
  );

  const cases: readonly (readonly [string, readonly MadeUp[], Act, boolean, number?])[] = [
    ['places that are taken', [linked], full, true],
    ['no place is taken', [], full, false],
    ['a place that was freed before', [linked, freed], full, false, -1],
    ['a place that was freed meanwhile', [linked, freed], full, true],
    ['a claim by another user', [sold], claim('bob'), true],
    ['a claim by the same user', [sold], claim('ann'), false],
    ['other content under a reference', [resold], used(2), true],
    ['another amount under a reference', [resold], used(1, 8), true],
    ['the same content under a reference', [resold], used(1), false],
    ['a redeemed coupon', [issued, redeemed], redeem('redeemed'), true],
    ['a coupon that is not redeemed', [issued], redeem('redeemed'), false],
    ['a coupon that is not cancelled', [issued, redeemed], redeem('cancelled'), false],
    ['a coupon that has not expired', [issued], redeem('expired'), false],
    [
      'a released hold that was claimed',
      [sold],
      act({ type: 'release', purchase: 'p' }, refused('the reservation was claimed')),
      true,
    ],
    [
      'a released hold that was not claimed',
      [],
      act({ type: 'release', purchase: 'p' }, refused('the reservation was claimed')),
      false,
    ],
    ['a checkout that is open', [started], buy, true],
    ['a checkout that had ended', [started, ended], buy, false, -1],
    ['no checkout', [], buy, false],
  ];

  it.each(cases.map(([words, events, one, isTrue, at = 5]) => ({ words, events, one, isTrue, at })))(
    '$words',
    ({ events, one, isTrue, at }) => {
      if (isTrue) expect(check(events, one, at)).not.toThrow();
      else expect(check(events, one, at)).toThrow('a refusal tells the truth');
    },
  );
});
