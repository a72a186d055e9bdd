import { describe, expect, it } from '@jest/globals';
import { DAY } from '#kernel';
import { VirtualTime } from '../../test/support/virtual-time.js';
import { EndWarnings } from './end-warnings.js';
import type { End } from './ends.js';

describe('G14.2: a running process', () => {
  it('looks again every day at what ends, and warns each time until it is closed', async () => {
    const time = new VirtualTime();
    const warned: string[] = [];
    const began = time.wall();
    let ends: readonly End[] = [{ what: 'the certificate', at: began + 15 * DAY, todo: 'Renew it.' }];
    const clock = { now: () => time.wall() };
    const warnings = new EndWarnings(
      async () => ends,
      clock,
      time,
      (words) => void warned.push(words),
    );
    await warnings.start();
    expect(warned).toEqual([]);
    await time.pass(2 * DAY);
    expect(warned).toHaveLength(2);
    expect(warned[1]).toMatch(/^the certificate ends at \S+Z\. Renew it\.$/);
    ends = [];
    await time.pass(DAY);
    ends = [{ what: 'the token ann', at: began + 10 * DAY, todo: 'Issue another one.' }];
    await time.pass(DAY);
    expect(warned.slice(2)).toEqual([expect.stringMatching(/^the token ann ends at/)]);
    warnings.close();
    await time.pass(5 * DAY);
    expect(warned).toHaveLength(3);
  });

  it('goes on after a look that failed', async () => {
    const time = new VirtualTime();
    const warned: string[] = [];
    let looks = 0;
    const ends = async (): Promise<readonly End[]> => {
      looks += 1;
      if (looks === 1) throw new Error('the view does not answer');
      return [{ what: 'the token ann', at: time.wall() + DAY, todo: 'Issue another one.' }];
    };
    const warnings = new EndWarnings(ends, { now: () => time.wall() }, time, (words) => void warned.push(words));
    await warnings.start();
    await time.pass(DAY);
    expect([looks, warned.length]).toEqual([2, 1]);
    warnings.close();
  });
});
