import { NO_STREAM } from '../../../support/eventstoredb/commit-check.js';
import type { Seeded } from '../../core/seeded.js';
import type { EventStore } from './event-store.js';

/** How far a wrong clock is from the others, in milliseconds: from what nobody may notice to a day. */
const OFF_BY = [2_000, 15_000, 60_000, 86_400_000] as const;
/** How long a clock is wrong, in milliseconds. */
const WRONG_FOR = [20_000, 120_000] as const;
/** How long a node is away while it gets its data, in milliseconds. */
const FILLS_WITHIN = [2_000, 20_000] as const;
/** How often an administrator cuts the log's record before. */
const CUTS_RECORD = 0.3;

/** What happens to single nodes of the cluster, other than that they end or stand still. */
export class NodeTroubles {
  constructor(
    private readonly server: EventStore,
    private readonly prefix: string,
    private readonly random: Seeded,
  ) {}

  /**
   * Somebody scavenges the data, and gives an empty node a copy of the files. Nothing of ours is scavenged but what is written over,
   * and all but the last event of the log's record: while another stream is cut, nobody does it.
   * @returns false if the node would know every stream
   */
  fill(): boolean {
    const { server, random, prefix } = this;
    if (server.isOlder || server.cut.size > 0) return false;
    const record = `${prefix}holdfast`;
    if (server.stored.last(`$$${record}`) === NO_STREAM && random.chance(CUTS_RECORD))
      server.setMetadata(record, { $maxCount: 1 });
    server.scavenge();
    const candidates = server.nodes.filter((node) => !node.leads && node.state === 'up');
    const unknown = server.stored.beheaded().filter((stream) => stream === record || stream.startsWith(`$$${prefix}`));
    if (candidates.length === 0 || unknown.length === 0) return false;
    const node = random.one(candidates);
    server.world.trace.tell(node.name, `is filled anew: it does not know ${unknown.join(', ')}`);
    node.fill(random.between(...FILLS_WITHIN));
    return true;
  }

  /** A node's clock is ahead or behind for a while. @returns false if one is already */
  setClock(): boolean {
    const { server, random } = this;
    if (!server.areClocksRight) return false;
    const { scheduler, trace } = server.world;
    // Mostly the one that counts.
    const { leader } = server;
    const node = leader !== undefined && random.chance(0.7) ? leader : random.one(server.nodes);
    node.clockOff = random.one(OFF_BY) * random.one([1, -1]);
    trace.tell(node.name, `has a clock that is ${node.clockOff} ms off`);
    scheduler.after(random.between(...WRONG_FOR), () => {
      trace.tell(node.name, 'has the right clock again');
      node.clockOff = 0;
    });
    return true;
  }
}
