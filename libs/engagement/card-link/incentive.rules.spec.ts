import { describe, expect, it } from '@jest/globals';
import { incentiveOf, type IncentiveTerms } from './incentive.rules.js';

const NONE: IncentiveTerms = {
  min_spend: null,
  num_qualifying: null,
  incentive_amount: null,
  incentive_percentage: null,
  maximum_allowance: null,
};

describe('H1: the incentive of a redemption', () => {
  it.each<readonly [words: string, terms: Partial<IncentiveTerms>, amount: number, incentive: number]>([
    ['is the amount of the deal', { incentive_amount: 500 }, 2000, 500],
    ['is the amount of the deal, even above the transaction', { incentive_amount: 500 }, 100, 500],
    ['is a percentage of the transaction', { incentive_percentage: 10 }, 2000, 200],
    ['is rounded down to the cent', { incentive_percentage: 15 }, 1999, 299],
    ['is the percentage of at most the allowance', { incentive_percentage: 10, maximum_allowance: 1000 }, 2000, 100],
    ['is rounded down after the allowance', { incentive_percentage: 33, maximum_allowance: 101 }, 2000, 33],
    ['is the percentage of less than the allowance', { incentive_percentage: 10, maximum_allowance: 3000 }, 2000, 200],
    [
      'does not depend on the allowance if it is an amount',
      { incentive_amount: 500, maximum_allowance: 100 },
      2000,
      500,
    ],
    ['is nothing if the deal sets none', {}, 2000, 0],
    ['is exact for the greatest amount', { incentive_percentage: 99 }, 1_000_000_000_000, 990_000_000_000],
  ])('%s', (_, terms, amount, incentive) => {
    expect(incentiveOf({ ...NONE, ...terms }, amount, 0)).toEqual({ qualifying: 1, incentive });
  });

  it.each([
    [1999, { qualifying: 4, incentive: 0 }],
    [2000, { qualifying: 5, incentive: 500 }],
  ])('E4: a transaction of %i cents qualifies only from min_spend on', (amount, expected) => {
    expect(incentiveOf({ ...NONE, incentive_amount: 500, min_spend: 2000 }, amount, 4)).toEqual(expected);
  });

  it.each([
    [null, [500, 500, 500, 500]],
    [0, [500, 500, 500, 500]],
    [1, [500, 500, 500, 500]],
    [2, [0, 500, 0, 500]],
    [3, [0, 0, 500, 0]],
  ])('with num_qualifying %p, qualifying redemptions earn %j', (num_qualifying, earned) => {
    const terms = { ...NONE, incentive_amount: 500, num_qualifying };
    expect([0, 1, 2, 3].map((before) => incentiveOf(terms, 2000, before).incentive)).toEqual(earned);
  });
});
