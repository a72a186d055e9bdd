import { describe, expect, it } from '@jest/globals';
import { Scheduler } from './scheduler.js';

/** Nothing but the plan says when it ends. */
const always = (): boolean => true;

describe('the virtual time of a simulated world', () => {
  it('lets everything that follows from a happening run before the next one, however it waits', async () => {
    const scheduler = new Scheduler();
    const told: string[] = [];
    const follow = async (name: string): Promise<void> => {
      for (let round = 1; round <= 3; round += 1) {
        await Promise.resolve();
        await new Promise<void>((resolve) => process.nextTick(resolve));
        await new Promise<void>((resolve) => setImmediate(resolve));
        await new Promise<void>((resolve) => queueMicrotask(resolve));
      }
      told.push(name);
    };
    for (const name of ['one', 'two', 'three']) {
      scheduler.after(1, () => {
        told.push(`${name} begins`);
        void follow(name);
      });
    }
    expect(await scheduler.happen(always)).toBe(false);
    expect(told).toEqual(['one begins', 'one', 'two begins', 'two', 'three begins', 'three']);
    expect({ now: scheduler.now, steps: scheduler.steps }).toEqual({ now: 1, steps: 3 });
  });

  it('stands still while the real machine works', async () => {
    const scheduler = new Scheduler();
    const told: string[] = [];
    scheduler.after(1, () => {
      const real = new Promise<void>((resolve) => setTimeout(resolve, 20));
      void scheduler.standStill(real).then(() => told.push('the machine is done'));
    });
    scheduler.after(1, () => told.push('the next thing'));
    await scheduler.happen(always);
    expect(told).toEqual(['the machine is done', 'the next thing']);
  });

  it('happens no longer than somebody wants it to', async () => {
    const scheduler = new Scheduler();
    const again = (): void => void scheduler.after(10, again);
    again();
    expect(await scheduler.happen(() => scheduler.steps < 5)).toBe(true);
    expect(scheduler.now).toBe(50);
  });

  it('a fault of what happens comes out', async () => {
    const scheduler = new Scheduler();
    scheduler.after(1, () => {
      throw new Error('it is broken');
    });
    await expect(scheduler.happen(always)).rejects.toThrow('it is broken');
  });
});
