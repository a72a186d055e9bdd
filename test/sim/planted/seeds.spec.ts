import { describe, expect, it } from '@jest/globals';
import { firstCaused, type Happen } from './seeds.js';

describe('the search for a planted fault', () => {
  const worlds = { form: null, commands: 10, first: 5, most: 4 };
  /** Worlds that fail at these seeds. */
  const failing =
    (...seeds: readonly number[]): Happen =>
    (seed) =>
      Promise.resolve(seeds.includes(seed) ? `seed ${seed} fails` : undefined);

  it('counts the seeds from the first one to the first that fails', async () => {
    expect(await firstCaused(failing(7, 8), failing(), worlds)).toEqual({ seeds: 3, words: 'seed 7 fails' });
    expect(await firstCaused(failing(5), failing(), worlds)).toEqual({ seeds: 1, words: 'seed 5 fails' });
  });

  it('passes over a world that fails without the fault too', async () => {
    expect(await firstCaused(failing(6, 8), failing(6), worlds)).toEqual({ seeds: 4, words: 'seed 8 fails' });
  });

  it('ends after the last seed', async () => {
    expect(await firstCaused(failing(9), failing(), worlds)).toEqual({ seeds: null, words: 'NOT FOUND' });
    expect(await firstCaused(failing(6), failing(6), worlds)).toEqual({ seeds: null, words: 'NOT FOUND' });
  });
});
