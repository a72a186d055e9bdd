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

  /** The furthest that an API's clock is, in milliseconds since 1970. */
  now(): number {
    const { now } = this.world.scheduler;
    const running = this.#running;
    this.#seen = running.length > 0 ? Math.max(...running) : this.#seen + (now - this.#at);
    this.#at = now;
    return this.#seen;
  }

  /** The least: an API that stands still has not heard of a moved clock. */
  earliest(): number {
    return Math.min(this.now(), ...this.#running);
  }

  get #running(): readonly number[] {
    return this.installation.apis.flatMap(({ isUp, service }) => (isUp ? (service?.engine.clock.now() ?? []) : []));
  }
}
