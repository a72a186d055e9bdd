import { describe, expect, it } from '@jest/globals';
import { WRITTEN } from '#kernel/bounds';
import { VirtualTime } from '../../test/support/virtual-time.js';
import { Refused } from './errors.js';
import { WriteLimit } from './write-limit.js';

const PER_SECOND = 1_000;
const ALL = WRITTEN.ahead * PER_SECOND;
/** A body of this many bytes that count. */
const counted = (bytes: number): number => WRITTEN.free + bytes;

/** What a limit answers to calls, in order: each is a partner, and the bytes of a body, or a pause in seconds. */
async function answers(calls: readonly (readonly [partner: string, bytes: number] | number)[]) {
  const time = new VirtualTime();
  const limit = new WriteLimit(PER_SECOND, time);
  const seen: (string | undefined)[] = [];
  for (const call of calls) {
    if (typeof call === 'number') await time.pass(1000 * call);
    else {
      try {
        limit.begin(...call);
        seen.push('goes');
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        seen.push(error.headers['retry-after']);
      }
    }
  }
  return seen;
}

describe('I16: what each partner writes is bounded', () => {
  it.each([
    ['what is free never counts', Array.from({ length: 1_000 }, () => ['a', WRITTEN.free] as const), ['goes']],
    [
      'a partner may write for some seconds at once',
      [
        ['a', counted(ALL)],
        ['a', counted(1)],
        ['a', counted(1)],
      ],
      ['goes', 'goes', '1'],
    ],
    [
      'then it waits until its bytes are within the bound; refused calls count nothing',
      [['a', counted(ALL + 2_500)], ['a', counted(1)], ['a', counted(1)], 2, ['a', counted(1)], 1, ['a', counted(1)]],
      ['goes', '3', '3', '1', 'goes'],
    ],
    [
      'each partner has its own',
      [
        ['a', counted(9 * ALL)],
        ['b', counted(ALL)],
      ],
      ['goes', 'goes'],
    ],
    [
      'calls with a small body go on until as much again is missing',
      [
        ['a', counted(ALL + 1)],
        ['a', 100],
        ['a', counted(1)],
        ['b', counted(2 * ALL + 1_000)],
        ['b', 100],
      ],
      ['goes', 'goes', '1', 'goes', '1'],
    ],
    [
      'nobody saves up more than a rest gives',
      [['a', counted(1)], 3_600, ['a', counted(ALL + 500)], ['a', counted(1)]],
      ['goes', 'goes', '1'],
    ],
  ] as const)('%s', async (_, calls, expected) => {
    const seen = await answers(calls);
    expect(expected.length === 1 ? [...new Set(seen)] : seen).toEqual(expected);
  });

  it('counts what a call leads to, with its body', () => {
    const limit = new WriteLimit(PER_SECOND, new VirtualTime());
    const call = limit.begin('a', 1_000);
    call?.wrote(WRITTEN.free - 1_000);
    call?.wrote(2 * ALL);
    expect(() => limit.begin('a', 1)).not.toThrow();
    call?.wrote(1);
    expect(() => limit.begin('a', 1)).toThrow('you write more than 1000 bytes per second; try again in 1 s');
  });

  it('a call over the bound waits for a moment, then goes or is refused; beyond a number, calls are refused at once', async () => {
    const time = new VirtualTime();
    const limit = new WriteLimit(PER_SECOND, time);
    limit.begin('a', counted(ALL + 900));
    limit.begin('b', counted(ALL + 1_900));
    const ended: string[] = [];
    const begin = (partner: string): Promise<unknown> =>
      limit.beginOrWait(partner, counted(1)).then(
        () => ended.push(`${partner} goes`),
        (error: unknown) => ended.push((error as Error).message),
      );
    await begin('c');
    const calls = ['a', ...Array.from({ length: WRITTEN.waiting - 1 }, () => 'b')].map(begin);
    await begin('b');
    expect(ended).toEqual(['c goes', 'you write more than 1000 bytes per second; try again in 2 s']);
    await time.pass(WRITTEN.wait);
    await Promise.all(calls);
    const refused = 'you write more than 1000 bytes per second; try again in 1 s';
    expect([...new Set(ended.slice(2))]).toEqual(['a goes', refused]);
    expect(ended).toHaveLength(2 + WRITTEN.waiting);
    const next = begin('b');
    await time.pass(WRITTEN.wait);
    await next;
    expect(ended.at(-1)).toBe('b goes');
  });

  it('what was counted for a body whose length was not known is given back when it is there', () => {
    const limit = new WriteLimit(PER_SECOND, new VirtualTime());
    limit.begin('a', counted(ALL))?.wrote(-ALL);
    limit.begin('a', counted(ALL))?.wrote(100 - counted(ALL));
    expect(() => limit.begin('a', counted(1))).not.toThrow();
    limit.begin('a', counted(ALL));
    expect(() => limit.begin('a', counted(1))).toThrow('you write more than 1000 bytes per second');
  });

  it('without a bound, nothing is counted', () => {
    expect(new WriteLimit(undefined, new VirtualTime()).begin('a', 10 ** 12)).toBeUndefined();
  });
});
