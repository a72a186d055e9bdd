import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import { Pace } from './pace.js';
import { PaceSignals } from './pace-signals.js';

describe('the pace of the commits of live views', () => {
  let time: VirtualTime;
  let pace: Pace;
  let stop: AbortController;
  beforeEach(() => {
    time = new VirtualTime();
    pace = new Pace(time);
    stop = new AbortController();
  });

  /** Begins the rest after a commit. @returns whether it is over */
  const resting = (events: number, took: number): (() => boolean) => {
    let over = false;
    void pace.rest(events, took, stop.signal).then(() => (over = true));
    return () => over;
  };

  it.each([
    ['nothing', 0, 1, 0],
    ['an event', 1, 1, 5],
    ['an event on a server', 1, 40, 5],
    ['many events', 32, 3, 10],
    ['several events on a server', 8, 40, 40],
    ['several events on a slow server', 8, 400, 50],
  ])('after %s, rests', async (_, events, took, milliseconds) => {
    const isOver = resting(events, took);
    if (milliseconds > 0) {
      await time.pass(milliseconds - 0.1);
      expect(isOver()).toBe(false);
    }
    await time.pass(0.1);
    expect(isOver()).toBe(true);
  });

  it('a reader who waits ends a rest', async () => {
    const isOver = resting(1, 1);
    await time.pass(1);
    expect(isOver()).toBe(false);
    pace.hurry();
    await time.pass(0);
    expect(isOver()).toBe(true);
  });

  it('after a reader has waited, a few commits are followed by no rest', async () => {
    pace.hurry();
    for (let commit = 0; commit < 4; commit += 1) {
      const isOver = resting(1, 1);
      await time.pass(0);
      expect(isOver()).toBe(true);
    }
    const isLastOver = resting(1, 1);
    await time.pass(4.9);
    expect(isLastOver()).toBe(false);
  });

  it('whoever appends or reads in another thread reports only what the projector would not see by itself', async () => {
    const signals = new PaceSignals();
    pace = new Pace(time, signals);
    const others = new PaceSignals(signals.memory);
    expect(others.appended()).toBe(true);
    pace.works();
    expect(others.appended()).toBe(false);
    expect(others.hurry()).toBe(false);
    const isOver = resting(1, 1);
    await time.pass(0);
    expect(isOver()).toBe(true);
    for (let commit = 1; commit < 4; commit += 1) void resting(1, 1);
    const isLastOver = resting(1, 1);
    await time.pass(1);
    expect(isLastOver()).toBe(false);
    expect(others.appended()).toBe(false);
    expect(others.hurry()).toBe(true);
    pace.hurry();
    await time.pass(0);
    expect(isLastOver()).toBe(true);
    pace.sleeps();
    expect(others.appended()).toBe(true);
    expect(others.hurry()).toBe(false);
  });

  it('under load, readers who wait all the time leave half of the thread to the others', async () => {
    pace.hurry();
    const isOver = resting(100, 4);
    await time.pass(3.9);
    expect(isOver()).toBe(false);
    await time.pass(0.1);
    expect(isOver()).toBe(true);
  });

  it('who stops does not wait', async () => {
    const isOver = resting(1, 1);
    stop.abort();
    await time.pass(0);
    expect(isOver()).toBe(true);
    const isNextOver = resting(1, 1);
    await time.pass(0);
    expect(isNextOver()).toBe(true);
  });
});
