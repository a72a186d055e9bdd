import { MINUTE } from '#kernel';
import type { Time } from '#eventsourcing';

/**
 * Called when spans are lost, and when none have been lost for a minute.
 * @param reason what is wrong; undefined: nothing any more
 * @param dropped the spans that were lost so far
 */
export type ExportTrouble = (reason: string | undefined, dropped: number) => void;

/** Counts the spans that are lost, and says so once, until none have been lost for a minute. */
export class ExportWatch {
  #dropped = 0;
  /** When spans were lost last, by the monotonic clock; undefined: none since it was said that all is well. */
  #lostAt: number | undefined;

  constructor(
    private readonly time: Pick<Time, 'monotonic'>,
    private readonly trouble: ExportTrouble,
  ) {}

  lost(spans: number, reason: string): void {
    this.#dropped += spans;
    const isNew = this.#lostAt === undefined;
    this.#lostAt = this.time.monotonic();
    if (isNew) this.trouble(reason, this.#dropped);
  }

  exported(): void {
    if (this.#lostAt === undefined || this.time.monotonic() - this.#lostAt < MINUTE) return;
    this.#lostAt = undefined;
    this.trouble(undefined, this.#dropped);
  }
}
