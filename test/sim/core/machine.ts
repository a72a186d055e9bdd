import type { Machine, Randomness, Time, Timer } from '#eventsourcing';
import type { Owner, Planned, Scheduler } from './scheduler.js';
import type { Seeded } from './seeded.js';

/** A simulated clock: how far it is from the world's time, and how much faster it goes. */
export interface Skew {
  /** Milliseconds. */
  readonly offset: number;
  /** 0.001 gains a second in 1000 seconds. */
  readonly drift: number;
}

/** The instant at which every world begins: 2030-01-07T00:00:00Z, a Monday. */
export const BEGINNING = Date.UTC(2030, 0, 7);

/** How long a turn of the event loop takes, in milliseconds: whoever only waits for turns waits for time too. */
const TURN = 0.02;

class SimulatedTimer implements Timer {
  planned: Planned | undefined;
  cancelled = false;

  unref(): this {
    return this;
  }
}

/** The time of one simulated process. Its timers are late by up to a millisecond, as those of a real process are. */
class SimulatedTime implements Time {
  readonly #began: number;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly owner: Owner,
    private readonly random: Seeded,
    private readonly skew: Skew,
  ) {
    this.#began = scheduler.now;
  }

  wall(): number {
    return Math.floor(BEGINNING + this.skew.offset + this.scheduler.now * (1 + this.skew.drift));
  }

  monotonic(): number {
    return (this.scheduler.now - this.#began) * (1 + this.skew.drift);
  }

  after(milliseconds: number, work: () => void): Timer {
    const timer = new SimulatedTimer();
    timer.planned = this.#plan(milliseconds, work);
    return timer;
  }

  every(milliseconds: number, work: () => void): Timer {
    const timer = new SimulatedTimer();
    const again = (): void => {
      if (timer.cancelled) return;
      timer.planned = this.#plan(milliseconds, () => {
        work();
        again();
      });
    };
    again();
    return timer;
  }

  cancel(timer: Timer | undefined): void {
    if (!(timer instanceof SimulatedTimer)) return;
    timer.cancelled = true;
    this.scheduler.cancel(timer.planned);
  }

  pause(milliseconds: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const end = (): void => {
        signal?.removeEventListener('abort', end);
        this.scheduler.cancel(planned);
        resolve();
      };
      const planned = this.#plan(milliseconds, end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  timeout(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    this.#plan(milliseconds, () => controller.abort(new DOMException('it took too long', 'TimeoutError')));
    return controller.signal;
  }

  soon(work: () => void): void {
    this.scheduler.after(0, work, this.owner);
  }

  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.scheduler.after(TURN, resolve, this.owner);
    });
  }

  #plan(milliseconds: number, work: () => void): Planned {
    const late = this.random.between(0, 1);
    return this.scheduler.after(milliseconds / (1 + this.skew.drift) + late, work, this.owner);
  }
}

class SimulatedRandomness implements Randomness {
  constructor(private readonly random: Seeded) {}

  bytes(length: number): Buffer {
    return this.random.bytes(length);
  }

  hex(length: number): string {
    return this.random.bytes(length).toString('hex');
  }

  uuid(): string {
    const bytes = this.random.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  fraction(): number {
    return this.random.fraction();
  }
}

/** The same on every machine: what a process remembers must follow from the seed. */
const MEMORY = 512 * 1024 * 1024;

/** The machine of one simulated process: time and random numbers from the seed. */
export function simulatedMachine(scheduler: Scheduler, owner: Owner, random: Seeded, skew: Skew): Machine {
  return {
    time: new SimulatedTime(scheduler, owner, random.of('timers'), skew),
    randomness: new SimulatedRandomness(random.of('randomness')),
    memory: MEMORY,
  };
}
