import { deserialize, serialize } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { follow, given, recorded, stateOf } from '../../../test/support/given-when-then.js';
import { linkageFollowers } from '../followers.js';
import { linkage, type LinkTerms } from './linkage.decider.js';
import type { LinkageEvent, UserLinked } from './linkage.events.js';
import { linkageParts, placeOf } from './linkage.state.js';

const terms: LinkTerms = { type: 'card-linked', state: 'in-flight', end_at: 100, max_linkage: 2 };
const link = (card_link_id: string, turn = 1): Omit<UserLinked, 'linked'> => ({
  card_link_id,
  deal_id: 'spa',
  user_id: `user of ${card_link_id}`,
  partner_id: 'acme',
  merchant_id: null,
  turn,
});
const taken = (id: string, linked: number, turn = 1): LinkageEvent => ({
  type: 'user-linked.v1',
  data: { ...link(id, turn), linked },
});
const freed = (card_link_id: string, linked: number, turn = 1): LinkageEvent => ({
  type: 'place-freed.v1',
  data: { card_link_id, deal_id: 'spa', turn, linked },
});

describe('E4: the places of a card-linked deal', () => {
  it.each<readonly [words: string, before: readonly LinkageEvent[], turn: number, after: readonly LinkageEvent[]]>([
    ['are taken', [], 1, [taken('a', 1)]],
    ['are taken up to the last', [taken('b', 1)], 1, [taken('a', 2)]],
    ['are taken once by a link', [taken('a', 1)], 1, []],
    ['are not taken again by a turn that is over', [taken('a', 1), freed('a', 0)], 1, []],
    ['are taken by the next turn', [taken('a', 1), freed('a', 0)], 2, [taken('a', 1, 2)]],
    ['are taken when one is free again', [taken('b', 1), taken('c', 2), freed('b', 1)], 1, [taken('a', 2)]],
  ])('%s', (_, before, turn, after) => {
    given(linkage, before)
      .when({ type: 'take', link: link('a', turn), terms }, 50)
      .then(after);
  });

  it.each<readonly [words: string, before: readonly LinkageEvent[], terms: Partial<LinkTerms>, now: number]>([
    ['when all are taken', [taken('b', 1), taken('c', 2)], {}, 50],
    ['when there are fewer than before', [taken('b', 1)], { max_linkage: 1 }, 50],
    ['when there are none', [], { max_linkage: 0 }, 50],
    ['of a deal that is not card-linked', [], { type: 'daily-deal' }, 50],
    ['of a paused deal', [], { state: 'paused' }, 50],
    ['of a deal that is not yet in flight', [], { state: 'approved' }, 50],
    ['of a deal that has just ended', [], {}, 100],
  ])('are refused %s', (_, before, other, now) => {
    given(linkage, before)
      .when({ type: 'take', link: link('a'), terms: { ...terms, ...other } }, now)
      .then('card_link_not_changed');
  });

  it('have no limit without max_linkage', () => {
    const before = [taken('b', 1), taken('c', 2)];
    given(linkage, before)
      .when({ type: 'take', link: link('a'), terms: { ...terms, max_linkage: null } }, 50)
      .then([taken('a', 3)]);
  });

  it.each<readonly [words: string, before: readonly LinkageEvent[], turn: number, after: readonly LinkageEvent[]]>([
    ['are freed', [taken('a', 1), taken('b', 2)], 1, [freed('a', 1)]],
    ['are freed once', [taken('a', 1), freed('a', 0)], 1, []],
    ['are not freed by an earlier turn', [taken('a', 1), freed('a', 0), taken('a', 1, 2)], 1, []],
    ['are freed by the present turn', [taken('a', 1), freed('a', 0), taken('a', 1, 2)], 2, [freed('a', 0, 2)]],
    ['of others are not freed', [taken('b', 1)], 1, []],
  ])('%s', (_, before, turn, after) => {
    given(linkage, before).when({ type: 'free', card_link_id: 'a', deal_id: 'spa', turn }, 50).then(after);
  });

  it('take 16 to 20 bytes for each user, whatever their turns, and are the same from their parts', () => {
    const ids = Array.from({ length: 3_000 }, (_, n) => `l${n}`);
    const once = ids.map((id) => taken(id, 1));
    const thrice = ids.flatMap((id) => [taken(id, 1), freed(id, 0), taken(id, 1, 2), freed(id, 0, 2), taken(id, 1, 3)]);
    for (const [events, turn] of [
      [once, 1],
      [thrice, 3],
    ] as const) {
      const state = stateOf(linkage, events);
      expect(ids.map((id) => placeOf(state, id))).toEqual(ids.map(() => ({ turn, taken: true })));
      expect(placeOf(state, 'other')).toEqual({ turn: 0, taken: false });
      expect(linkage.weigh?.(state)).toBeLessThan(20 * ids.length);
      const parts = [...linkageParts.parts(state)].map((part): unknown => deserialize(serialize(part)));
      const again = linkageParts.from(parts);
      expect(again.linked).toBe(state.linked);
      expect([...again.places.parts()]).toEqual([...state.places.parts()]);
    }
  });

  it.each([-1, 0.5, NaN, 3, 2 ** 53])('D1: are not made of parts by which %d of two users have one', (linked) => {
    const [, places] = [...linkageParts.parts(stateOf(linkage, [taken('a', 1), taken('b', 2)]))];
    expect(linkageParts.from([2, places]).linked).toBe(2);
    expect(() => linkageParts.from([linked, places])).toThrow('the places that are taken must be a whole number');
  });

  it('3.3: that are taken become card links', () => {
    const stream = 'linkage-spa';
    const events = [taken('a', 1), freed('a', 0), taken('a', 1, 2)].map((event) => ({ ...event, stream, time: 7 }));
    expect(follow(linkageFollowers, events)).toEqual({
      'cardLink-a': [1, 2].map((turn) => ({ type: 'card-linked.v1', data: { ...link('a', turn), created_at: 7 } })),
    });
  });

  // A card that is linked again has its stream, which the loop must not take for a new one.
  it('only the first turn begins the stream of the link', () => {
    const begins = [1, 2, 3].map((turn) => {
      const [event] = recorded([{ ...taken('a', 1, turn), stream: 'linkage-spa' }]);
      return event && linkageFollowers.on[event.type]?.(event as never).map((directive) => directive.begins);
    });
    expect(begins).toEqual([[true], [false], [false]]);
  });
});
