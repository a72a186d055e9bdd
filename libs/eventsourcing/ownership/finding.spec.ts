import { describe, expect, it } from '@jest/globals';
import { findingOf, mayResolveItself, describeFinding } from './finding.js';

describe('a finding', () => {
  it('has a code made from exactly what was found and its stream', () => {
    const codes = [
      findingOf('words', ['gap', 0, 3], 'deal-a'),
      findingOf('words', ['gap', 0, 4], 'deal-a'),
      findingOf('words', ['gap', 0, 3], 'deal-b'),
      findingOf('words', ['gap', 0n, 3], 'deal-a'),
    ].map(({ code }) => code);
    expect(new Set(codes).size).toBe(4);
    expect(findingOf('other words', ['gap', 0, 3], 'deal-a').code).toBe(codes[0]);
  });

  it('is shown with the code that accepts it', () => {
    const finding = findingOf('The log ends too early.', ['mark', 7n]);
    expect(describeFinding(finding)).toBe(
      `The log ends too early. To continue anyway, start again with ACCEPT=${finding.code}.`,
    );
  });

  it.each(['lease', 'clock', 'unreadable', 'key store', 'accepted elsewhere', 'too many'])(
    'is shown without a code if it cannot be accepted: %s',
    (kind) => {
      expect(describeFinding(findingOf('Set it right.', [kind]))).toBe('Set it right.');
    },
  );

  it('has words of bounded length, however long others’ names are', () => {
    expect(findingOf('x'.repeat(1_000_000), ['stranger']).words).toHaveLength(2_001);
  });

  it.each<[boolean, readonly string[]]>([
    [false, []],
    [true, ['mark']],
    [true, ['empty']],
    [true, ['accepted elsewhere', 'mark']],
    [true, ['mark', 'view']],
    [false, ['view']],
    [false, ['mark', 'key store']],
    [false, ['keys behind']],
    [false, ['lease']],
    [false, ['mark', 'clock']],
  ])('may resolve itself: %j, for findings of the whole log of the kinds %j', (goes, kinds) => {
    const found = kinds.map((kind) => findingOf('words', [kind]));
    expect(mayResolveItself([...found, findingOf('words', ['gap', 1, 2], 'deal-a')])).toBe(goes);
  });
});
