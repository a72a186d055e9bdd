import { expect, it } from '@jest/globals';
import { FairSemaphore, type Slots } from './fair-semaphore.js';

const slotsOf = (all: number): Slots => ({ all, long: all, longBesideShort: all });

it('lets a member of a small group in among many of a large one, after a turn or two', async () => {
  const slots = new FairSemaphore(slotsOf(2));
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
  const slots = new FairSemaphore(slotsOf(2));
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
  const slots = new FairSemaphore(slotsOf(3));
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

/** Takes slots for members of a long group until a test ends it. @returns how many have one now, and what waits for the end */
function longWork(slots: FairSemaphore): { readonly atWork: () => number; end: () => Promise<void> } {
  const group = {};
  let [atWork, over] = [0, false];
  const all = Array.from({ length: 100 }, async () => {
    while (!over) {
      const free = await slots.take('one', group, true);
      atWork += 1;
      await new Promise((resolve) => setImmediate(resolve));
      atWork -= 1;
      free();
    }
  });
  return {
    atWork: () => atWork,
    async end() {
      over = true;
      await Promise.all(all);
    },
  };
}

it('I16: a short one comes behind few long ones once another short one has come, and behind more when none has for long', async () => {
  const slots = new FairSemaphore({ all: 32, long: 16, longBesideShort: 4 });
  const long = longWork(slots);
  const short = async (): Promise<number> => {
    const free = await slots.take('other', {});
    const behind = long.atWork();
    free();
    return behind;
  };
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  await turns(5);
  expect(await short()).toBe(16);
  for (let times = 0; times < 20; times += 1) {
    await turns(5);
    expect(await short()).toBeLessThanOrEqual(4);
  }
  await turns(200);
  expect(await short()).toBe(16);
  await long.end();
});

it('I16: long ones are written beside any number of short ones', async () => {
  const slots = new FairSemaphore({ all: 4, long: 2, longBesideShort: 1 });
  const order: string[] = [];
  const work = async (name: string, isLong: boolean): Promise<void> => {
    const free = await slots.take(name, {}, isLong);
    order.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    free();
  };
  await Promise.all([
    ...Array.from({ length: 200 }, () => work('short', false)),
    ...Array.from({ length: 20 }, () => work('long', true)),
  ]);
  expect(order.lastIndexOf('long')).toBeLessThan(order.lastIndexOf('short'));
});
