import { expect, it } from '@jest/globals';
import { FairSemaphore } from './fair-semaphore.js';

it('lets a member of a small group in among many of a large one, after a turn or two', async () => {
  const slots = new FairSemaphore(2);
  const order: string[] = [];
  const work = async (name: string, group: object): Promise<void> => {
    const free = await slots.take('one', group);
    order.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    free();
  };
  const [large, small] = [{}, {}];
  const all = Array.from({ length: 100 }, (_, index) => work(`large ${index}`, large));
  all.push(work('small', small));
  await Promise.all(all);
  expect(order.indexOf('small')).toBeLessThan(5);
  expect(order.filter((name) => name !== 'small')).toEqual(Array.from({ length: 100 }, (_, index) => `large ${index}`));
});

it('I16: lets an owner in among many groups of another one, after a turn or two', async () => {
  const slots = new FairSemaphore(2);
  const order: string[] = [];
  const work = async (owner: string): Promise<void> => {
    const free = await slots.take(owner, {});
    order.push(owner);
    await new Promise((resolve) => setImmediate(resolve));
    free();
  };
  await Promise.all([...Array.from({ length: 100 }, () => work('bulk')), work('one')]);
  expect(order.indexOf('one')).toBeLessThan(5);
  expect(order).toHaveLength(101);
});

it('runs as many at a time as there are slots, and gives each one back', async () => {
  const slots = new FairSemaphore(3);
  let [atWork, most] = [0, 0];
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const free = await slots.take('one', [{}, {}][index % 2] ?? {});
      most = Math.max(most, (atWork += 1));
      await new Promise((resolve) => setImmediate(resolve));
      atWork -= 1;
      free();
    }),
  );
  expect([most, atWork]).toEqual([3, 0]);
});
