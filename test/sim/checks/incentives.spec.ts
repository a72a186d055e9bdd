import { describe, expect, it } from '@jest/globals';
import { checkIncentives } from './incentives.js';
import { madeUpLog, type MadeUp } from './made-up-log.js';

const NONE = {
  min_spend: null,
  num_qualifying: null,
  incentive_amount: null,
  incentive_percentage: null,
  maximum_allowance: null,
};
const offer = (terms: object): MadeUp => ['deal-spa', 'deal-changed.v1', { attributes: { ...NONE, ...terms } }];
const redeemed = (transaction_amount: number, qualifying: number, incentive: number): MadeUp => [
  'cardLink-l',
  'card-link-redeemed.v1',
  { deal_id: 'spa', transaction_amount, qualifying, incentive },
];

describe('the incentive of a redemption', () => {
  const fixed = offer({ incentive_amount: 100, min_spend: 500, num_qualifying: 2 });
  const share = offer({ incentive_percentage: 33, maximum_allowance: 1009 });

  it.each<readonly [string, readonly MadeUp[], boolean, number?]>([
    ['of every second one', [fixed, redeemed(500, 1, 0), redeemed(499, 1, 0), redeemed(500, 2, 100)], true],
    ['of the first one already', [fixed, redeemed(500, 1, 100)], false],
    ['of too small an amount', [fixed, redeemed(499, 1, 0)], false],
    ['that counts twice', [fixed, redeemed(500, 2, 100)], false],
    ['of a share, rounded down', [share, redeemed(2000, 1, 332)], true],
    ['of a share, rounded up', [share, redeemed(2000, 1, 333)], false],
    ['of a share of more than the allowance', [share, redeemed(2000, 1, 660)], false],
    ['of a share of less than the allowance', [share, redeemed(100, 1, 33)], true],
    ['of the deal just before its change', [offer({ incentive_amount: 1 }), share, redeemed(9, 1, 1)], true],
    ['of the deal long before its change', [offer({ incentive_amount: 1 }), share, redeemed(9, 1, 1)], false, 40_000],
    ['of a deal without an incentive', [offer({}), redeemed(9, 1, 0)], true],
  ])('%s', (_, events, isSo, apart = 0) => {
    const log = madeUpLog(...events);
    const check = (): void => {
      checkIncentives(
        log,
        log.map((__, index) => index * apart),
      );
    };
    if (isSo) expect(check).not.toThrow();
    else expect(check).toThrow('a redemption earns the incentive of its deal');
  });
});
