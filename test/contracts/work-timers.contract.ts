import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SteppableClock, type Clock, type WorkTimers } from '#eventsourcing';

/** Long enough for a timer to fire that should not. */
const A_WHILE = 60;

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error('waited for 10 s in vain');
    await sleep(2);
  }
}

/**
 * What every WorkTimers must do. Calls may come with a key or without, and more often than was asked: timers are hints, so
 * the suite asks that a call comes, that none comes before anything is due, and that none comes twice at the same time.
 */
export function workTimersContract(name: string, makeTimers: (clock: Clock) => Promise<WorkTimers>): void {
  describe(`work timers contract: ${name}`, () => {
    let clock: SteppableClock;
    let timers: WorkTimers;
    let calls: string[];
    const note = async (list: string): Promise<void> => void calls.push(list);
    const move = (by: number): void => {
      clock.follow(clock.ahead + by);
      timers.clockMoved();
    };

    beforeEach(async () => {
      clock = new SteppableClock();
      timers = await makeTimers(clock);
      calls = [];
    });
    afterEach(() => timers.close());

    // A row that became due while nothing ran is done at once.
    it('calls at once for what is already due, with the list and nothing but its own key', async () => {
      const keys: (string | undefined)[] = [];
      timers.start(async (list, key) => {
        calls.push(list);
        keys.push(key);
      });
      timers.schedule('holds', 'r1', clock.now() - 5_000);
      await until(() => calls.length > 0);
      expect(calls[0]).toBe('holds');
      expect([undefined, 'r1']).toContain(keys[0]);
    });

    // The machine's own time passes too, with nobody moving a clock.
    it('calls when the time has come, not before', async () => {
      const due = clock.now() + 80;
      let calledAt = 0;
      timers.start(async () => void (calledAt ||= clock.now()));
      timers.schedule('holds', 'r1', due);
      await until(() => calledAt > 0);
      expect(calledAt).toBeGreaterThanOrEqual(due);
    });

    // G10: a hold of five minutes ends when the clock is moved by five minutes, not five minutes later.
    it('G10: looks again when the clock was moved', async () => {
      timers.start(note);
      timers.schedule('holds', 'r1', clock.now() + 300_000);
      await sleep(A_WHILE);
      move(290_000);
      await sleep(A_WHILE);
      expect(calls).toEqual([]);
      move(10_000);
      await until(() => calls.length > 0);
    });

    // At the start the projector speaks before the runner listens.
    it('remembers what was asked before it began to call', async () => {
      timers.schedule('holds', 'r1', clock.now());
      timers.schedule('takeovers', 'p1', clock.now());
      await sleep(A_WHILE);
      expect(calls).toEqual([]);
      timers.start(note);
      await until(() => calls.includes('holds') && calls.includes('takeovers'));
    });

    // A retry may be moved forward or put off: the last wish counts, and a call too many is harmless.
    it('the same list and key again replaces the wish', async () => {
      const later = clock.now() + 300_000;
      const calledAt: number[] = [];
      timers.start(async (list) => {
        calls.push(list);
        if (list !== 'takeovers') return;
        calledAt.push(clock.now());
        if (clock.now() < later) timers.schedule('takeovers', 'put off', later);
      });
      timers.schedule('holds', 'moved forward', clock.now() + 300_000);
      timers.schedule('holds', 'moved forward', clock.now() + 10_000);
      timers.schedule('takeovers', 'put off', clock.now() + 10_000);
      timers.schedule('takeovers', 'put off', later);
      move(10_000);
      await until(() => calls.includes('holds'));
      move(290_000);
      await until(() => calledAt.some((at) => at >= later));
    });

    // The runner ends each call by asking for its next open row: in this way all rows have their turn.
    it('a list whose runner asks for its next row is called for each of them', async () => {
      const open = [100, 200, 300].map((after) => clock.now() + after * 1_000);
      const [first] = open;
      timers.start(async (list) => {
        while ((open[0] ?? Infinity) <= clock.now()) calls.push(`${list} ${open.shift()}`);
        if (open[0] !== undefined) timers.schedule(list, String(open[0]), open[0]);
      });
      for (const due of open) timers.schedule('holds', String(due), due);
      move(100_000);
      await until(() => calls.length === 1);
      expect(calls).toEqual([`holds ${first}`]);
      move(100_000);
      await until(() => calls.length === 2);
      move(100_000);
      await until(() => calls.length === 3);
    });

    // Two calls at once for one list would send each command twice. What becomes due meanwhile must not be forgotten.
    it('never calls a list twice at a time, and calls again for what was asked meanwhile', async () => {
      let inside = 0;
      let most = 0;
      let go = (): void => undefined;
      const gate = new Promise<void>((resolve) => (go = resolve));
      timers.start(async (list) => {
        most = Math.max(most, ++inside);
        calls.push(list);
        await gate;
        inside--;
      });
      timers.schedule('holds', 'r1', clock.now());
      await until(() => calls.length === 1);
      timers.schedule('holds', 'r2', clock.now());
      timers.clockMoved();
      await sleep(A_WHILE);
      expect(calls).toEqual(['holds']);
      go();
      await until(() => calls.length >= 2);
      expect(most).toBe(1);
    });

    // One list that hangs at a slow gateway must not hold up the holds.
    it('lists do not wait for one another', async () => {
      let go = (): void => undefined;
      const gate = new Promise<void>((resolve) => (go = resolve));
      timers.start(async (list) => {
        calls.push(list);
        if (list === 'takeovers') await gate;
      });
      timers.schedule('takeovers', 'p1', clock.now());
      await until(() => calls.includes('takeovers'));
      timers.schedule('holds', 'r1', clock.now());
      await until(() => calls.includes('holds'));
      go();
    });

    // The store is away for a moment: the list goes on afterwards, by itself, and not in a tight loop meanwhile.
    it('a call that rejects is made again after a pause', async () => {
      let away = true;
      timers.start(async (list) => {
        calls.push(list);
        if (away) throw new Error('the view is away');
      });
      timers.schedule('holds', 'r1', clock.now());
      await until(() => calls.length > 0);
      await sleep(A_WHILE);
      expect(calls.length).toBeLessThan(10);
      away = false;
      calls = [];
      move(300_000);
      await until(() => calls.length > 0);
    });

    // Closing a process must not cut a command off, nor begin a new one.
    it('closing waits for the call under way, and nothing is called after it', async () => {
      let ended = false;
      timers.start(async (list) => {
        calls.push(list);
        await sleep(A_WHILE);
        ended = true;
      });
      timers.schedule('holds', 'r1', clock.now());
      await until(() => calls.length === 1);
      timers.schedule('holds', 'r2', clock.now());
      await timers.close();
      expect(ended).toBe(true);
      timers.schedule('holds', 'r3', clock.now());
      timers.clockMoved();
      await sleep(A_WHILE);
      expect(calls).toHaveLength(1);
    });
  });
}
