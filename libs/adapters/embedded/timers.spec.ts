import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { InProcessTimers } from '#adapters/embedded';
import { SteppableClock } from '#eventsourcing';
import { MINUTE } from '#kernel';
import { MadeUpWork, until, workTimersContract } from '../../../test/contracts/work-timers.contract.js';

workTimersContract('InProcessTimers', async (clock) => new InProcessTimers(clock, { onError: () => undefined }));

describe('in-process timers', () => {
  it('G10: switched off, never fire', async () => {
    const clock = new SteppableClock(Date.now);
    const timers = new InProcessTimers(clock, { enabled: false, onError: () => undefined });
    const work = new MadeUpWork(clock);
    timers.start(work);
    timers.noticed('holds', [work.open('holds', 'r1', clock.now() - 1)]);
    clock.follow(300_000);
    timers.clockMoved();
    await sleep(60);
    await timers.close();
    expect(work.runs).toEqual([]);
  });

  it('report a failed look, and look again by themselves', async () => {
    const clock = new SteppableClock(Date.now);
    const errors: unknown[] = [];
    const timers = new InProcessTimers(clock, { onError: (list, error) => errors.push([list, error]) });
    const failure = new Error('the view is away');
    const work = new MadeUpWork(clock);
    let looks = 0;
    work.looking = async (list) => {
      if (list === 'holds' && ++looks === 1) throw failure;
    };
    work.open('holds', 'r1', clock.now());
    timers.start(work);
    await until(() => work.size === 0);
    await timers.close();
    expect(errors).toEqual([['holds', failure]]);
  });

  it('look again after a minute at the latest, because a notice may be lost', async () => {
    const begun = Date.now();
    const clock = new SteppableClock(() => begun);
    const timers = new InProcessTimers(clock, { onError: () => undefined });
    const work = new MadeUpWork(clock);
    const looks: string[] = [];
    work.looking = async (list) => void looks.push(list);
    timers.start(work);
    await until(() => looks.length === 2);
    work.open('holds', 'unheard of', clock.now());
    // A clock that moves by itself fires no timer; this one asks when its own time would have come.
    clock.follow(MINUTE - 1_000);
    timers.clockMoved();
    await sleep(60);
    expect(work.runs).toEqual([]);
    clock.follow(MINUTE + 1_000);
    timers.clockMoved();
    await until(() => work.size === 0);
    await timers.close();
  });
});
