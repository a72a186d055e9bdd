import type { ClusterNode } from './cluster-node.js';
import { DoubleControl } from './control.js';
import type { Member } from './gossip.js';
import type { Entry } from './journal.js';
import type { ControlledNode, Node } from './node.js';
import type { DoubleOptions } from './options.js';

/** What a control needs of a cluster. */
export interface ControlledCluster {
  readonly nodes: readonly ClusterNode[];
  readonly leader: ClusterNode | undefined;
  members(): readonly Member[];
  elect(after?: number): void;
  kill(node: ClusterNode): void;
  shutDown(node: ClusterNode): Promise<void>;
  freeze(node: ClusterNode): void;
  thaw(node: ClusterNode): void;
  start(node: ClusterNode): Promise<void>;
  resign(): void;
  handOver(to: ClusterNode): void;
  dieOfNext(): Promise<ClusterNode>;
  replace(entries: readonly Entry[]): void;
}

/** What tests do to a cluster: the same as to a single server, at its leader, and what happens to nodes. */
export class ClusterControl extends DoubleControl {
  constructor(private readonly cluster: ControlledCluster) {
    super(new AsOne(cluster));
  }

  async members(): Promise<readonly Member[]> {
    return this.cluster.members();
  }

  /** The index of the leader; undefined while there is none. */
  async leader(): Promise<number | undefined> {
    const { leader, nodes } = this.cluster;
    return leader === undefined ? undefined : nodes.indexOf(leader);
  }

  /** The connection string of one node alone. */
  async urlOf(index: number): Promise<string> {
    const { host, advertised } = this.#node(index).server;
    return `esdb://${host}:${advertised}?tls=false`;
  }

  async kill(index: number): Promise<void> {
    this.cluster.kill(this.#node(index));
  }

  /** Tells the node to end: it writes what it has taken, but calls end without its answers. */
  async shutDown(index: number): Promise<void> {
    await this.cluster.shutDown(this.#node(index));
  }

  /** Freezes the node: nothing that callers send arrives, and they get no answer. */
  async freeze(index: number): Promise<void> {
    this.cluster.freeze(this.#node(index));
  }

  async thaw(index: number): Promise<void> {
    this.cluster.thaw(this.#node(index));
  }

  /** After a kill. */
  async revive(index: number): Promise<void> {
    await this.cluster.start(this.#node(index));
  }

  /** The leader hands over in an orderly way; connections stay. */
  async resign(): Promise<void> {
    this.cluster.resign();
  }

  /** The leader hands over to this node; connections stay. */
  async handOver(index: number): Promise<void> {
    this.cluster.handOver(this.#node(index));
  }

  /**
   * Kills the node, empties its folder, and starts it: it gets all its data from the others as whole chunks, so it does not
   * know the streams whose event 0 was scavenged.
   */
  async refillNode(index: number): Promise<void> {
    const node = this.#node(index);
    this.cluster.kill(node);
    node.refill();
    await this.cluster.start(node);
  }

  /** Leaves the cluster without a leader for so many milliseconds. */
  async noLeader(milliseconds: number): Promise<void> {
    this.cluster.elect(milliseconds);
  }

  /** Makes reads of one node so many milliseconds old. */
  async lag(index: number, milliseconds: number): Promise<void> {
    this.#node(index).lag = milliseconds;
    if (milliseconds === 0) this.#node(index).catchUp();
  }

  /** Sets one node's clock so many milliseconds ahead. */
  async setClock(index: number, ahead: number): Promise<void> {
    const { server } = this.#node(index);
    server.options = { ...server.options, clock: ahead };
  }

  /** The leader dies with its next write, which no other node has. @returns its index, once it is dead */
  async dieOfNext(): Promise<number> {
    return this.cluster.nodes.indexOf(await this.cluster.dieOfNext());
  }

  #node(index: number): ClusterNode {
    const node = this.cluster.nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    return node;
  }
}

/** A cluster as one server: its leader, or one node to look at while there is none. */
class AsOne implements ControlledNode {
  constructor(private readonly cluster: ControlledCluster) {}

  get host(): string {
    return this.#shown.host;
  }
  get port(): number {
    return this.#shown.advertised;
  }
  get advertised(): number {
    return this.#shown.advertised;
  }
  get store(): Node['store'] {
    return this.#shown.store;
  }
  get appends(): Node['appends'] {
    return this.#shown.appends;
  }
  get options(): DoubleOptions {
    return this.#shown.options;
  }
  set options(options: DoubleOptions) {
    for (const { server } of this.cluster.nodes) server.options = { ...options, ...ownOf(server.options) };
  }

  leader(): Node | undefined {
    return this.cluster.leader?.server;
  }

  replace(entries: readonly Entry[]): void {
    this.cluster.replace(entries);
  }

  close(): void {
    for (const node of this.cluster.nodes) this.cluster.kill(node);
  }

  terminate(): void {
    for (const { server } of this.cluster.nodes) server.terminate();
  }

  async listen(): Promise<void> {
    for (const node of this.cluster.nodes) await this.cluster.start(node);
  }

  get #shown(): Node {
    const { leader, nodes } = this.cluster;
    const node = leader ?? nodes[0];
    if (node === undefined) throw new Error('the cluster has no nodes');
    return node.server;
  }
}

/** What each node has for itself. */
const ownOf = ({ file, clock = 0 }: DoubleOptions): DoubleOptions => ({ ...(file !== undefined && { file }), clock });
