import { Unavailable, type Time } from '#eventsourcing';
import type { Instant } from '#kernel';
import { CLOCKS_DIFFER } from './clock-watch.js';

/** Whether an instant is past by a server's clock. */
export type IsPast = (instant: Instant) => Promise<boolean>;

/** An answer that takes longer than this says too little, in milliseconds. */
const ROUND_TRIP = 2_000;
const TRIES = 3;
/** How exactly a difference is measured, in milliseconds. */
const EXACT = 250;
/** The largest difference that is measured, in milliseconds: some 30 years. */
const LARGEST = 2 ** 40;

/**
 * How far a server's clock is ahead of this machine's, at least, in milliseconds; negative if it is behind. It is asked whether
 * two instants are past: one that must be, and one that must not be.
 * @returns undefined if the clocks agree
 * @throws Unavailable if the server does not say in time
 */
export async function leadOfServer(isPast: IsPast, time: Time): Promise<number | undefined> {
  const isPastBy = (by: number): Promise<boolean> => ask(isPast, by, time);
  const [isBeforePast, isAfterPast] = [await isPastBy(-CLOCKS_DIFFER), await isPastBy(CLOCKS_DIFFER)];
  if (isBeforePast && !isAfterPast) return undefined;
  if (isAfterPast) return distance(isPastBy);
  return -(await distance(async (by) => !(await isPastBy(-by))));
}

/** The largest distance, from `CLOCKS_DIFFER` on, that the clocks certainly have. */
async function distance(isApartBy: (by: number) => Promise<boolean>): Promise<number> {
  let [least, most] = [CLOCKS_DIFFER, 2 * CLOCKS_DIFFER];
  for (; most < LARGEST && (await isApartBy(most)); most *= 2) least = most;
  while (most < LARGEST && most - least > EXACT) {
    const middle = Math.floor((least + most) / 2);
    if (await isApartBy(middle)) least = middle;
    else most = middle;
  }
  return least;
}

/** Whether the instant so many milliseconds from now is past. The answer counts if it came soon, and the clock ran on meanwhile. */
async function ask(isPast: IsPast, by: number, time: Time): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [wall, running] = [time.wall(), time.monotonic()];
    const answer = await isPast(wall + by);
    const took = time.monotonic() - running;
    if (took <= ROUND_TRIP && Math.abs(time.wall() - wall - took) <= ROUND_TRIP) return answer;
  }
  throw new Unavailable('the event log’s server does not say in time what its clock shows');
}
