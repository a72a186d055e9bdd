import type { Seeded } from '../../core/seeded.js';
import type { World } from '../../world/world.js';
import type { EventStoreNode } from './event-store-node.js';

/** How often the nodes look whether they can elect a leader, in milliseconds. */
const LOOK_EVERY = 1_000;
/** The other nodes trust a leader that stands still for this long, in milliseconds. */
const TRUSTED = [8_000, 9_000] as const;
/** How long nobody leads after that, in milliseconds. */
const NOBODY_LEADS = [3_000, 6_000] as const;
/** How far a follower may be behind, in milliseconds. */
const LAGS = [1, 4, 15, 60, 25_000] as const;

/** Which node of a cluster leads, and whether it can write. */
export class Leadership {
  /** Counts the leaders. */
  term = 1;
  /** Since when nothing can be written or could not be, or another node leads, in milliseconds of the world. */
  changedAt = 0;
  #leader: EventStoreNode | undefined;
  #quorumFrom = 0;

  constructor(
    private readonly world: World,
    private readonly name: string,
    private readonly nodes: readonly EventStoreNode[],
    private readonly random: Seeded,
  ) {
    this.#elected(random.one(nodes));
  }

  /** The node that takes writes. */
  get leader(): EventStoreNode | undefined {
    return this.#leader;
  }

  /** Whether the leader can write. If not, it still answers reads. */
  get hasQuorum(): boolean {
    return this.#quorumFrom <= this.world.scheduler.now;
  }

  /** How long an append waits for a quorum, in milliseconds. */
  get waits(): number {
    return Math.max(0, this.#quorumFrom - this.world.scheduler.now);
  }

  /**
   * The other nodes do not answer the leader for so many milliseconds, which does not notice yet.
   * @returns false if it has no quorum already
   */
  loseQuorum(milliseconds: number): boolean {
    const { scheduler, trace } = this.world;
    if (!this.hasQuorum) return false;
    trace.tell(this.name, `its leader has no quorum for ${Math.round(milliseconds)} ms`);
    this.changedAt = scheduler.now;
    this.#quorumFrom = scheduler.now + milliseconds;
    return true;
  }

  /** Nobody can write for so many milliseconds: the leader has no quorum, and resigns when it notices. */
  cannotWrite(milliseconds: number): void {
    this.loseQuorum(milliseconds);
    this.world.scheduler.after(milliseconds, () => this.elect(this.random.between(...NOBODY_LEADS), 'resigns'));
  }

  /**
   * The leader ends, or resigns; there is a new one after this many milliseconds.
   * @returns false if nobody leads
   */
  elect(milliseconds: number, how: 'ends' | 'resigns'): boolean {
    const leader = this.#leader;
    if (leader === undefined) return false;
    this.world.trace.tell(this.name, `its leader ${how}`);
    this.#nobodyLeads(milliseconds, leader);
    if (how === 'ends') leader.restart(this.random.one([500, 4_000, 20_000]) * this.random.between(0.5, 1.5));
    return true;
  }

  /** Lets the leader stand still for so many milliseconds. The other nodes elect one of them when they notice. */
  freeze(milliseconds: number): void {
    const leader = this.#leader;
    if (leader === undefined) return;
    leader.freeze(milliseconds);
    this.world.scheduler.after(this.random.between(...TRUSTED), () => {
      if (this.#leader === leader && leader.state === 'silent') this.#nobodyLeads(0, leader);
    });
  }

  #nobodyLeads(milliseconds: number, before: EventStoreNode): void {
    const { scheduler, faults } = this.world;
    this.#leader = undefined;
    this.changedAt = scheduler.now;
    this.term += 1;
    const until = scheduler.now + milliseconds;
    const isLast = faults.stopped;
    const look = (): void => {
      const candidates = this.nodes.filter((node) => node !== before && node.state === 'up');
      const mayBegin = scheduler.now >= until || (faults.stopped && !isLast);
      // Any of them has what was acknowledged: the others learn it from there before it leads.
      if (mayBegin && candidates.length > 0) this.#elected(this.random.one(candidates));
      else scheduler.after(Math.min(LOOK_EVERY, mayBegin ? LOOK_EVERY : until - scheduler.now), look);
    };
    scheduler.after(Math.min(LOOK_EVERY, milliseconds), look);
  }

  #elected(leader: EventStoreNode): void {
    this.#leader = leader;
    this.changedAt = this.world.scheduler.now;
    for (const node of this.nodes) node.lag = this.random.one(LAGS) * this.random.between(0.5, 1.5);
    this.world.trace.tell(this.name, `${leader.host.address} leads`);
  }
}
