import { TOMBSTONE } from '../../../support/eventstoredb/commit-check.js';
import type { Retention } from '../../../support/eventstoredb/retention.js';
import type { Seeded } from '../../core/seeded.js';
import type { EventStore } from './event-store.js';

/** How many of the last events show which streams are in use. */
const RECENT = 60;
const AGAIN = 1_000;

/**
 * An administrator who cuts streams of ours: a retention that keeps the last events only, or a soft delete. Nothing is
 * scavenged. Operators hear of it from the health of the processes, and the administrator takes the setting back.
 */
export class Administrator {
  constructor(
    private readonly server: EventStore,
    private readonly prefix: string,
    private readonly random: Seeded,
  ) {}

  /**
   * Cuts some streams, and takes that back after a while.
   * @returns whether it has cut any
   */
  cut(): boolean {
    const { random, server, prefix } = this;
    const { scheduler, trace } = server.world;
    if (server.isOlder) return false;
    const before = server.cut.size;
    for (let count = random.one([1, 1, 2, 4]); count > 0; count -= 1) {
      const stream = this.#choose();
      if (stream === undefined || server.cut.has(stream)) continue;
      // Setting it again would tear the stream that holds the setting.
      if (server.nodes.some((node) => node.isUnknown(`$$${prefix}${stream}`))) continue;
      const metadata = this.#setting(server.ours.of(stream).length);
      trace.tell(server.name, `an administrator sets ${JSON.stringify(metadata)} on ${stream}`);
      server.setMetadata(prefix + stream, metadata);
      server.cut.add(stream);
      scheduler.after(random.between(40_000, 150_000), () => this.#takeBack(stream));
    }
    return server.cut.size > before;
  }

  #takeBack(stream: string): void {
    const { server } = this;
    const { scheduler, trace } = server.world;
    // What is written to an older copy is not in the right data.
    if (server.isOlder) {
      scheduler.after(AGAIN, () => this.#takeBack(stream));
      return;
    }
    trace.tell(server.name, `an administrator takes the setting of ${stream} back`);
    server.setMetadata(this.prefix + stream, {});
    server.cut.delete(stream);
  }

  /** A stream in use: mostly one that sells. */
  #choose(): string | undefined {
    const recent = this.server.ours.events.slice(-RECENT).map(({ stream }) => stream);
    const selling = recent.filter((stream) => stream.startsWith('inventory-'));
    const among = this.random.chance(0.7) && selling.length > 0 ? selling : recent;
    return among.length === 0 ? undefined : this.random.one(among);
  }

  #setting(events: number): Retention {
    const { random } = this;
    return random.one<Retention>([
      { $maxCount: random.whole(1, 3) },
      { $maxAge: random.whole(1, 120) },
      { $tb: random.whole(1, Math.max(1, events)) },
      { $tb: TOMBSTONE },
    ]);
  }
}
