import { describe, expect, it } from '@jest/globals';
import { LookAgain } from '#kernel';
import { IN_A_LIFE } from '#kernel/bounds';
import { follow, given, rowsOf, stateOf } from '../../../test/support/given-when-then.js';
import { cardLinkFollowers } from '../followers.js';
import { cardLink, type RedeemCardLink } from './card-link.decider.js';
import type { CardLinkEvent, CardLinkRedeemed } from './card-link.events.js';
import { presentCardLink } from './card-link.present.js';
import type { CardLinkRow } from './card-link.row.js';
import { cardLinksView } from './card-link.view.js';

const names = { card_link_id: 'l1', deal_id: 'spa', user_id: 'u1' };
const about = { ...names, partner_id: 'acme', merchant_id: 'harbor' };
const linked = (turn = 1, created_at = 7): CardLinkEvent => ({
  type: 'card-linked.v1',
  data: { ...about, turn, created_at },
});
/** One of several links of a call, which may still take it back. */
const open = (turn = 1): CardLinkEvent => ({
  type: 'card-linked.v1',
  data: { ...about, turn, created_at: 7, among_several: true },
});
const unlinked = (turn = 1): CardLinkEvent => ({ type: 'card-unlinked.v1', data: { ...names, turn } });
const undone = (turn = 1): CardLinkEvent => ({ type: 'card-link-undone.v1', data: { ...names, turn } });
const transaction: RedeemCardLink['transaction'] = {
  transaction_amount: 2000,
  transaction_date: 5,
  transaction_reference: 'r1',
  max_redemption: false,
};
const terms: RedeemCardLink['terms'] = {
  min_spend: 1000,
  num_qualifying: 2,
  incentive_amount: 500,
  incentive_percentage: null,
  maximum_allowance: null,
};
const redeemed = (more: Partial<CardLinkRedeemed> = {}): CardLinkEvent => ({
  type: 'card-link-redeemed.v1',
  data: { ...names, revision: 1, ...transaction, qualifying: 1, incentive: 0, ...more },
});
const fulfilled = redeemed({ max_redemption: true });
const redeem = (
  more: Partial<RedeemCardLink['transaction']> = {},
  earlier: CardLinkEvent | null = null,
): RedeemCardLink => ({
  type: 'redeem',
  transaction: { ...transaction, ...more },
  terms,
  earlier: earlier?.type === 'card-link-redeemed.v1' ? earlier.data : null,
});

