import type { Finding } from '#eventsourcing';
import type { LogGuard } from './log-guard.js';

/** The most findings that wait for the guard: with so many it refuses the whole log. */
const WAITING_MOST = 20_000;

/**
 * What the log's adapter reports. It is opened before there is a guard: findings wait for it. A break before its first check
 * needs no report.
 */
export class LogReports {
  #guard: Pick<LogGuard, 'doubt' | 'refuse'> | undefined;
  readonly #waiting: Finding[] = [];

  /** The log could not be followed for a moment. */
  broken(): void {
    this.#guard?.doubt();
  }

  /** Somebody cut a stream or wrote into it. @returns whether that is accepted */
  found(finding: Finding): boolean {
    if (this.#guard !== undefined) return !this.#guard.refuse(finding);
    if (this.#waiting.length < WAITING_MOST) this.#waiting.push(finding);
    return false;
  }

  /** From now on the guard hears of it, and of what was found before. */
  goTo(guard: Pick<LogGuard, 'doubt' | 'refuse'>): void {
    this.#guard = guard;
    for (const finding of this.#waiting.splice(0)) guard.refuse(finding);
  }
}
