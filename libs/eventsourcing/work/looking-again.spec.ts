import { expect, it } from '@jest/globals';
import { LookAgain } from '#kernel';
import { Unavailable } from '../errors.js';
import { lookingAgain } from './looking-again.js';

const context = { commandId: 'c', correlation: 'c', actor: 'a' };

it('a start whose look was too old looks again, as a resumed command', async () => {
  const resumed: unknown[] = [];
  const done = await lookingAgain(context, async (present) => {
    resumed.push(present.resumed);
    if (resumed.length < 3) throw new LookAgain('r1');
    return 'done';
  });
  expect([done, resumed]).toEqual(['done', [undefined, true, true]]);
});

it('it is unavailable if no look is young enough; other errors pass at once', async () => {
  const never = lookingAgain(context, async () => {
    throw new LookAgain('r1');
  });
  await expect(never).rejects.toBeInstanceOf(Unavailable);
  let tries = 0;
  const refused = lookingAgain(context, async () => {
    tries += 1;
    throw new RangeError('no');
  });
  await expect(refused).rejects.toBeInstanceOf(RangeError);
  expect(tries).toBe(1);
});
