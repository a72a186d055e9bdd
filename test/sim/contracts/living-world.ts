import { setTimeout as pause } from 'node:timers/promises';
import { FAULTS } from '../core/faults.js';
import { Life } from '../world/life.js';
import { World } from '../world/world.js';

/** A world without faults that goes on beside a test, so that contracts which know nothing of it can wait for its answers. */
export class LivingWorld {
  readonly world: World;
  #ending = false;
  readonly #ended: Promise<void>;
  #lives = 0;

  /** @param speed how much faster than the machine's its time goes */
  constructor(speed: number) {
    this.world = new World('contracts', { faults: new Set(Object.keys(FAULTS)) });
    this.#ended = this.#goOn(speed);
  }

  /** A process with an exact clock. */
  life(): Life {
    return new Life(this.world, `process ${(this.#lives += 1)}`, { offset: 0, drift: 0 });
  }

  /** Lets the world stand still for ever. */
  async end(): Promise<void> {
    this.#ending = true;
    await this.#ended;
  }

  async #goOn(speed: number): Promise<void> {
    const { scheduler } = this.world;
    const began = performance.now();
    /** What is late happens now, and what follows from it is planned from now on. */
    const catchUp = (): boolean => {
      scheduler.now = Math.max(scheduler.now, (performance.now() - began) * speed);
      return !this.#ending && (scheduler.next ?? Infinity) <= scheduler.now;
    };
    while (!this.#ending) {
      while (catchUp()) await scheduler.step();
      await pause(0.5);
    }
  }
}
