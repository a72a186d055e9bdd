import { type AppendAnswer, type NodeCalls, type OutgoingEvent, ServerConnection } from '#adapters/eventstoredb';
import type { Life } from '../../world/life.js';
import { SimulatedCalls } from './calls.js';
import { EventStore } from './event-store.js';
import { Way } from './line.js';

/** One process's client of the simulated EventStoreDB: the real one, which reaches simulated nodes. */
export class EventStoreClient extends ServerConnection {
  readonly #ways: readonly Way[];
  /** When the first append was tried since appends fail, in milliseconds of the world: of the lease too, every few seconds. */
  #triedSince = 0;

  constructor(
    private readonly cluster: EventStore,
    private readonly life: Life,
  ) {
    const ways = cluster.nodes.map((node) => new Way(life, node));
    super(EventStore.url, life.machine, (_, host): NodeCalls => {
      const way = ways.find(({ node }) => node.host.address === host.address);
      if (way === undefined) throw new Error(`there is no host ${host.address}`);
      return new SimulatedCalls(cluster, way);
    });
    this.#ways = ways;
  }

  /** Since when appends have been tried in vain: nothing reaches the leader, or it cannot write, or none leads. */
  get appendsFailSince(): number | undefined {
    const from = this.#failsFrom;
    return from !== undefined && this.#triedSince > from ? this.#triedSince : undefined;
  }

  get #failsFrom(): number | undefined {
    const { leader, hasQuorum, changedAt } = this.cluster.leadership;
    // What was sent before, and written last, may still come through.
    if (leader === undefined || !hasQuorum) return Math.max(changedAt, this.cluster.writtenAt);
    const way = this.#ways.find(({ node }) => node === leader);
    return way?.isCut === true ? Math.max(changedAt, way.cutSince) : undefined;
  }

  override append(stream: string, expected: number, events: readonly OutgoingEvent[]): Promise<AppendAnswer> {
    this.cluster.lines.set(this.life.name, this);
    const from = this.#failsFrom;
    if (from !== undefined && this.#triedSince <= from) this.#triedSince = this.life.world.scheduler.now;
    return super.append(stream, expected, events);
  }
}
