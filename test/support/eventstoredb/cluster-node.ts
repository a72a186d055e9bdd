import { randomUUID } from 'node:crypto';
import type { Entry } from './journal.js';
import { Line } from './line.js';
import type { Membership } from './node.js';
import type { DoubleOptions } from './options.js';
import { EventStoreDbDouble } from './server.js';

/** Milliseconds in which a former leader shows what nobody else has, before it takes it back. */
const SHOWS_FOR = 300;
/** What a follower lags by, in milliseconds: on loopback so little that one read in ten or twenty notices. */
const LAG = 2;

/** One node of a cluster, with a line of its own that can be cut and stalled: its callers meet a dead or frozen process. */
export class ClusterNode {
  readonly id = randomUUID();
  up = true;
  frozen = false;
  lag = LAG;
  /** How much of the cluster's log it has. What it holds beyond that is its own. */
  replicated = 0;

  private constructor(
    readonly server: EventStoreDbDouble,
    private readonly line: Line,
    /** What the quorum has: nothing of it is ever lost. */
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

  /** Whether it has written what nobody else has. */
  get holdsMore(): boolean {
    return this.server.store.journal.entries.length > this.replicated;
  }

  /** Has what the cluster has now, after the time that it lags by. */
  follow(): void {
    const { length } = this.log;
    setTimeout(() => this.catchUp(length), this.lag).unref();
  }

  /** Has so much of the cluster's log at once. */
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

  /** The process stands still; what it had taken is written, and nobody is told. */
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

  /** What it holds beyond the cluster's log it shows for a moment, and takes back; then it follows. */
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
    this.server.store.replace(this.log.slice(0, this.replicated));
    await this.start();
  }
}
