import { describe, expect, it } from '@jest/globals';
import type { Act, Meaning } from '../workload/history.js';
import { act, type MadeUpAnswer } from './made-up-acts.js';
import { checkLinksLeft } from './links-left.js';
import { madeUpLog, type MadeUp } from './made-up-log.js';

const OF = { card_link_id: 'l', deal_id: 'spa', user_id: 'ann', turn: 1 };
const linked: readonly MadeUp[] = [
  ['linkage-spa', 'user-linked.v1', OF],
  ['cardLink-l', 'card-linked.v1', OF],
];
const undone: MadeUp = ['cardLink-l', 'card-link-undone.v1', OF];
const redeemed: MadeUp = ['cardLink-l', 'card-link-redeemed.v1', { card_link_id: 'l' }];
const REFUSED = { status: 422, body: {} };
const DONE = { status: 200, body: {} };

describe('the links that calls leave', () => {
  const link = (answer: MadeUpAnswer, more: Partial<Extract<Meaning, { type: 'link' }>> = {}): Act =>
    act({ type: 'link', deals: ['ski', 'spa'], user: 'ann', ...more }, answer);

  it.each<readonly [string, readonly MadeUp[], readonly Act[], boolean, number?]>([
    ['of a call that succeeded', linked, [link(DONE)], true],
    ['of a call without an answer', linked, [link('lost')], true],
    ['of a relink', linked, [act({ type: 'relink', link: 'l' }, DONE)], true],
    ['that were taken back', [...linked, undone], [link(REFUSED)], true],
    ['that were used', [...linked, redeemed], [link(REFUSED)], true],
    ['that another call kept', linked, [link(REFUSED), link(DONE)], true],
    ['of a refused call', linked, [link(REFUSED)], false],
    ['of nobody', linked, [], false],
    ['of another user', linked, [link(DONE, { user: 'bob' })], false],
    ['of other deals', linked, [link(DONE, { deals: ['ski'] })], false],
    ['of another relink', linked, [act({ type: 'relink', link: 'm' }, DONE)], false],
    ['long after the call', linked, [link(DONE)], false, 60_000],
    ['before the call', linked, [link(DONE)], false, -1],
  ])('%s', (_, events, acts, isExplained, at = 5) => {
    const log = madeUpLog(...events);
    const check = (): void => {
      checkLinksLeft(
        log,
        log.map(() => at),
        acts,
      );
    };
    if (isExplained) expect(check).not.toThrow();
    else expect(check).toThrow('a refused call leaves no link');
  });
});
