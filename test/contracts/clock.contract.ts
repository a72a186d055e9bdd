import { describe, expect, it } from '@jest/globals';
import type { Clock, MovableClock } from '#eventsourcing';
import type { Instant } from '#kernel';

/** What every Clock must do, on a machine whose own clock the suite moves. */
export function clockContract(name: string, makeClock: (machine: () => Instant) => Clock): void {
  describe(`clock contract: ${name}`, () => {
    // Instants stand in events and are compared with one another: whole milliseconds since 1970.
    it('tells the machine’s time in whole milliseconds', () => {
      const before = Date.now();
      const now = makeClock(Date.now).now();
      expect(Number.isInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(Date.now());
    });

    // The machine's clock is corrected by a little (NTP): what is decided need not lie before what was answered already.
    it('stands still while the machine’s clock is up to a second behind what was told, and then goes on with it', () => {
      let machine = 10_000;
      const clock = makeClock(() => machine);
      expect(clock.now()).toBe(10_000);
      machine = 9_000;
      expect(clock.now()).toBe(10_000);
      machine = 9_999;
      expect(clock.now()).toBe(10_000);
      machine = 10_001;
      expect(clock.now()).toBe(10_001);
    });

    // It was ahead by an hour: to stand still for that hour would make each hold last one hour longer.
    it('follows a machine’s clock that is set back by more', () => {
      let machine = 3_610_000;
      const clock = makeClock(() => machine);
      expect(clock.now()).toBe(3_610_000);
      machine = 10_000;
      expect(clock.now()).toBe(10_000);
      machine = 10_500;
      expect(clock.now()).toBe(10_500);
    });
  });
}

/** What a clock must do that can be moved (ruling G10). */
export function movableClockContract(name: string, makeClock: (machine: () => Instant) => MovableClock): void {
  clockContract(name, makeClock);
  describe(`movable clock contract: ${name}`, () => {
    // Five minutes pass in one; after that, time goes on at its pace.
    it('G10: runs on from where it was moved', () => {
      let machine = 1_000;
      const clock = makeClock(() => machine);
      expect(clock.ahead).toBe(0);
      clock.follow(300_000);
      expect(clock.now()).toBe(301_000);
      machine += 7;
      expect(clock.now()).toBe(301_007);
      expect(clock.ahead).toBe(300_000);
    });

    // Every process follows the same events, and may hear of an old one after a new one.
    it('G10: is never moved back', () => {
      const clock = makeClock(() => 1_000);
      clock.follow(500);
      clock.follow(200);
      clock.follow(-1);
      clock.follow(NaN);
      expect(clock.ahead).toBe(500);
      expect(clock.now()).toBe(1_500);
    });

    // Being ahead must not hide that the machine's clock was set back a little.
    it('G10: moved or not, it stands still for a small correction', () => {
      let machine = 10_000;
      const clock = makeClock(() => machine);
      clock.now();
      machine = 9_500;
      clock.follow(50);
      expect(clock.now()).toBe(10_050);
    });
  });
}
