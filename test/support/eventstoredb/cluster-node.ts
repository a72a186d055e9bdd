import { randomUUID } from 'node:crypto';
import type { Entry } from './journal.js';
import { Line } from './line.js';
import type { Membership } from './node.js';
import type { DoubleOptions } from './options.js';
import { EventStoreDbDouble } from './server.js';

/** Milliseconds in which a former leader shows events that no other node has, before it removes them. */
const SHOWS_FOR = 300;
/** A follower's lag in milliseconds: on loopback so small that one read in ten or twenty notices it. */
const LAG = 2;

/** One node of a cluster, with a line of its own that can be cut and stalled, so that callers see a dead or frozen process. */
export class ClusterNode {
  readonly id = randomUUID();
  up = true;
  frozen = false;
  lag = LAG;
  /** How much of the cluster's log it has. Everything beyond that is only on this node. */
  replicated = 0;

  private constructor(
    readonly server: EventStoreDbDouble,
    private readonly line: Line,
    /** What the quorum has: it is never lost. */
    private readonly log: readonly Entry[],
  ) {}

  static async start(options: DoubleOptions, membership: Membership, log: readonly Entry[]): Promise<ClusterNode> {
    const server = await EventStoreDbDouble.start(options, membership);
    const line = await Line.to({ host: server.host, port: server.port });
    server.advertised = line.port;
    return new ClusterNode(server, line, log);
  }

  /** Whether it answers, and takes part in elections. */
  get lives(): boolean {
    return this.up && !this.frozen;
  }

  /** Whether it has written events that no other node has. */
  get holdsMore(): boolean {
    return this.server.store.journal.entries.length > this.replicated;
  }

  /** Takes over the cluster's present log after its lag. */
  follow(): void {
    const { length } = this.log;
    setTimeout(() => this.catchUp(length), this.lag).unref();
  }

  /** Takes over this much of the cluster's log at once. */
  catchUp(length = this.log.length): void {
    if (!this.lives || this.holdsMore || this.replicated >= length) return;
    for (const entry of this.log.slice(this.replicated, length)) this.server.store.copy(entry);
    this.replicated = length;
    this.server.store.sync();
  }

  /** The process dies. */
  kill(): void {
    this.up = this.frozen = false;
    this.line.cut();
    this.line.release();
    this.server.close();
    this.server.appends.thaw();
  }

  /** Its folder is empty, while it is dead: it gets all its data from the others, as whole chunks. */
  refill(): void {
    this.replicated = this.log.length;
    this.server.store.replace(this.log);
    this.server.store.fill();
  }

  /** The process freezes; it has written what it had taken, but answers nobody. */
  freeze(): void {
    this.frozen = true;
    this.line.stall();
    this.server.appends.freeze();
  }

  thaw(): void {
    this.frozen = false;
    this.server.appends.thaw();
    this.line.release();
    this.follow();
  }

  /** Shows events beyond the cluster's log for a moment, then removes them and follows. */
  async start(): Promise<void> {
    await this.server.listen();
    await this.line.mend();
    this.up = true;
    if (this.holdsMore) setTimeout(() => void this.#truncate(), SHOWS_FOR).unref();
    else this.follow();
  }

  async #truncate(): Promise<void> {
    if (!this.up) return;
    this.kill();
    const { store } = this.server;
    store.replace(this.log.slice(0, this.replicated), store.filled);
    await this.start();
  }
}
