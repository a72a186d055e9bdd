import { describe, expect, it } from '@jest/globals';
import { FAULTS } from '../core/faults.js';
import type { Form, Plan } from '../run.js';
import { runMany } from './many.js';
import { Tally, wordsOf } from './tally.js';
import type { ToldWorld } from './told-world.js';

async function worldsOf(plans: readonly Plan[]): Promise<readonly ToldWorld[]> {
  const worlds: ToldWorld[] = [];
  const waiting = [...plans];
  await runMany(
    2,
    () => waiting.shift(),
    (world) => worlds.push(world),
  );
  return worlds.toSorted((one, other) => Number(one.seed) - Number(other.seed));
}

describe('many simulated worlds', () => {
  it('each tell of themselves; one whose process ends fails, and the others go on', async () => {
    const plan: Plan = { seed: '1', commands: 5, hours: 1_000, form: 'whole' };
    const worlds = await worldsOf([
      plan,
      { ...plan, seed: '2', form: 'of no known form' as Form },
      { ...plan, seed: '3', hours: 0.001 },
      { ...plan, seed: '4' },
    ]);
    expect(worlds).toMatchObject([
      { seed: '1', form: 'whole', failure: undefined },
      { seed: '2', form: undefined, failure: 'its process ended: exit code 1' },
      { seed: '3', form: 'whole', failure: expect.stringContaining('after 3600 ms of the world') },
      { seed: '4', form: 'whole', failure: undefined },
    ]);
    const tally = new Tally();
    for (const world of worlds) tally.take(world);
    const summary = tally.summary();
    expect(summary).toMatchObject({ worlds: 4, forms: { whole: 3, unknown: 1 } });
    expect(summary.failures.map(({ seed }) => seed)).toEqual(['2', '3']);
    expect(Object.keys(summary.faults)).toEqual(Object.keys(FAULTS));
    for (const words of [...Object.keys(FAULTS), 'seed 2: its process ended'])
      expect(wordsOf(summary)).toContain(words);
  });

  it('count the strikes of every fault, and the worlds that had them', () => {
    const fault = 'redis: a job is late';
    const world: ToldWorld = {
      seed: '1',
      form: 'cluster',
      digest: '',
      steps: 1,
      lasted: 3_600_000,
      took: 1,
      worked: 1,
      struck: { [fault]: 3 },
      failure: undefined,
    };
    const tally = new Tally();
    for (const struck of [{ [fault]: 3 }, {}, { [fault]: 4 }]) tally.take({ ...world, struck });
    const { hours, faults } = tally.summary();
    expect(hours).toBe(3);
    expect(faults[fault]).toEqual({ strikes: 7, worlds: 2 });
    expect(faults['redis: a job is lost']).toEqual({ strikes: 0, worlds: 0 });
  });
});
