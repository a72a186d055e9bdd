import { describe, expect, it } from '@jest/globals';
import { sellsAt, type SaleTerms } from '#purchasing/model';
import { DAY, type DomainError, type Refusals } from '#kernel';
import { follow, given, rowsOf, stateOf, type TableEvent } from '../../../test/support/given-when-then.js';
import { dealFollowers } from '../followers.js';
import { DEAL_DEFAULTS, type DealAttributes } from './deal.attributes.js';
import { deal, type DealCommand } from './deal.decider.js';
import type { DealEvent } from './deal.events.js';
import { DEAL_STATES, stateAt, type DealState } from './deal.state.js';
import { dealsView } from './deal.view.js';

const START = 1_800_000_000_000;
const END = START + 10 * DAY;
const required = { title: 'A day at the spa', region_id: 'boston', start_at: START, end_at: END };
const prices = { current_price: 1_999, value: 4_000 };
const full: DealAttributes = { ...DEAL_DEFAULTS, ...required, ...prices, type: 'daily-deal' };
const put = (changes: Partial<DealAttributes>): DealCommand => ({ type: 'put', deal_id: 'spa', changes });
const move = (to: DealState): DealCommand => ({ type: 'move', to, reason: 'because' });
const created: DealEvent = { type: 'deal-created.v1', data: { deal_id: 'spa', state: 'submitted', attributes: full } };
const inState = (state: DealState, attributes = full): DealEvent[] => [
  created,
  { type: 'deal-moved.v1', data: { deal_id: 'spa', state, attributes, from: 'submitted', reason: null } },
];

