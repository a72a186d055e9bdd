import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { InProcessTimers } from '#adapters/embedded';
import { SteppableClock } from '#eventsourcing';
import { workTimersContract } from '../../../test/contracts/work-timers.contract.js';

workTimersContract('InProcessTimers', async (clock) => new InProcessTimers(clock, { onError: () => undefined }));

describe('in-process timers', () => {
  it('G10: switched off, never fire', async () => {
    const clock = new SteppableClock();
    const timers = new InProcessTimers(clock, { enabled: false, onError: () => undefined });
    let calls = 0;
    timers.start(async () => {
      calls++;
    });
    timers.schedule('holds', 'r1', clock.now() - 1);
    clock.follow(300_000);
    timers.clockMoved();
    await sleep(60);
    await timers.close();
    expect(calls).toBe(0);
  });

  it('report a failed call, and call again by themselves', async () => {
    const clock = new SteppableClock();
    const errors: unknown[] = [];
    const timers = new InProcessTimers(clock, { onError: (list, error) => errors.push([list, error]) });
    const failure = new Error('the view is away');
    const again = new Promise<void>((resolve) => {
      let calls = 0;
      timers.start(async () => {
        if (++calls === 1) throw failure;
        resolve();
      });
    });
    timers.schedule('holds', 'r1', clock.now());
    // The timers let the process end; this one holds it open.
    const open = setInterval(() => undefined, 1_000);
    await again;
    clearInterval(open);
    await timers.close();
    expect(errors).toEqual([['holds', failure]]);
  });

  it('a handler that throws at once is a failed call like any other', async () => {
    const clock = new SteppableClock();
    const failed = new Promise<string>((resolve) => {
      const timers = new InProcessTimers(clock, {
        onError: (list) => void timers.close().then(() => resolve(list)),
      });
      timers.start(() => {
        throw new Error('not even a promise');
      });
      timers.schedule('holds', 'r1', clock.now());
    });
    expect(await failed).toBe('holds');
  });
});
