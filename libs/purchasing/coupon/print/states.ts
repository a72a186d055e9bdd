import { readableTime } from '#http';
import type { Instant } from '#kernel';
import { couponStateAt } from '../coupon.row.js';
import type { CouponRow } from '../coupon.row.js';

/** A coupon's state, as text. */
export interface StateWords {
  /** Whether it can be redeemed now. */
  readonly usable: boolean;
  readonly word: string;
  /** When the state began or will end; empty if unknown. */
  readonly when: string;
  readonly advice: string;
}

/** The state at `now`, with its time in the zone of the deal's region. */
export function stateWords(row: CouponRow, now: Instant, zone: string): StateWords {
  const written = (instant: Instant | null): string => (instant === null ? '' : readableTime(instant, zone));
  switch (couponStateAt(row, now)) {
    case 'valid':
      return {
        usable: true,
        word: 'Valid',
        when: row.expires_at === null ? 'No expiry date' : `Until ${written(row.expires_at)}`,
        advice: 'It has not been redeemed.',
      };
    case 'redeemed':
      return { usable: false, word: 'Redeemed', when: written(row.redeemed_at), advice: 'It cannot be used again.' };
    case 'expired':
      return { usable: false, word: 'Expired', when: written(row.expires_at), advice: 'It can no longer be used.' };
    case 'cancelled':
      return { usable: false, word: 'Cancelled', when: '', advice: 'It can no longer be used.' };
    case 'reissued':
      return {
        usable: false,
        word: 'Replaced',
        when: '',
        advice: 'A new coupon was issued in its place: use that one.',
      };
  }
}
