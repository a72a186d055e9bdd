import { describe, expect, it } from '@jest/globals';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { leadOfServer } from './server-clock.js';

describe('the clock of a log’s server', () => {
  /** What a process finds out about a server whose clock is ahead by so much, and how many questions it takes. */
  const asked = async (ahead: number, delay = 0): Promise<readonly [lead: number | undefined, questions: number]> => {
    const time = new VirtualTime();
    let questions = 0;
    const lead = leadOfServer(async (instant) => {
      questions += 1;
      const isPast = time.wall() + ahead > instant;
      if (delay > 0) await time.pause(delay);
      return isPast;
    }, time);
    const ended = lead.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([ended, time.pass(delay).then(() => false)]))) continue;
    return [await lead, questions];
  };

  it.each([0, 9_000, -9_000])(
    'agrees with this machine’s if it is ahead by %i ms: two questions show that',
    async (ahead) => {
      expect(await asked(ahead)).toEqual([undefined, 2]);
    },
  );

  it.each([20_000, -20_000, 86_400_000, -86_400_000, -365 * 86_400_000])(
    'is found to be ahead by %i ms, with few questions',
    async (ahead) => {
      const [lead, questions] = await asked(ahead);
      expect(Math.sign(Number(lead))).toBe(Math.sign(ahead));
      expect(Math.abs(ahead) - Math.abs(Number(lead))).toBeGreaterThanOrEqual(0);
      expect(Math.abs(ahead) - Math.abs(Number(lead))).toBeLessThanOrEqual(250);
      expect(questions).toBeLessThan(60);
    },
  );

  it('is not known if the answers take too long', async () => {
    await expect(asked(20_000, 3_000)).rejects.toMatchObject({ name: 'Unavailable' });
  });
});
