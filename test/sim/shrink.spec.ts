import { describe, expect, it } from '@jest/globals';
import type { Plan, Result } from './run.js';
import { kindOf, shrink, type Shrunk } from './shrink.js';

const PLAN: Plan = { seed: '7', commands: 64, hours: 1_000 };
const STRIKES = ['mail: it breaks #1', 'mail: it breaks #2', 'disk: it is full #1'] as const;

/** The result of a world with all of these strikes but those that are left out. */
function resultOf({ left }: Plan, failure: string | undefined): Result {
  const strikes = STRIKES.filter((each) => {
    const [kind = ''] = each.split(' #');
    return left?.faults?.has(kind) !== true && left?.strikes?.has(each) !== true;
  });
  const struck = new Map(strikes.map((each) => [each.split(' #')[0], 1])) as unknown as Result['struck'];
  const error = failure === undefined ? undefined : new Error(failure);
  return { digest: '', form: 'whole', steps: 0, lasted: 3_600_000, struck, strikes, operations: [], failure: error };
}

/** A world that fails if these operations are done and the second mail breaks; in other words with another operation missing. */
function world(plan: Plan): Result {
  const { operations = new Set() } = plan.left ?? {};
  const isThere = [13, 40].every((index) => !operations.has(index));
  const { strikes } = resultOf(plan, undefined);
  if (!isThere || !strikes.includes('mail: it breaks #2'))
    return resultOf(plan, operations.has(13) ? 'something else: is wrong' : undefined);
  return resultOf(plan, `a unit is given once: deal ${operations.size}`);
}

describe('a plan that fails', () => {
  const shrunk = (
    over: (tries: number) => boolean = () => false,
  ): Promise<Shrunk & { readonly told: readonly string[] }> => {
    const told: string[] = [];
    let tries = 0;
    const run = (plan: Plan): Promise<Result> => {
      tries += 1;
      return Promise.resolve(world(plan));
    };
    return shrink(PLAN, world(PLAN), {
      run,
      isOver: () => over(tries),
      tell: (words) => told.push(words),
    }).then((found) => ({ ...found, told }));
  };

  it('is left with what it needs to fail in the same way', async () => {
    const { plan, result, tries, isShortest, told } = await shrunk();
    const { operations = new Set() } = plan.left ?? {};
    expect(Array.from({ length: 64 }, (_, index) => index).filter((each) => !operations.has(each))).toEqual([13, 40]);
    expect(result.strikes).toEqual(['mail: it breaks #2']);
    expect(isShortest).toBe(true);
    expect(tries).toBeLessThan(60);
    expect(told.at(-1)).toMatch(/^world \d+: it still fails; operations: 2, faults: 1, kinds of them: 1$/);
  });

  it('is told as it is when the time is over', async () => {
    const { plan, result, tries, isShortest } = await shrunk((done) => done >= 12);
    expect(tries).toBe(12);
    expect(isShortest).toBe(false);
    expect(world(plan).failure?.message).toBe(result.failure?.message);
    expect(plan.left?.operations?.size).toBeGreaterThan(0);
  });

  it('is not tried for much longer than it took to fail', async () => {
    const { plan } = await shrunk();
    expect(plan.hours).toBe(4);
  });
});

describe('the kind of a failure', () => {
  it('is the same whatever ids and numbers it names', () => {
    const kind = (words: string): string => kindOf(new Error(words));
    expect(kind('a unit is given once: deal 1')).toBe(kind('a unit is given once: deal two'));
    expect(kind('after 7200000 ms of the world it still waits')).toBe(kind('after 1 ms of the world it still waits'));
    expect(kind('inventory-deal-7 was written')).toBe(kind('purchase-01b8f was written'));
    expect(kind('a unit is given once: deal 1')).not.toBe(kind('a unit comes back once: deal 1'));
  });
});
