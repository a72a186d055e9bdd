import type { Clock, Time, Timer } from '#eventsourcing';
import { DAY } from '#kernel';
import { type End, endingSoon, endInWords } from './ends.js';

/** Warns of what ends within 14 days: at once, and every day as long as the process runs (ruling G14.2). */
export class EndWarnings {
  #timer: Timer | undefined;

  /** @param ends looks at everything that ends, each time anew; a look that fails stops nothing, because the doctor says it, too */
  constructor(
    private readonly ends: () => Promise<readonly End[]>,
    private readonly clock: Clock,
    private readonly time: Pick<Time, 'every' | 'cancel'>,
    private readonly warn: (words: string) => void,
  ) {}

  /** Resolves when the first warnings are given. */
  async start(): Promise<void> {
    this.#timer = this.time.every(DAY, () => void this.#look());
    this.#timer.unref();
    await this.#look();
  }

  close(): void {
    this.time.cancel(this.#timer);
  }

  async #look(): Promise<void> {
    const now = this.clock.now();
    const ends = await this.ends().catch(() => []);
    for (const end of endingSoon(ends, now)) this.warn(`${endInWords(end, now)}. ${end.todo}`);
  }
}
