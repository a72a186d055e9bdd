import type { Finding } from '#eventsourcing';
import type { LogGuard } from './log-guard.js';

/**
 * What the log's adapter reports. It is opened before there is a guard, and what it reports before that is dropped: the guard's
 * first check finds it again.
 */
export class LogReports {
  #guard: Pick<LogGuard, 'doubt' | 'refuse'> | undefined;

  /** The log could not be followed for a moment. */
  broken(): void {
    this.#guard?.doubt();
  }

  /** Somebody cut a stream or wrote into it. @returns whether that is accepted */
  found(finding: Finding): boolean {
    return this.#guard !== undefined && !this.#guard.refuse(finding);
  }

  /** From now on the guard hears of it. */
  goTo(guard: Pick<LogGuard, 'doubt' | 'refuse'>): void {
    this.#guard = guard;
  }
}
