import { expect, it } from '@jest/globals';
import { Slices } from './slices.js';

it('I16: all divided work together gets one slice in a turn of the event loop, each in turn', async () => {
  let turn = 0;
  const time = {
    monotonic: () => 0,
    turn: () =>
      new Promise<void>((resolve) => {
        setImmediate(() => {
          turn += 1;
          resolve();
        });
      }),
  };
  const slices: string[] = [];
  const work = async (name: string): Promise<void> => {
    const own = new Slices(time);
    for (let slice = 0; slice < 3; slice += 1) {
      await own.next();
      slices.push(`${name} ${turn}`);
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  expect(slices).toEqual(['a 1', 'b 2', 'c 3', 'a 4', 'b 5', 'c 6', 'a 7', 'b 8', 'c 9']);
});
