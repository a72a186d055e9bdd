import { describe, expect, it } from '@jest/globals';
import type { Clock, MovableClock } from '#eventsourcing';
import type { Instant } from '#kernel';

/** What every Clock must do. The suite moves the machine's clock. */
export function clockContract(name: string, makeClock: (machine: () => Instant) => Clock): void {
  describe(`clock contract: ${name}`, () => {
    // Events hold instants and code compares them: whole milliseconds since 1970.
    it('gives the machine’s time in whole milliseconds', () => {
      const before = Date.now();
      const now = makeClock(Date.now).now();
      expect(Number.isInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(Date.now());
    });

    // NTP sets the machine's clock back a little. A decision must not be dated before an answer already given.
    it('stands still while the machine’s clock is up to a second behind the last reading, then goes on with it', () => {
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

    // The machine's clock was an hour ahead: standing still for that hour would make each hold last an hour longer.
    it('follows a machine’s clock that is set back by more than a second', () => {
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

/** What every movable clock must do (ruling G10). */
export function movableClockContract(name: string, makeClock: (machine: () => Instant) => MovableClock): void {
  clockContract(name, makeClock);
  describe(`movable clock contract: ${name}`, () => {
    // Five minutes pass in one step; after that, time goes on at its normal pace.
    it('G10: runs on from the instant that a caller moved it to', () => {
      let machine = 1_000;
      const clock = makeClock(() => machine);
      expect(clock.ahead).toBe(0);
      clock.follow(300_000);
      expect(clock.now()).toBe(301_000);
      machine += 7;
      expect(clock.now()).toBe(301_007);
      expect(clock.ahead).toBe(300_000);
    });

    // Every process follows the same events, and may receive an old one after a new one.
    it('G10: never moves back', () => {
      const clock = makeClock(() => 1_000);
      clock.follow(500);
      clock.follow(200);
      clock.follow(-1);
      clock.follow(NaN);
      expect(clock.ahead).toBe(500);
      expect(clock.now()).toBe(1_500);
    });

    // A clock that was moved ahead must still notice that the machine's clock was set back a little.
    it('G10: stands still during a small correction, moved or not', () => {
      let machine = 10_000;
      const clock = makeClock(() => machine);
      clock.now();
      machine = 9_500;
      clock.follow(50);
      expect(clock.now()).toBe(10_050);
    });
  });
}
