import type { Machine } from '#eventsourcing';
import { type Connection, discovers, type Host, hostsOf } from './connection-string.js';
import { isLate, isUnreached, isWithoutTls, leaderNamedBy } from './answers.js';
import type { Dial } from './node-calls.js';
import { reasonOf } from './reason.js';
import { ServerNode } from './server-node.js';

/** How long a node may take to say whether it leads, in milliseconds. A slower one counts as lost. */
const PROBE_WITHIN = 1_500;
/**
 * How long to look for the leader among several hosts, in milliseconds, asking each repeatedly: an election may just end.
 */
const LOOK_FOR = 2_000;
const ASK_EVERY = 100;
/** How often one node may refer to another. */
const MOST_HOPS = 3;

/** No node says that it leads. */
export class NoLeader extends Error {
  override name = 'NoLeader';
}

/**
 * The leading node, for one kind of calls. The first use looks for it, and so does the next use after a user has lost it. No
 * failure is remembered.
 */
export class Leader {
  #node: Promise<ServerNode> | undefined;
  #found: ServerNode | undefined;
  #named: Host | undefined;
  #closed = false;

  constructor(
    private readonly connection: Connection,
    private readonly machine: Machine,
    private readonly dial: Dial,
  ) {}

  /** @throws NoLeader, or what the nodes say */
  node(): Promise<ServerNode> {
    if (this.#closed) return Promise.reject(new Error('the connection to the event log is closed'));
    this.#node ??= this.#find().then(
      (node) => {
        if (this.#closed) node.close();
        return (this.#found = node);
      },
      (error: unknown) => {
        this.#node = undefined;
        throw error;
      },
    );
    return this.#node;
  }

  /** Reports that a call on this node failed. If the error says so, the next call looks for the leader again. */
  lost(node: ServerNode, error: unknown): void {
    node.close();
    if (this.#found !== node) return;
    this.#named = leaderNamedBy(error);
    this.leave(node);
  }

  /** Makes the next call look for the leader again; calls under way on this node continue. */
  leave(node: ServerNode): void {
    if (this.#found === node) this.#node = this.#found = undefined;
  }

  close(): void {
    this.#closed = true;
    this.#found?.close();
  }

  async #find(): Promise<ServerNode> {
    const [named, { hosts }] = [this.#named, this.connection];
    this.#named = undefined;
    if (named !== undefined) {
      const node = await this.#leading(named, 0, MOST_HOPS).catch(() => undefined);
      if (node !== undefined) return node;
    }
    // All hosts are asked at the same time, so that a frozen one delays nobody.
    const until = discovers(this.connection) ? this.machine.time.monotonic() + LOOK_FOR : 0;
    const searches = hosts.map((host) => this.#leading(host, until, MOST_HOPS));
    try {
      const found = await Promise.any(searches);
      for (const each of searches) void each.then((node) => node !== found && node.close()).catch(() => undefined);
      return found;
    } catch (error) {
      const failures = (error as AggregateError).errors as unknown[];
      const [first] = failures;
      if (hosts.length === 1 || isWithoutTls(first)) throw first;
      const reasons = new Set(failures.map(reasonOf));
      const reason =
        isUnreached(first) && reasons.size === 1 ? reasonOf(first) : 'check that more than half of the nodes run';
      throw new NoLeader(`no leader among the hosts of EVENTSTORE_URL (${hostsOf(this.connection)}): ${reason}`, {
        cause: first,
      });
    }
  }

  /**
   * The leading node according to a host: the host itself, or the node that it names.
   * @param refused why it could not be reached before: if the last try is cut short, this still says more
   */
  async #leading(host: Host, until: number, hops: number, refused?: unknown): Promise<ServerNode> {
    const node = new ServerNode(this.connection, host, this.machine, this.dial);
    let failure: unknown;
    try {
      const left = until === 0 ? PROBE_WITHIN : until - this.machine.time.monotonic();
      await node.lead(Math.max(1, Math.min(PROBE_WITHIN, left)));
      return node;
    } catch (error) {
      node.close();
      const next = leaderNamedBy(error);
      // One of the hosts is asked anyway, and may be frozen.
      if (next !== undefined && hops > 0 && !this.#isHost(next)) return this.#leading(next, until, hops - 1);
      failure = isUnreached(error) ? error : isLate(error) ? refused : undefined;
      if (this.machine.time.monotonic() > until || this.#closed) throw failure ?? error;
    }
    await this.machine.time.pause(ASK_EVERY);
    return this.#leading(host, until, MOST_HOPS, failure);
  }

  #isHost({ address, port }: Host): boolean {
    const { hosts } = this.connection;
    return hosts.length > 1 && hosts.some((host) => host.address === address && host.port === port);
  }
}
