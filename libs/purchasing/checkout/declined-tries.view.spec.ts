import { describe, expect, it } from '@jest/globals';
import { rowsOf, type TableEvent } from '../../../test/support/given-when-then.js';
import { START } from '../../../test/support/sale.js';
import { DECLINES_COUNT_FOR, declinedTriesView, MOST_DECLINES, withDecline } from './declined-tries.view.js';

const declined = (purchase_id: string, time: number, number_hash: string | null = 'n1'): TableEvent => ({
  type: 'purchase-declined.v1',
  data: { purchase_id, user_id: 'ann', number_hash },
  stream: `purchase-${purchase_id}`,
  time,
});
const tried = (...tries: readonly (readonly [string, number])[]): object[] =>
  tries.map(([purchase_id, at]) => ({ purchase_id, at }));

describe('I12: the view of declined tries', () => {
  it('counts by number and by user, each purchase once', async () => {
    const rows = await rowsOf(declinedTriesView, [declined('p1', START), declined('p2', START + 5, 'n2')]);
    expect(rows).toEqual({
      'card-n1': { who: 'card-n1', tries: tried(['p1', START]) },
      'card-n2': { who: 'card-n2', tries: tried(['p2', START + 5]) },
      'user-ann': { who: 'user-ann', tries: tried(['p1', START], ['p2', START + 5]) },
    });
  });

  it('does not count a charge that was cancelled before it came', async () => {
    expect(await rowsOf(declinedTriesView, [declined('p1', START, null)])).toEqual({});
  });

  it('forgets what was an hour old at the next decline', async () => {
    const events = [declined('p1', START), declined('p2', START + 1), declined('p3', START + DECLINES_COUNT_FOR)];
    const rows = await rowsOf(declinedTriesView, events);
    expect(rows['card-n1']).toMatchObject({ tries: tried(['p2', START + 1], ['p3', START + DECLINES_COUNT_FOR]) });
  });

  it('keeps a bounded number, the latest, also if their times come in another order', () => {
    let tries = withDecline([], { purchase_id: 'late', at: START + 10 });
    for (let each = 0; each < MOST_DECLINES; each += 1)
      tries = withDecline(tries, { purchase_id: `p${each}`, at: START });
    expect(tries).toHaveLength(MOST_DECLINES);
    expect(tries.at(-1)).toEqual({ purchase_id: 'late', at: START + 10 });
  });
});
