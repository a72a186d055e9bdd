import { type Connection, discovers, type Host, hostsOf } from './connection-string.js';
import { leaderNamedBy } from './answers.js';
import { type Member, ServerNode } from './server-node.js';

/** A node that is asked whether it leads answers in this time, in milliseconds, or counts as lost. */
const PROBE_WITHIN = 1_500;
/** So often one node may send to another before it counts as nobody's turn. */
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

  constructor(private readonly connection: Connection) {}

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
    let host = this.#named ?? (await this.#chosen());
    this.#named = undefined;
    for (let hops = 0; ; hops += 1) {
      const node = new ServerNode(this.connection, host);
      try {
        await node.lead(PROBE_WITHIN);
        return node;
      } catch (error) {
        node.close();
        const next = leaderNamedBy(error);
        if (next === undefined || hops === MOST_HOPS) throw error;
        host = next;
      }
    }
  }

  /** All hosts are asked at once: one that is frozen keeps nobody waiting. */
  async #chosen(): Promise<Host> {
    const { hosts } = this.connection;
    const [only] = hosts;
    if (only !== undefined && !discovers(this.connection)) return only;
    const asked = hosts.map(async (host) => {
      const leader = (await membersKnownTo(this.connection, host)).find(({ leads }) => leads);
      if (leader === undefined) throw new NoLeader();
      return leader;
    });
    try {
      return await Promise.any(asked);
    } catch (error) {
      throw new NoLeader(`no leader among the hosts of EVENTSTORE_URL (${hostsOf(this.connection)})`, { cause: error });
    }
  }
}

/** The living nodes of the cluster that a host belongs to. */
export async function membersKnownTo(connection: Connection, host: Host): Promise<readonly Member[]> {
  const node = new ServerNode(connection, host);
  try {
    return await node.members(PROBE_WITHIN);
  } finally {
    node.close();
  }
}
