import { BEGINNING } from '../core/machine.js';
import type { Installation } from '../world/installation.js';
import type { World } from '../world/world.js';

/** The service's time as the clients see it, also while no process runs. */
export class ServiceClock {
  #seen = BEGINNING;
  #at = 0;

  constructor(
    private readonly world: World,
    private readonly installation: Installation,
  ) {}

  /** Milliseconds since 1970. */
  now(): number {
    const { now } = this.world.scheduler;
    const running = this.installation.apis.find(({ isUp }) => isUp)?.service?.engine.clock.now();
    this.#seen = running ?? this.#seen + (now - this.#at);
    this.#at = now;
    return this.#seen;
  }
}
