import { thisMachine } from '#adapters/machine';
import type { Machine } from '#eventsourcing';
import { type Connection, discovers, type Host, hostsOf } from './connection-string.js';
import { isWithoutTls, leaderNamedBy } from './answers.js';
import { type Member, ServerNode } from './server-node.js';

/** A node that is asked whether it leads answers in this time, in milliseconds, or counts as lost. */
const PROBE_WITHIN = 1_500;
/** Among several hosts the leader is looked for so long, in milliseconds, and each is asked so often: it may come just now. */
const LOOK_FOR = 2_000;
const ASK_EVERY = 100;
/** So often one node may send to another. */
const MOST_HOPS = 3;

/** No node says that it leads. */
export class NoLeader extends Error {
  override name = 'NoLeader';
}

/**
 * The node that leads, for one kind of calls. It is looked for when it is first needed, and anew after whoever used it has
 * lost it: nothing that went wrong once is remembered.
 */
export class Leader {
  #node: Promise<ServerNode> | undefined;
  #found: ServerNode | undefined;
  #named: Host | undefined;
  #closed = false;

  constructor(
    private readonly connection: Connection,
    private readonly machine: Machine,
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

  /** A call on this node failed: the next one looks for the leader anew, where the error says that it is. */
  lost(node: ServerNode, error: unknown): void {
    node.close();
    if (this.#found !== node) return;
    this.#named = leaderNamedBy(error);
    this.leave(node);
  }

  /** The next call looks for the leader anew; what is under way on this node goes on. */
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
    // All are asked at once: one that is frozen keeps nobody waiting.
    const until = discovers(this.connection) ? this.machine.time.monotonic() + LOOK_FOR : 0;
    const searches = hosts.map((host) => this.#leading(host, until, MOST_HOPS));
    try {
      const found = await Promise.any(searches);
      for (const each of searches) void each.then((node) => node !== found && node.close()).catch(() => undefined);
      return found;
    } catch (error) {
      const [first] = (error as AggregateError).errors as unknown[];
      if (hosts.length === 1 || isWithoutTls(first)) throw first;
      throw new NoLeader(`no leader among the hosts of EVENTSTORE_URL (${hostsOf(this.connection)})`, { cause: first });
    }
  }

  /** The node that leads by the word of a host: that one itself, or the one that it names. */
  async #leading(host: Host, until: number, hops: number): Promise<ServerNode> {
    const node = new ServerNode(this.connection, host, this.machine);
    try {
      const left = until === 0 ? PROBE_WITHIN : until - this.machine.time.monotonic();
      await node.lead(Math.max(1, Math.min(PROBE_WITHIN, left)));
      return node;
    } catch (error) {
      node.close();
      const next = leaderNamedBy(error);
      // One of the hosts is asked anyway, and may be frozen.
      if (next !== undefined && hops > 0 && !this.#isHost(next)) return this.#leading(next, until, hops - 1);
      if (this.machine.time.monotonic() > until || this.#closed) throw error;
    }
    await this.machine.time.pause(ASK_EVERY);
    return this.#leading(host, until, MOST_HOPS);
  }

  #isHost({ address, port }: Host): boolean {
    const { hosts } = this.connection;
    return hosts.length > 1 && hosts.some((host) => host.address === address && host.port === port);
  }
}

/** The living nodes of the cluster that a host belongs to. */
export async function membersKnownTo(connection: Connection, host: Host): Promise<readonly Member[]> {
  const node = new ServerNode(connection, host, thisMachine);
  try {
    return await node.members(PROBE_WITHIN);
  } finally {
    node.close();
  }
}
