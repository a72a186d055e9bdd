import { pauseAfter, STILL_OPEN, type TriedWork } from '#eventsourcing';
import type { Instant } from '#kernel';

interface Attempt {
  readonly tries: number;
  readonly notBefore: Instant;
  readonly error: string;
}

/**
 * The tries of one list's rows, and when each row may be tried again. It is only in memory: after a restart every open and
 * due row is tried again immediately.
 */
export class Attempts {
  readonly #attempts = new Map<string, Attempt>();

  constructor(private readonly list: string) {}

  mayTry(key: string, now: Instant): boolean {
    const attempt = this.#attempts.get(key);
    return attempt === undefined || attempt.notBefore <= now;
  }

  failed(key: string, now: Instant, error: unknown): void {
    const tries = this.#tries(key) + 1;
    this.#attempts.set(key, { tries, notBefore: now + pauseAfter(tries, 'failed'), error: String(error) });
  }

  done(key: string, now: Instant): void {
    const tries = this.#tries(key) + 1;
    this.#attempts.set(key, { tries, notBefore: now + pauseAfter(tries, 'done'), error: STILL_OPEN });
  }

  /** The row could not be tried: its next try counts as the first. */
  postponed(key: string, until: Instant): void {
    this.#attempts.set(key, { tries: 0, notBefore: until, error: '' });
  }

  forget(key: string): void {
    this.#attempts.delete(key);
  }

  /**
   * The earliest time of a next try. Forgets rows that could have been tried at `now` and were not, because they are gone.
   */
  next(now: Instant): Instant {
    let next = Infinity;
    for (const [key, { notBefore }] of this.#attempts) {
      if (notBefore <= now) this.#attempts.delete(key);
      else next = Math.min(next, notBefore);
    }
    return next;
  }

  /** The row may be tried again at once. Its tries go on counting. */
  retry(key: string, now: Instant): void {
    const attempt = this.#attempts.get(key);
    if (attempt !== undefined) this.#attempts.set(key, { ...attempt, notBefore: Math.min(attempt.notBefore, now) });
  }

  tried(keys: readonly string[]): readonly TriedWork[] {
    return keys.flatMap((key) => {
      const attempt = this.#attempts.get(key);
      if (attempt === undefined || attempt.tries === 0) return [];
      const { tries, error, notBefore } = attempt;
      return [{ list: this.list, key, tries, error, nextTryAt: notBefore }];
    });
  }

  #tries(key: string): number {
    return this.#attempts.get(key)?.tries ?? 0;
  }
}
