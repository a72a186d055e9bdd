import { DomainError, type Recorded } from '#kernel';
import { EachKind } from './core/each-kind.js';
import type { Seeded } from './core/seeded.js';
import type { Installation } from './world/installation.js';
import type { ServiceProcess } from './world/service-process.js';
import type { World } from './world/world.js';

/** How often it looks whether something should end, in milliseconds of the world. */
const LOOK_EVERY = 500;
/** The longest start, in milliseconds of the world, before it is a fault of the product. */
const LONGEST_START = 300_000;

/** What no fault of a world leads to: something may be away or refused, but nobody breaks a rule. */
const NEVER = [DomainError, TypeError, ReferenceError];

/** Ends, stops and suspends processes while the faults strike, and starts again what has ended. */
export class Chaos {
  readonly #random: Seeded;
  readonly #written: EachKind;
  /** The processes that are on their way up. */
  readonly #starting = new Set<ServiceProcess>();
  #failure: Error | undefined;

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
  ) {
    this.#random = world.random.of('chaos');
    this.#written = new EachKind(this.#random.of('written'));
  }

  /** Why a process does not start although nothing hinders it. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Starts every process and keeps them running. */
  begin(): void {
    const { scheduler } = this.world;
    this.installation.log.onWritten((event) => this.#afterWriting(event));
    const look = (): void => {
      for (const process of this.installation.processes) this.#look(process);
      scheduler.after(LOOK_EVERY, look);
    };
    look();
  }

  /** Resolves when every process is ready. */
  async allUp(): Promise<void> {
    while (!this.installation.processes.every(({ isUp }) => isUp) || this.#starting.size > 0) {
      if (this.#failure !== undefined) throw this.#failure;
      await this.world.scheduler.sleep(LOOK_EVERY);
    }
  }

  #look(process: ServiceProcess): void {
    const { faults } = this.world;
    if (process.isDown) {
      if (!this.#starting.has(process)) this.#start(process);
      return;
    }
    if (process.needsRestart && this.#random.chance(0.01)) {
      this.#crash(process);
      return;
    }
    if (this.#starting.has(process)) {
      if (faults.strikes('crash: a process is killed while it starts')) this.#crash(process);
      return;
    }
    if (faults.strikes('crash: a process is killed')) this.#crash(process);
    else if (faults.strikes('pause: a process stands still for a while'))
      process.pause(this.#random.one([50, 1_000, 6_000, 12_000, 30_000, 120_000]) * this.#random.between(0.5, 1.5));
    else if (faults.strikes('stop: a process is stopped in order')) void process.stop().catch(() => process.crash());
  }

  /** Kills whoever has written an event, before or shortly after it knows that: what should come next does not. */
  #afterWriting({ id, type }: Recorded): void {
    const { faults, scheduler } = this.world;
    if (!this.#written.chooses(type) || !faults.strikes('crash: a process is killed when it has written')) return;
    scheduler.after(this.#random.between(0, 5), () => {
      const writer = this.installation.processes.find(({ service }) => service?.engine.loop.hasDecided(id) === true);
      if (writer !== undefined) this.#crash(writer);
    });
  }

  #crash(process: ServiceProcess): void {
    this.#starting.delete(process);
    this.installation.crash(process);
  }

  #start(process: ServiceProcess): void {
    const { scheduler } = this.world;
    this.#starting.add(process);
    scheduler.after(this.#random.between(5, 3_000), () => {
      if (!this.#starting.has(process)) return;
      const began = scheduler.now;
      process.start().then(
        () => this.#starting.delete(process),
        (error: unknown) => {
          // A fault may strike the start too: then it starts again, for a while.
          this.#starting.delete(process);
          if (NEVER.some((each) => error instanceof each))
            this.world.fail(new Error(`${process.name} does not start: ${String(error)}`));
          if (scheduler.now - began > LONGEST_START) this.#failure ??= error as Error;
        },
      );
    });
  }
}
