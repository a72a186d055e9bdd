import { Faults, type LeftOut } from '../core/faults.js';
import { Scheduler } from '../core/scheduler.js';
import { Seeded } from '../core/seeded.js';
import { Trace } from '../core/trace.js';

/** So many things may happen in one instant. */
const MOST_AT_ONCE = 100_000;

/** The parts that everything in one simulated world shares. */
export class World {
  readonly scheduler = new Scheduler();
  readonly random: Seeded;
  readonly trace: Trace;
  readonly faults: Faults;
  #failure: Error | undefined;
  /** The present instant, and how many things had happened when it began. */
  #since = { now: 0, steps: 0 };

  constructor(
    readonly seed: string,
    readonly left: LeftOut = {},
  ) {
    this.random = new Seeded(seed);
    this.trace = new Trace(() => this.scheduler.now);
    this.faults = new Faults(this.random.of('faults'), this.trace, left);
  }

  /** Something is wrong in this world: it ends, and says so. The first one counts. */
  fail(error: Error): void {
    this.#failure ??= error;
  }

  /** Lets things happen until this resolves. @throws Error if it fails, if nothing is planned any more, or after this much virtual time */
  async until<T>(work: Promise<T>, within: number): Promise<T> {
    let isDone = false;
    const done = (): void => void (isDone = true);
    work.then(done, done);
    const deadline = this.scheduler.now + within;
    const goesOn = (): boolean => {
      if (isDone) return false;
      if (this.#failure !== undefined) throw this.#failure;
      this.#watchTime();
      if (this.scheduler.now > deadline) throw new Error(`after ${within} ms of the world it still waits`);
      return true;
    };
    if (!(await this.scheduler.happen(goesOn))) throw new Error('nothing happens any more, and somebody still waits');
    if (this.#failure !== undefined) throw this.#failure;
    return work;
  }

  /** @throws Error if something goes on without ever waiting */
  #watchTime(): void {
    const { now, steps } = this.scheduler;
    if (now !== this.#since.now) this.#since = { now, steps };
    else if (steps - this.#since.steps > MOST_AT_ONCE) throw new Error('time stands still: something never waits');
  }
}
