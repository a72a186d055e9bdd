import { describe, expect, it } from '@jest/globals';
import type { World } from '../world/world.js';
import { checkAudit } from './audit.js';
import { madeUpLog, type MadeUp } from './made-up-log.js';

const check = (...events: readonly MadeUp[]): Promise<void> =>
  checkAudit(madeUpLog(...events), { scheduler: { turn: () => Promise.resolve() } } as unknown as World);

describe('a log of ours does not contradict itself', () => {
  it('if there is nothing in it', async () => {
    await expect(check()).resolves.toBeUndefined();
  });

  it('but does if a coupon has no sale', async () => {
    await expect(check(['coupon-p-1', 'coupon-issued.v1', { coupon_id: 'p-1' }])).rejects.toThrow(
      'a log of ours does not contradict itself',
    );
  });
});
