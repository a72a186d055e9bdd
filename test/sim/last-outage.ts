import type { Installation } from './world/installation.js';
import type { World } from './world/world.js';
import type { Workload } from './workload/workload.js';

/** How long holds last, in milliseconds. */
const HOLDS_LAST = 300_000;
/** How long nothing can be written, in milliseconds: pauses that double are longer than due work may be late by then. */
const LASTS = [100_000, 150_000] as const;

/**
 * In half of the worlds whose log is on a server, nothing can be written to it for minutes when nothing else fails any more, from
 * the moment at which all holds end. Then the world is quiet: what was tried in vain must be done at once.
 */
export class LastOutage {
  constructor(
    private readonly world: World,
    private readonly installation: Installation,
    private readonly workload: Workload,
  ) {}

  /** Resolves when it has begun, if it does. */
  async begin(): Promise<void> {
    const { stopWrites, log } = this.installation;
    const random = this.world.random.of('last outage');
    if (stopWrites === undefined || random.chance(0.5)) return;
    let begun = false;
    log.onWritten(({ type }) => {
      if (begun || type !== 'clock-moved.v1') return;
      begun = true;
      stopWrites(random.between(...LASTS));
    });
    await this.workload.moveClockOn((now) => now + HOLDS_LAST);
  }
}