describe('a deal', () => {
  describe('G4: is created', () => {
    it('as submitted, with the given attributes and the defaults of the others', () => {
      given(deal)
        .when(put({ ...required, ...prices }))
        .then([created]);
    });

    it.each(['title', 'region_id', 'start_at', 'end_at', 'current_price', 'value'])('only with %s', (name) => {
      const { [name as 'title']: _, ...rest } = { ...required, ...prices };
      given(deal).when(put(rest)).then('deal_attribute_missing');
    });

    it('or is refused with all that it lacks, and with all that contradicts', () => {
      const refusalsOf = (changes: Partial<DealAttributes>, arrives?: DealState): unknown => {
        try {
          return deal.decide({ type: 'put', deal_id: 'spa', changes, arrives }, null, 0);
        } catch (error) {
          return (error as Refusals).all.map(({ code, details: { field } }) => field ?? code);
        }
      };
      expect(refusalsOf({})).toEqual([...Object.keys(required), ...Object.keys(prices)]);
      expect(refusalsOf({ type: 'affiliate' })).toEqual(Object.keys(required));
      const twice = { incentive_amount: 1, incentive_percentage: 1 };
      expect(refusalsOf({ ...required, value: 1, ...twice, end_at: START, type: 'on-going' }, 'in-flight')).toEqual([
        'current_price',
        'deal_window_empty',
        'deal_incentive_twice',
        'deal_arrives_early',
      ]);
    });

    it.each(['affiliate', 'card-linked'] as const)('without prices if it is %s', (type) => {
      expect(given(deal).when(put({ ...required, type })).state?.attributes).toEqual({
        ...DEAL_DEFAULTS,
        ...required,
        type,
      });
    });

    it('only with an end after its start', () => {
      given(deal)
        .when(put({ ...required, ...prices, end_at: START }))
        .then('deal_window_empty');
      expect(given(deal).when(put({ ...required, ...prices, end_at: START + 1 })).outcome).toHaveLength(1);
    });
  });

  describe('I5: has no voucher that is over before its sale', () => {
    const field = (changes: Partial<DealAttributes>, history: readonly DealEvent[] = []): unknown => {
      const state = history.length === 0 ? null : stateOf(deal, history);
      try {
        return deal.decide(put(changes), state, 0).length;
      } catch (error) {
        const { code, details } = error as DomainError;
        return code === 'deal_expires_early' ? details['field'] : code;
      }
    };
    const sold = { ...required, ...prices };
    const until = (expires_at: number, more: Partial<DealAttributes> = {}): DealEvent[] => [
      {
        type: 'deal-created.v1',
        data: { deal_id: 'spa', state: 'approved', attributes: { ...full, expires_at, ...more } },
      },
    ];

    it.each<readonly [string, Partial<DealAttributes>, readonly DealEvent[], unknown]>([
      ['a new deal, a moment early', { ...sold, expires_at: END - 1 }, [], 'expires_at'],
      ['a new deal, together with its end', { ...sold, expires_at: END }, [], 1],
      ['a new deal, never', { ...sold, expires_at: null }, [], 1],
      ['a new deal whose days decide', { ...sold, expires_at: START, expiration_days: 30 }, [], 1],
      ['an earlier expiry', { expires_at: END - 1 }, until(END), 'expires_at'],
      ['a later expiry', { expires_at: END + 1 }, until(END), 1],
      ['a later end', { end_at: END + 1 }, until(END), 'end_at'],
      ['an earlier end', { end_at: END - 1 }, until(END), 1],
      ['both later', { end_at: END + 2, expires_at: END + 2 }, until(END), 1],
      ['both, in the wrong order', { end_at: END + 2, expires_at: END + 1 }, until(END), 'expires_at'],
      ['a later end, where days decide', { end_at: END + 1 }, until(END, { expiration_days: 30 }), 1],
      ['no days any more', { expiration_days: null }, until(END - 1, { expiration_days: 30 }), 'expires_at'],
      ['another title', { title: 'T' }, until(END), 1],
    ])('%s', (_, changes, history, expected) => {
      expect(field(changes, history)).toBe(expected);
    });

    it('whatever its type', () => {
      for (const type of ['card-linked', 'affiliate'] as const)
        expect(field({ ...required, type, expires_at: START })).toBe('expires_at');
    });
  });

  describe('G4: is changed', () => {
    it('in the given attributes, and the event names them', () => {
      given(deal, [created])
        .when(put({ title: 'Two days', tags: ['wellness'], region_id: 'boston' }))
        .then([
          {
            type: 'deal-changed.v1',
            data: {
              deal_id: 'spa',
              state: 'submitted',
              attributes: { ...full, title: 'Two days', tags: ['wellness'] },
              changed: ['tags', 'title'],
            },
          },
        ]);
    });

    it('only where a value differs, in lists and objects too', () => {
      const given_ = { ...required, tags: ['a', 'b'], custom_data: { a: [1] } };
      const events = given(deal).when(put({ ...given_, ...prices })).outcome as DealEvent[];
      given(deal, events)
        .when(put({ tags: ['a', 'b'], custom_data: { a: [1] } }))
        .then([]);
      expect(given(deal, events).when(put({ tags: ['b', 'a'] })).outcome).toHaveLength(1);
    });

    it('in any state except deleted', () => {
      for (const state of DEAL_STATES) {
        const { outcome } = given(deal, inState(state)).when(put({ title: 'New' }));
        if (state === 'deleted') expect(outcome).toBe('transition_refused');
        else expect(outcome).toMatchObject([{ data: { state } }]);
      }
    });

    it('but a prepaid deal keeps its prices', () => {
      given(deal, [created])
        .when(put({ current_price: null }))
        .then('deal_attribute_missing');
    });
  });

  describe('C2: its type', () => {
    const typeOf = (attributes: Partial<DealAttributes>): unknown => {
      const { outcome } = given(deal).when(put({ ...required, ...prices, ...attributes }));
      return typeof outcome === 'string' ? outcome : outcome[0]?.data.attributes.type;
    };

    it.each<readonly [number, string]>([
      [15 * DAY, 'daily-deal'],
      [15 * DAY + 1, 'on-going'],
    ])('follows from %d ms on sale: %s', (length, type) => {
      expect(typeOf({ end_at: START + length })).toBe(type);
      expect(typeOf({ end_at: START + length, type: type as DealAttributes['type'] })).toBe(type);
    });

    it('must not contradict the time on sale', () => {
      expect(typeOf({ end_at: START + 15 * DAY, type: 'on-going' })).toBe('deal_type_contradicts');
      expect(typeOf({ end_at: START + 15 * DAY + 1, type: 'daily-deal' })).toBe('deal_type_contradicts');
    });

    it('affiliate and card-linked deals can be on sale for any time', () => {
      for (const type of ['affiliate', 'card-linked'] as const)
        expect(typeOf({ end_at: START + 90 * DAY, type })).toBe(type);
    });

    it('changes with a longer time on sale, except for affiliate and card-linked', () => {
      const longer = put({ end_at: START + 20 * DAY });
      expect(given(deal, [created]).when(longer).state?.attributes.type).toBe('on-going');
      const linked = given(deal).when(put({ ...required, type: 'card-linked' })).outcome as DealEvent[];
      expect(given(deal, linked).when(longer).state?.attributes.type).toBe('card-linked');
    });
  });

  describe('C1 3.1: moves', () => {
    /** Every allowed move before the deal's start; all others are refused. */
    const ALLOWED: Readonly<Record<DealState, readonly DealState[]>> = {
      submitted: ['in-review', 'cancelled', 'deleted'],
      'in-review': ['approved', 'rejected', 'cancelled', 'deleted'],
      rejected: ['submitted', 'deleted'],
      approved: ['cancelled', 'deleted'],
      'in-flight': ['paused', 'cancelled', 'deleted'],
      paused: ['in-flight', 'cancelled', 'deleted'],
      cancelled: ['deleted'],
      landed: ['deleted'],
      deleted: [],
    };
    const pairs = DEAL_STATES.flatMap((from) => DEAL_STATES.map((to) => [from, to] as const));

    it.each(pairs)('%s to %s, before its start', (from, to) => {
      const { outcome } = given(deal, inState(from)).when(move(to), START - 1);
      if (from === to) expect(outcome).toEqual([]);
      else if (!ALLOWED[from].includes(to)) expect(outcome).toBe('transition_refused');
      else {
        const data = { deal_id: 'spa', state: to, attributes: full, from, reason: 'because' };
        expect(outcome).toEqual([{ type: 'deal-moved.v1', data }]);
      }
    });

    it('need a deal that exists', () => {
      given(deal).when(move('in-review'), START).then('deal_not_found');
    });

    it('an approved deal is in flight from its start on: a move there leads to no event, and it can be paused', () => {
      given(deal, inState('approved'))
        .when(move('in-flight'), START - 1)
        .then('transition_refused');
      given(deal, inState('approved')).when(move('in-flight'), START).then([]);
      expect(given(deal, inState('approved')).when(move('paused'), START).outcome).toMatchObject([
        { data: { from: 'in-flight', state: 'paused' } },
      ]);
    });

    it.each(['approved', 'in-flight', 'paused'] as const)(
      'a deal in state %s is landed after its end, and can only be deleted',
      (from) => {
        given(deal, inState(from)).when(move('landed'), END).then([]);
        given(deal, inState(from))
          .when(move('landed'), END - 1)
          .then('transition_refused');
        given(deal, inState(from)).when(move('in-flight'), END).then('transition_refused');
        given(deal, inState(from)).when(move('cancelled'), END).then('transition_refused');
        expect(given(deal, inState(from)).when(move('deleted'), END).outcome).toMatchObject([
          { data: { from: 'landed' } },
        ]);
      },
    );

    it.each(DEAL_STATES)('the state %s at a time follows the clock', (state) => {
      const at = (now: number): DealState => stateAt({ state, attributes: full }, now);
      const expected: Record<string, readonly DealState[]> = {
        approved: ['approved', 'in-flight', 'in-flight', 'landed'],
        'in-flight': ['in-flight', 'in-flight', 'in-flight', 'landed'],
        paused: ['paused', 'paused', 'paused', 'landed'],
      };
      expect([START - 1, START, END - 1, END].map(at)).toEqual(expected[state] ?? Array(4).fill(state));
    });
  });

  describe('its followers: the sale terms of the inventory', () => {
    const termsAfter = (...events: readonly DealEvent[]): SaleTerms | undefined => {
      const history: TableEvent[] = events.map((event) => ({ ...event, stream: 'deal-spa' }));
      const last = follow(dealFollowers, history)['inventory-spa']?.at(-1);
      return (last?.data as { terms: SaleTerms } | undefined)?.terms;
    };

    it('every event sets them, with its own revision', () => {
      const events = inState('approved');
      const changed: DealEvent = {
        type: 'deal-changed.v1',
        data: {
          deal_id: 'spa',
          state: 'approved',
          attributes: { ...full, current_price: 5, max_per_user: 2 },
          changed: [],
        },
      };
      expect(termsAfter(created)).toEqual({
        deal: { id: 'spa', revision: 0, title: 'A day at the spa', type: 'daily-deal', image: null },
        on_sale: false,
        start_at: START,
        end_at: END,
        price: 1_999,
        max_per_user: null,
        expires_at: null,
        expiration_days: null,
      });
      expect(termsAfter(...events, changed)).toMatchObject({
        price: 5,
        max_per_user: 2,
        on_sale: true,
      });
    });

    it.each(DEAL_STATES)('C1 C2: the deal sells exactly while it is in flight and prepaid: %s', (state) => {
      for (const type of ['daily-deal', 'affiliate', 'card-linked'] as const) {
        const events = inState(state, { ...full, type });
        const after = stateOf(deal, events);
        const terms = termsAfter(...events);
        if (terms === undefined || after === null) throw new Error('no terms');
        for (const now of [START - 1, START, END - 1, END]) {
          const inFlight = now >= START && stateAt(after, now) === 'in-flight';
          expect(sellsAt(terms, now)).toBe(inFlight && type === 'daily-deal');
        }
      }
    });
  });

  it('has the row of its last event', async () => {
    const history = inState('paused').map((event) => ({ ...event, stream: 'deal-spa' }));
    expect(await rowsOf(dealsView, history)).toEqual({ spa: { deal_id: 'spa', state: 'paused', attributes: full } });
  });
});