describe('3.3, E4: a card link', () => {
  it.each<
    readonly [
      words: string,
      before: readonly CardLinkEvent[],
      command: Parameters<typeof cardLink.decide>[0],
      after: readonly CardLinkEvent[] | 'not_found' | 'card_link_not_changed' | 'redeem_failed',
    ]
  >([
    ['is linked', [], { type: 'link', link: { ...about, turn: 1, created_at: 7 } }, [linked()]],
    ['is linked once in a turn', [linked()], { type: 'link', link: { ...about, turn: 1, created_at: 9 } }, []],
    [
      'is linked again',
      [linked(), unlinked()],
      { type: 'link', link: { ...about, turn: 2, created_at: 9 } },
      [linked(2, 9)],
    ],
    ['is unlinked', [linked()], { type: 'unlink' }, [unlinked()]],
    ['is unlinked again', [linked(), unlinked(), linked(2)], { type: 'unlink' }, [unlinked(2)]],
    ['cannot be unlinked twice', [linked(), unlinked()], { type: 'unlink' }, 'card_link_not_changed'],
    ['cannot be unlinked once fulfilled', [linked(), fulfilled], { type: 'unlink' }, 'card_link_not_changed'],
    ['cannot be unlinked before it exists', [], { type: 'unlink' }, 'not_found'],
    ['cannot be unlinked once undone', [linked(), undone()], { type: 'unlink' }, 'not_found'],
    ['E3: is undone', [open()], { type: 'undo', turn: 1 }, [undone()]],
    ['E3: is undone once', [open(), undone()], { type: 'undo', turn: 1 }, []],
    ['E3: stays when it was unlinked since', [open(), unlinked()], { type: 'undo', turn: 1 }, []],
    ['E3: stays when it was redeemed since', [open(), redeemed()], { type: 'undo', turn: 1 }, []],
    ['E3: stays when another call has answered with it', [open(), linked()], { type: 'undo', turn: 1 }, []],
    ['E3: is kept for another call', [open()], { type: 'keep' }, [linked()]],
    ['E3: is kept once', [open(), linked()], { type: 'keep' }, []],
    ['E3: is not kept once undone', [open(), undone()], { type: 'keep' }, []],
    ['E3: is not linked again by a call that keeps it', [open(), unlinked()], { type: 'keep' }, []],
    ['E3: stays in another turn', [open(), undone(), open(2)], { type: 'undo', turn: 1 }, []],
    ['is redeemed', [linked()], redeem(), [redeemed()]],
    [
      'H1: earns',
      [linked(), redeemed()],
      redeem({ transaction_reference: 'r2' }),
      [redeemed({ revision: 2, transaction_reference: 'r2', qualifying: 2, incentive: 500 })],
    ],
    [
      'below min_spend is recorded, and earns nothing',
      [linked()],
      redeem({ transaction_amount: 999 }),
      [redeemed({ transaction_amount: 999, qualifying: 0 })],
    ],
    ['counts a transaction once', [linked(), redeemed()], redeem({}, redeemed()), []],
    [
      'counts a transaction once, even fulfilled',
      [linked(), fulfilled],
      redeem({ max_redemption: true }, fulfilled),
      [],
    ],
    ['counts a transaction once, even unlinked', [linked(), redeemed(), unlinked()], redeem({}, redeemed()), []],
    [
      'refuses another amount',
      [linked(), redeemed()],
      redeem({ transaction_amount: 2001 }, redeemed()),
      'redeem_failed',
    ],
    ['refuses another date', [linked(), redeemed()], redeem({ transaction_date: 6 }, redeemed()), 'redeem_failed'],
    [
      'refuses another max_redemption',
      [linked(), redeemed()],
      redeem({ max_redemption: true }, redeemed()),
      'redeem_failed',
    ],
    [
      'refuses a reference whose hash is that of another one',
      [linked(), redeemed()],
      redeem({}, redeemed({ transaction_reference: 'of the same hash' })),
      'redeem_failed',
    ],
    ['cannot be redeemed unlinked', [linked(), unlinked()], redeem(), 'redeem_failed'],
    [
      'cannot be redeemed once fulfilled',
      [linked(), fulfilled],
      redeem({ transaction_reference: 'r2' }),
      'redeem_failed',
    ],
    ['cannot be redeemed before it exists', [], redeem(), 'not_found'],
  ])('%s', (_, before, command, after) => {
    given(cardLink, before).when(command, 50).then(after);
  });

  it.each<readonly [words: string, earlier: CardLinkEvent | null]>([
    ['none', null],
    ['another one', redeemed({ revision: 7 })],
  ])('is looked at again if its handler has seen %s under the reference', (_, earlier) => {
    expect(() => cardLink.decide(redeem({}, earlier), stateOf(cardLink, [linked(), redeemed()]), 50, 2)).toThrow(
      LookAgain,
    );
  });

  it('has a bounded number of redemptions: the next one is refused, and a repeat is not', () => {
    const of = (n: number): CardLinkEvent => redeemed({ revision: n, transaction_reference: `r${n}` });
    const last = [linked(), ...Array.from({ length: IN_A_LIFE.redemptions - 1 }, (_, n) => of(n + 1))];
    const at = last.length;
    given(cardLink, last)
      .when(redeem({ transaction_reference: `r${at}`, transaction_amount: 1 }))
      .then([redeemed({ revision: at, transaction_reference: `r${at}`, transaction_amount: 1, qualifying: 1 })]);
    const full = [...last, of(at)];
    given(cardLink, full)
      .when(redeem({ transaction_reference: 'new' }))
      .then('redemptions_used_up');
    given(cardLink, full)
      .when(redeem({ transaction_reference: 'r7' }, of(7)))
      .then([]);
    const { redemptions } = stateOf(cardLink, full);
    expect([redemptions.size, redemptions.bytes / redemptions.size < 20]).toEqual([IN_A_LIFE.redemptions, true]);
  });

  const row = (state: CardLinkRow['state'], created_at = 7): Record<string, CardLinkRow> => ({
    l1: { ...about, created_at, state },
  });
  it.each<readonly [events: readonly CardLinkEvent[], rows: Readonly<Record<string, CardLinkRow>>]>([
    [[linked()], row('linked')],
    [[linked(), redeemed()], row('linked')],
    [[open(), linked()], row('linked')],
    [[linked(), fulfilled], row('fulfilled')],
    [[linked(), unlinked()], row('unlinked')],
    [[linked(), unlinked(), linked(2, 9)], row('linked')],
    [[linked(), undone()], {}],
    [[linked(), undone(), linked(2, 9)], row('linked', 9)],
  ])('has a row in the state that its events lead to: %#', async (events, rows) => {
    expect(
      await rowsOf(
        cardLinksView,
        events.map((event) => ({ ...event, stream: 'cardLink-l1' })),
      ),
    ).toEqual(rows);
  });

  it('that ended or was undone frees its place', () => {
    const there = [1, 2].map((turn) => ({
      type: 'user-linked.v1',
      data: { ...about, turn, linked: 1 },
    }));
    const freed = (turn: number): object => ({
      type: 'place-freed.v1',
      data: { card_link_id: 'l1', deal_id: 'spa', turn, linked: 0 },
    });
    for (const [turn, ended] of [
      [1, unlinked(1)],
      [2, undone(2)],
    ] as const) {
      const written = follow(cardLinkFollowers, [{ ...ended, stream: 'cardLink-l1' }], {
        'linkage-spa': there.slice(0, turn),
      });
      expect(written).toEqual({ 'linkage-spa': [freed(turn)] });
    }
  });

  it('2.9, A9: shows id, deal, user, merchant and state, in this order', () => {
    const shown = JSON.stringify(presentCardLink({ ...about, created_at: 7, state: 'linked' }));
    expect(shown).toBe('{"id":"l1","deal_id":"spa","user_id":"u1","merchant_id":"harbor","state":"linked"}');
  });
});
