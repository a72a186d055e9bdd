import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { FAULTS } from '../core/faults.js';
import { Life } from '../world/life.js';
import { World } from '../world/world.js';

/** A world without faults that goes on beside a test, so that contracts which know nothing of it can wait for its answers. */
export class LivingWorld {
  readonly world: World;
  #ending = false;
  readonly #ended: Promise<void>;
  #lives = 0;

  /**
   * @param clock `own`: its time goes on while the test waits, however busy the machine is; `machine`: it is the machine's, for
   * tests that look at that
   */
  constructor(clock: 'own' | 'machine') {
    this.world = new World('contracts', { faults: new Set(Object.keys(FAULTS)) });
    this.#ended = this.#goOn(clock);
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

  async #goOn(clock: 'own' | 'machine'): Promise<void> {
    const { scheduler } = this.world;
    const began = performance.now();
    for (let own = TURN; !this.#ending; own += TURN) {
      /** What is late happens now, and what follows from it is planned from now on. */
      const isLate = (): boolean => {
        scheduler.now = Math.max(scheduler.now, clock === 'own' ? own : performance.now() - began);
        return !this.#ending && (scheduler.next ?? Infinity) <= scheduler.now;
      };
      const { steps } = scheduler;
      while (isLate()) {
        scheduler.one();
        // What follows, in the world and in the test.
        await turn();
      }
      // While somebody waits for the world, it does not rest.
      await (steps === scheduler.steps ? pause(0.5) : turn());
    }
  }
}

/** How far an own clock goes in one turn of the test, in milliseconds. */
const TURN = 20;
