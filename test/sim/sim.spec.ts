import { describe, expect, it } from '@jest/globals';
import { FINE, simulate } from './simulate.js';

describe('simulated worlds', () => {
  it('of the kept seeds are the recorded ones, and nothing is wrong in them', async () => {
    expect(await simulate(process.execPath, '--kept')).toEqual(FINE);
  });

  it('that go wrong are told of, with the seed', async () => {
    const { code, out } = await simulate(process.execPath, '--seed', '1', '--commands', '50', '--hours', '0.001');
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/^seed 1: .*FAILED: after 3600 ms of the world/),
    });
  });
});
