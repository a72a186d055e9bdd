import { describe, expect, it } from '@jest/globals';
import { given, rowsOf } from '../../../test/support/given-when-then.js';
import { savedDeal } from './saved-deal.decider.js';
import type { DealSaved, SavedDealEvent } from './saved-deal.events.js';
import { presentSavedDeal } from './saved-deal.present.js';
import { savedDealsView } from './saved-deal.view.js';

const ids = { saved_deal_id: 's1', deal_id: 'spa', user_id: 'u1' };
const saved = { ...ids, partner_id: 'acme' };
const kept = (created_at: number): DealSaved => ({ ...saved, created_at });
const isSaved = (at: number): SavedDealEvent => ({ type: 'deal-saved.v1', data: kept(at) });
const isRemoved: SavedDealEvent = { type: 'saved-deal-removed.v1', data: ids };

describe('4.11, E3: a saved deal', () => {
  it.each<readonly [words: string, before: readonly SavedDealEvent[], after: readonly SavedDealEvent[]]>([
    ['is saved', [], [isSaved(77)]],
    ['is saved only once', [isSaved(7)], []],
    ['is saved again after its removal', [isSaved(7), isRemoved], [isSaved(77)]],
    ['is saved only once after its removal too', [isSaved(7), isRemoved, isSaved(8)], []],
  ])('%s', (_, before, after) => {
    given(savedDeal, before).when({ type: 'save', saved }, 77).then(after);
  });

  it.each<readonly [words: string, before: readonly SavedDealEvent[], after: readonly SavedDealEvent[] | 'not_found']>([
    ['is removed', [isSaved(7)], [isRemoved]],
    ['is removed again after it was saved again', [isSaved(7), isRemoved, isSaved(8)], [isRemoved]],
    ['cannot be removed before it was saved', [], 'not_found'],
    ['cannot be removed twice', [isSaved(7), isRemoved], 'not_found'],
  ])('%s', (_, before, after) => {
    given(savedDeal, before).when({ type: 'remove' }, 77).then(after);
  });

  it('has a row until it is removed', async () => {
    const stream = 'savedDeal-s1';
    const [first, removed, again] = [isSaved(7), isRemoved, isSaved(8)].map((event) => ({ ...event, stream }));
    if (first === undefined || removed === undefined || again === undefined) throw new Error('three events');
    expect(await rowsOf(savedDealsView, [first])).toEqual({ s1: kept(7) });
    expect(await rowsOf(savedDealsView, [first, removed])).toEqual({});
    expect(await rowsOf(savedDealsView, [first, removed, again])).toEqual({ s1: kept(8) });
  });

  it('2.10, A9: shows its id, its deal and its user, in this order', () => {
    expect(JSON.stringify(presentSavedDeal(kept(7)))).toBe('{"id":"s1","deal_id":"spa","user_id":"u1"}');
  });
});
