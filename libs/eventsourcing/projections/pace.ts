import type { Time } from '../ports/time.js';
import { PaceSignals, PaceState } from './pace-signals.js';

/** Milliseconds to collect events after a commit of live views, because each batch costs every touched view a transaction. */
const PACE = 5;
/**
 * After a reader has waited, so many commits are followed by no rest. Whoever writes and reads in turn need not wait each time,
 * and should find no rest when they write again; on a server, each write may be two commits.
 */
const WITHOUT_REST = 4;
/** This many events at a time are a sign of load. */
const LOAD_BATCH = 32;
/** Milliseconds to collect events under load. */
const GATHER_FOR = 10;
/** A store that takes longer than that for a batch is a server: as many events at a time are already a sign of load. */
const LOAD_BATCH_ON_SERVER = 8;
/** Such a store may rest for as long as it took, at most for this long, in milliseconds. */
const GATHER_MOST = 50;

/**
 * The pace of commits of live views: the first event after a quiet moment is written at once, and those that follow it are
 * collected. Whoever waits for them ends that.
 */
export class Pace {
  /** So many rests are left out. */
  #without = 0;
  #go: (() => void) | undefined;

  /** @param signals shared with whoever appends and reads in another thread */
  constructor(
    private readonly time: Pick<Time, 'after' | 'cancel' | 'pause'>,
    private readonly signals = new PaceSignals(),
  ) {}

  /** A batch has come. */
  works(): void {
    this.signals.now(PaceState.BUSY);
  }

  /** From now on, only what comes says that there is more. Call it before the look at the log. */
  sleeps(): void {
    this.signals.now(PaceState.ASLEEP);
  }

  /** A reader waits for events: the rest under way ends, and the next few do not begin. */
  hurry(): void {
    this.#without = WITHOUT_REST;
    this.#go?.();
  }

  /**
   * Waits after a commit, until the next one may begin. Under load, it rests at least for as long as the commit took, so that
   * readers who wait all the time leave half of the thread to the others.
   * @param events that were committed
   * @param took milliseconds
   */
  async rest(events: number, took: number, signal: AbortSignal): Promise<void> {
    if (events === 0) return;
    const load = restUnderLoad(events, took);
    const least = Math.min(took, load);
    if (least > 0) await this.time.pause(least, { signal });
    await this.#unlessHurried(Math.max(load, PACE) - least, signal);
  }

  #unlessHurried(milliseconds: number, signal: AbortSignal): Promise<void> {
    // In this order: a reader who does not see the rest is seen here.
    this.signals.now(PaceState.RESTING);
    if (this.signals.takeHurry()) this.#without = WITHOUT_REST;
    const hurried = this.#without > 0;
    if (hurried) this.#without -= 1;
    if (hurried || milliseconds <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = (): void => {
        this.time.cancel(timer);
        signal.removeEventListener('abort', go);
        this.#go = undefined;
        resolve();
      };
      const timer = this.time.after(milliseconds, go);
      signal.addEventListener('abort', go, { once: true });
      this.#go = go;
    });
  }
}

/**
 * Milliseconds to collect events under load; 0 without load. A server costs some requests per view for each batch, however
 * small: under load it rests for half of the time, so that pieces grow.
 */
function restUnderLoad(events: number, took: number): number {
  const isLoad = events >= (took > GATHER_FOR ? LOAD_BATCH_ON_SERVER : LOAD_BATCH);
  return isLoad ? Math.min(Math.max(took, GATHER_FOR), GATHER_MOST) : 0;
}
