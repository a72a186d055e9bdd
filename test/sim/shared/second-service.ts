import type { ServiceProcess } from '../world/service-process.js';
import type { World } from '../world/world.js';
import type { EventStore } from './eventstoredb/event-store.js';

/** Milliseconds between two looks whether somebody starts it. */
const LOOK_EVERY = 5_000;
/** The longest that it may take to see whose log it is, in milliseconds: it waits for the lease of whoever decides. */
const REFUSES_WITHIN = 25_000;

/**
 * A second whole service, which somebody starts on the log of the installation by mistake, with a data folder of its own. It
 * must refuse the log. Its own checks are those of every process; nothing of it may reach the installation.
 */
export class SecondService {
  constructor(
    private readonly world: World,
    private readonly server: EventStore,
    private readonly process: ServiceProcess,
  ) {}

  /** Lets somebody start it now and then. */
  begin(): void {
    const { scheduler, faults } = this.world;
    const look = (): void => {
      // A log that nobody has written to is the log of whoever comes first.
      const isOwned = this.server.ours.events.length > 0 && !this.server.isOlder;
      if (!this.server.hasStranger && isOwned && faults.strikes('a second whole service is started on the log'))
        this.#start();
      scheduler.after(LOOK_EVERY, look);
    };
    scheduler.after(LOOK_EVERY, look);
  }

  #start(): void {
    this.server.hasStranger = true;
    const { scheduler } = this.world;
    this.process.start().catch(() => undefined);
    scheduler.after(REFUSES_WITHIN, () => this.#mustRefuse());
    scheduler.after(this.world.random.of(`second ${scheduler.steps}`).between(30_000, 90_000), () => {
      this.#mustRefuse();
      this.process.crash();
      this.server.hasStranger = false;
    });
  }

  #mustRefuse(): void {
    const guard = this.process.service?.guard;
    if (guard === undefined || guard.refused || guard.uncertain) return;
    this.world.fail(
      new Error(`a log has one owner: ${this.process.name} has not refused the log of another installation`),
    );
  }
}
