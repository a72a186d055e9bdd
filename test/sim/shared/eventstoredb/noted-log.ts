import type { Fault } from '../../core/faults.js';
import type { Life } from '../../world/life.js';
import type { World } from '../../world/world.js';

/** So long after it was told that its append is written, a process has noted that beside its keys, in milliseconds. */
const NOTED_WITHIN = 15_000;
/** So long after its disk has failed, a process sends nothing more, in milliseconds: what had its turn may wait for that long. */
const STOPS_WITHIN = 20_000;

/** Views of a data folder lose what they had read, too. */
const POWER: Fault = 'crash: the machine loses its power';

/**
 * What processes must have noted of the log. Each notes what it has written within about a second. What it could not note before
 * its disk failed, or the power, may be unknown at the next start: so it must not go on writing without its disk.
 */
export class NotedLog {
  /** Everything up to this position is noted. */
  upTo = 0n;

  constructor(private readonly world: Pick<World, 'scheduler' | 'faults' | 'fail'>) {}

  /** A process sends an append to a stream of ours. */
  sends(stream: string, { name, diskFailedAt }: Pick<Life, 'name' | 'diskFailedAt'>): void {
    const { scheduler } = this.world;
    if (diskFailedAt === undefined || scheduler.now - diskFailedAt <= STOPS_WITHIN) return;
    this.world.fail(new Error(`${name} writes to ${stream}, and cannot note that: its disk has failed`));
  }

  /** A process was told that its append is written, up to this position. */
  told(life: Pick<Life, 'dead' | 'needsRestart'>, position: bigint): void {
    const { scheduler, faults } = this.world;
    scheduler.after(NOTED_WITHIN, () => {
      const isLost = life.needsRestart || (life.dead && faults.struck.has(POWER));
      if (!isLost && position > this.upTo) this.upTo = position;
    });
  }
}
