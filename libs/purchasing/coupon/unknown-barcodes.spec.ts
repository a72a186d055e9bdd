import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '#http';
import { DomainError } from '#kernel';
import { BARCODE_GUESSES } from '#kernel/bounds';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { UnknownBarcodes } from './unknown-barcodes.js';

const FULL: Caller = { kind: 'partner', id: 'acme', name: 'acme', credential: 'k1' };
const till = (name: string): Caller => ({
  ...FULL,
  restricted: { name, scope: ['coupon'], access: ['read', 'write'] },
});
const BARCODE = '000000000001';

describe('I8: unknown barcodes', () => {
  let time: VirtualTime;
  let barcodes: UnknownBarcodes;
  beforeEach(() => {
    time = new VirtualTime();
    barcodes = new UnknownBarcodes(time);
  });

  const guess = (caller: Caller, named = BARCODE, code?: 'coupon_not_found' | 'redeem_failed'): Promise<string> =>
    barcodes
      .within({ caller }, named, async () => {
        if (code !== undefined) throw new DomainError(code, 'no');
        return 'found';
      })
      .catch((error: unknown) => (error instanceof DomainError ? error.code : (error as Error).message));
  const misses = async (caller: Caller, times: number): Promise<void> => {
    for (let each = 0; each < times; each += 1) await guess(caller, BARCODE, 'coupon_not_found');
  };

  it('end the look-ups of a restricted key, also of barcodes that exist; ids and other keys go on', async () => {
    await misses(till('till'), BARCODE_GUESSES.requests - 1);
    expect(await guess(till('till'))).toBe('found');
    await misses(till('till'), 1);
    await time.pass(10_000);
    expect(await guess(till('till'))).toBe('too many unknown barcodes; try again in 50 s, or scan the QR code');
    expect(await guess(till('till'), '0000 0000-0001')).toMatch('too many');
    expect(await guess(till('till'), 'ab'.repeat(16))).toBe('found');
    expect(await guess(till('door'))).toBe('found');
    expect(await guess(FULL)).toBe('found');
    await time.pass(50_000);
    expect(await guess(till('till'))).toBe('found');
  });

  it('do not count for a full key, and neither do coupons that exist but cannot be redeemed', async () => {
    await misses(FULL, BARCODE_GUESSES.requests + 1);
    expect(await guess(FULL)).toBe('found');
    for (let each = 0; each <= BARCODE_GUESSES.requests; each += 1) await guess(till('till'), BARCODE, 'redeem_failed');
    expect(await guess(till('till'))).toBe('found');
  });

  it('are those that a list has none of, too, and both count together', async () => {
    const list = (found: readonly string[]): Promise<string> =>
      barcodes
        .search(
          { caller: till('till') },
          () => Promise.resolve(found),
          ({ length }) => length === 0,
        )
        .then(String, (error: unknown) => (error as Error).message);
    for (let each = 0; each < BARCODE_GUESSES.requests; each += 1) expect(await list(['one'])).toBe('one');
    await misses(till('till'), BARCODE_GUESSES.requests - 1);
    expect(await list([])).toBe('');
    expect(await list(['one'])).toMatch('too many unknown barcodes');
    expect(await guess(till('till'))).toMatch('too many');
    expect(await guess(FULL)).toBe('found');
  });

  it('are not found by parallel guesses either', async () => {
    const answers = await Promise.all(
      Array.from({ length: 2 * BARCODE_GUESSES.requests }, () => guess(till('till'), BARCODE, 'coupon_not_found')),
    );
    expect(answers.filter((answer) => answer === 'coupon_not_found')).toHaveLength(BARCODE_GUESSES.requests);
  });
});
