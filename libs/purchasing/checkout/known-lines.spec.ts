import { describe, expect, it } from '@jest/globals';
import type { Recorded } from '#kernel';
import type { LedgerEntry } from '../ports/payment-gateway.js';
import { isKnownToLog } from './known-lines.js';

/** A log with one purchase, whose events have these types, from this revision on. */
const logWith = (types: readonly string[], from = 0): Parameters<typeof isKnownToLog>[0] => ({
  readStream: (stream, first, most) =>
    Promise.resolve(
      (stream === 'purchase-p1' ? types : [])
        .map((type, index) => ({ type, revision: from + index, data: { coupon_id: 'c1' } }) as unknown as Recorded)
        .filter(({ revision }) => revision >= first)
        .slice(0, most),
    ),
});
const line = (kind: LedgerEntry['kind'], key = 'p1', charge = 'p1'): LedgerEntry => ({ kind, key, charge, amount: 1 });
const [OPENED, CHARGED, CANCELLED] = ['purchase-opened.v1', 'purchase-charged.v1', 'purchase-coupon-cancelled.v1'];

describe('D7, G11: the log knows what a gateway did', () => {
  it.each<readonly [string, LedgerEntry, readonly string[], boolean]>([
    ['a charge of a purchase that it has', line('charge'), [OPENED], true],
    ['a charge of none', line('charge', 'p2', 'p2'), [OPENED], false],
    ['a refund of a coupon that it cancelled', line('refund', 'c1'), [OPENED, CHARGED, CANCELLED], true],
    ['a refund of a coupon that is valid', line('refund', 'c1'), [OPENED, CHARGED], false],
    ['a refund of another coupon', line('refund', 'c2'), [OPENED, CHARGED, CANCELLED], false],
    ['a refund of no purchase', line('refund', 'c1', 'p2'), [OPENED, CHARGED, CANCELLED], false],
    ['a cancellation that an operator asked for', line('cancel'), [OPENED, 'purchase-void-asked.v1'], true],
    ['a cancellation after a refusal', line('cancel'), [OPENED, 'purchase-charge-refused.v1'], true],
    ['a cancellation that nobody asked for', line('cancel'), [OPENED, CHARGED], false],
  ])('%s', async (_, entry, types, known) => {
    expect(await isKnownToLog(logWith(types), entry)).toBe(known);
  });

  it('a refund of a purchase whose first events an operator has given up', async () => {
    expect(await isKnownToLog(logWith([CHARGED], 3), line('refund', 'c9'))).toBe(true);
  });

  it('a refund behind the first page of its purchase', async () => {
    const types = [...Array.from({ length: 2_500 }, () => 'purchase-coupon-replaced.v1'), CANCELLED];
    expect(await isKnownToLog(logWith(types), line('refund', 'c1'))).toBe(true);
  });
});
