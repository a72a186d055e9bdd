import { describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { endingSoon, endInWords, endOfAccessTokens, endsOfTokens } from './ends.js';

const NOW = Date.UTC(2026, 10, 28);
const token = (name: string, days: number | null, revoked = false) => ({
  name,
  role: 'auditor',
  expires_at: days === null ? null : NOW + days * DAY,
  revoked,
});

describe('G14.2: what ends', () => {
  it('is warned of 14 days before, and so long after', () => {
    const tokens = [
      token('far', 14.01),
      token('near', 14),
      token('gone', -14),
      token('old', -14.01),
      token('ever', null),
    ];
    expect(endingSoon(endsOfTokens([...tokens, token('revoked', 1, true)]), NOW).map(({ what }) => what)).toEqual([
      'the token near',
      'the token gone',
    ]);
  });

  it('says when, in words', () => {
    const [near, gone] = endsOfTokens([token('near', 1), token('gone', -1)]);
    if (near === undefined || gone === undefined) throw new Error('no ends');
    expect(endInWords(near, NOW)).toBe('the token near ends at 2026-11-29T00:00:00Z');
    expect(endInWords(gone, NOW)).toBe('the token gone has ended at 2026-11-27T00:00:00Z');
    expect(endInWords(endOfAccessTokens({ accessTokensSunset: '2026-12-01' }), NOW)).toBe(
      'issuing access tokens (ACCESS_TOKENS_SUNSET) ends at 2026-12-01T00:00:00Z',
    );
  });
});
