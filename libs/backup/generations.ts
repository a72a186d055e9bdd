import { DAY, type Instant } from '#kernel';
import { BackupRefused } from './damaged.js';

/** How many days, weeks and months keep their newest copy. */
export interface Generations {
  readonly days: number;
  readonly weeks: number;
  readonly months: number;
}

/** The most of each. */
const MOST = 1_000;
/** What is said of another text. */
export const KEEP_FORM = `must say how many daily, weekly and monthly copies stay, each at most ${MOST}, such as 7d,4w,12m`;
const FORM = /^(\d{1,4}[dwm])(,\d{1,4}[dwm])*$/;

/** What `--keep 7d,4w,12m` says. @throws BackupRefused */
export function generationsIn(text: string): Generations {
  const numbers: Record<string, number> = {};
  const parts = FORM.test(text) ? text.split(',') : [];
  for (const part of parts) numbers[part.slice(-1)] = Number(part.slice(0, -1));
  const { d: days = 0, w: weeks = 0, m: months = 0 } = numbers;
  const all = [days, weeks, months];
  if (Object.keys(numbers).length !== parts.length || all.every((each) => each === 0) || Math.max(...all) > MOST) {
    throw new BackupRefused(`--keep ${KEEP_FORM}`);
  }
  return { days, weeks, months };
}

/** Whether a text says what `--keep` takes. */
export function saysGenerations(text: string): boolean {
  try {
    generationsIn(text);
    return true;
  } catch (error) {
    if (error instanceof BackupRefused) return false;
    throw error;
  }
}

/** The day, the week and the month of an instant, in UTC. A week begins on Monday. */
const PERIODS = {
  days: (at: Instant): string => String(Math.floor(at / DAY)),
  weeks: (at: Instant): string => String(Math.floor((at / DAY + 3) / 7)),
  months: (at: Instant): string => new Date(at).toISOString().slice(0, 7),
} as const;

/**
 * The copies that stay: the newest one, and the newest of each of the last days, weeks and months that have one.
 * @param copies the oldest first
 */
export function keptOf<C extends { readonly at: Instant }>(
  copies: readonly C[],
  generations: Generations,
): readonly C[] {
  const kept = new Set(copies.slice(-1));
  for (const period of ['days', 'weeks', 'months'] as const) {
    const newest = new Map(copies.map((copy) => [PERIODS[period](copy.at), copy]));
    const count = generations[period];
    for (const copy of count === 0 ? [] : [...newest.values()].slice(-count)) kept.add(copy);
  }
  return copies.filter((copy) => kept.has(copy));
}
