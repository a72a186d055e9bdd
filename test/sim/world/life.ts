import type { Machine } from '#eventsourcing';
import { simulatedMachine, type Skew } from '../core/machine.js';
import type { Owner } from '../core/scheduler.js';
import type { World } from './world.js';

/** One run of a simulated process, from its start to its end. */
export class Life implements Owner {
  dead = false;
  pausedUntil = 0;
  /** When its disk failed, in milliseconds of the world: then only a restart helps, and an operator sees that. */
  diskFailedAt: number | undefined;
  readonly machine: Machine;
  readonly #ends = new Set<() => void>();

  constructor(
    readonly world: World,
    readonly name: string,
    skew: Skew,
  ) {
    this.machine = simulatedMachine(world.scheduler, this, world.random.of(`${name} ${world.scheduler.steps}`), skew);
  }

  get needsRestart(): boolean {
    return this.diskFailedAt !== undefined;
  }

  /** Calls when it ends without warning. @returns how to leave */
  onCrash(end: () => void): () => void {
    this.#ends.add(end);
    return () => void this.#ends.delete(end);
  }

  /** Ends it without warning: nothing of it runs any more. */
  crash(): void {
    if (this.dead) return;
    this.dead = true;
    for (const end of this.#ends) end();
  }

  /** Lets it stand still for so many milliseconds, as a stopped process or a suspended machine does. */
  pause(milliseconds: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.world.scheduler.now + milliseconds);
  }
}
