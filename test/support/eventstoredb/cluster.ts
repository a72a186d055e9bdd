import { ClusterControl } from './cluster-control.js';
import { ClusterNode } from './cluster-node.js';
import type { Member } from './gossip.js';
import type { Entry } from './journal.js';
import type { DoubleOptions } from './options.js';

/** Between the fastest and the slowest, in milliseconds. */
type Range = readonly [from: number, to: number];

export interface ClusterOptions extends Omit<DoubleOptions, 'port'> {
  /** 3 by default. */
  readonly nodes?: number;
  /** Until there is a new leader after the old one died or resigned: 600 to 2,500 by default. */
  readonly election?: Range;
  /** The same after it froze: 8,000 to 9,000 by default. */
  readonly frozenElection?: Range;
}

/** Milliseconds from the end of a node's calls to the end of its process. */
const LAST_WORDS = 20;

const between = ([from, to]: Range): number => from + Math.random() * (to - from);

/**
 * A cluster of EventStoreDB's double: one node leads and takes writes, the others follow and lag a little. An append is
 * acknowledged when the cluster has it, and every later leader has it too.
 */
export class ClusterDouble {
  readonly nodes: ClusterNode[] = [];
  /** What an administrator, another application or a fault does to it. */
  readonly control = new ClusterControl(this);
  /** When the present leader began to lead; by `performance.now`. */
  leadsSince = 0;
  readonly #log: Entry[] = [];
  #leader: ClusterNode | undefined;
  #election: NodeJS.Timeout | undefined;
  /** Who leads next, if it can. */
  #heir: ClusterNode | undefined;

  private constructor(private readonly options: ClusterOptions) {}

  static async start(options: ClusterOptions = {}): Promise<ClusterDouble> {
    const cluster = new ClusterDouble(options);
    const { nodes = 3, file, ...others } = options;
    const membership = { leader: () => cluster.leader?.server, members: () => cluster.members() };
    for (let index = 0; index < nodes; index += 1) {
      const own = file === undefined ? others : { ...others, file: `${file}.${index}` };
      const node = await ClusterNode.start(own, membership, cluster.#log);
      node.server.store.on('committed', () => cluster.#committed(node));
      cluster.nodes.push(node);
    }
    const logs = cluster.nodes.map(({ server }) => server.store.journal.entries);
    cluster.replace(logs.reduce((longest, log) => (log.length > longest.length ? log : longest)));
    cluster.#vote();
    return cluster;
  }

  /** The connection string with all hosts. */
  get url(): string {
    return `esdb://${this.nodes.map(({ server }) => `${server.host}:${server.advertised}`).join(',')}?tls=false`;
  }

  /** The leader that all nodes know; a frozen one until they notice. */
  get leader(): ClusterNode | undefined {
    return this.#leader;
  }

  members(): readonly Member[] {
    const follows = this.#leader === undefined ? 'unknown' : 'follower';
    return this.nodes.map((node) => {
      const { host, advertised: port } = node.server;
      const state = node === this.#leader ? 'leader' : node.lives ? follows : 'dead';
      return { host, port, id: node.id, state };
    });
  }

  /** Leaves the cluster without a leader for this many milliseconds, and as long as there is no quorum. */
  elect(after = between(this.options.election ?? [600, 2_500]), but?: ClusterNode): void {
    // A living leader still answers what is under way.
    if (this.#leader?.lives === true) this.#leader.server.appends.flush();
    this.#leader = undefined;
    clearTimeout(this.#election);
    this.#election = setTimeout(() => this.#vote(but), after);
  }

  kill(node: ClusterNode): void {
    node.kill();
    if (node === this.#leader || !this.#hasQuorum()) this.elect();
  }

  /** Tells the process to end: it writes what it has taken, but calls end without its answers. */
  async shutDown(node: ClusterNode): Promise<void> {
    node.server.terminate();
    await new Promise((resolve) => setTimeout(resolve, LAST_WORDS));
    this.kill(node);
  }

  /** The other nodes still trust it for a while. */
  freeze(node: ClusterNode): void {
    node.freeze();
    if (node !== this.#leader) {
      if (!this.#hasQuorum()) this.elect();
      return;
    }
    clearTimeout(this.#election);
    this.#election = setTimeout(
      () => {
        this.#election = undefined;
        if (node.frozen) this.elect(0);
      },
      between(this.options.frozenElection ?? [8_000, 9_000]),
    );
  }

  thaw(node: ClusterNode): void {
    node.thaw();
    this.#quorumMayBeBack();
  }

  async start(node: ClusterNode): Promise<void> {
    await node.start();
    this.#quorumMayBeBack();
  }

  /** The leader hands over to another node in an orderly way. */
  resign(): void {
    this.elect(undefined, this.#leader);
  }

  /** The leader hands over to this node. */
  handOver(to: ClusterNode): void {
    this.#heir = to;
    this.elect();
  }

  /** The leader dies with the next write that it is asked for: only it has that write, and its caller gets no answer. */
  dieOfNext(): Promise<ClusterNode> {
    const leader = this.#leader;
    if (leader === undefined) throw new Error('nobody leads');
    return new Promise((resolve) => {
      leader.server.appends.diesOfNext = () => {
        this.kill(leader);
        resolve(leader);
      };
    });
  }

  /** Gives all nodes this log and no other, while they are stopped. */
  replace(entries: readonly Entry[]): void {
    const copy = [...entries];
    this.#log.length = 0;
    for (const entry of copy) this.#log.push(entry);
    for (const node of this.nodes) {
      node.server.store.replace(copy);
      node.replicated = copy.length;
    }
  }

  close(): void {
    clearTimeout(this.#election);
    this.#leader = undefined;
    for (const node of this.nodes) node.kill();
  }

  #committed(node: ClusterNode): void {
    if (node !== this.#leader || node.server.appends.diesOfNext !== undefined) return;
    for (const entry of node.server.store.journal.entries.slice(this.#log.length)) this.#log.push(entry);
    node.replicated = this.#log.length;
    for (const other of this.nodes) if (other !== node) other.follow();
  }

  /** The living node that lags least. */
  #vote(but?: ClusterNode): void {
    this.#election = this.#leader = undefined;
    if (!this.#hasQuorum()) return;
    const able = this.nodes.filter((node) => node.lives && !node.holdsMore);
    const wanted = able.filter((node) => node !== but);
    const candidates = wanted.length > 0 ? wanted : able;
    const least = Math.min(...candidates.map(({ lag }) => lag));
    const heirs = candidates.filter((node) => node === this.#heir);
    const best = heirs.length > 0 ? heirs : candidates.filter(({ lag }) => lag === least);
    this.#heir = undefined;
    const chosen = best[Math.floor(Math.random() * best.length)];
    chosen?.catchUp();
    this.#leader = chosen;
    this.leadsSince = performance.now();
    if (chosen === undefined) this.#election = setTimeout(() => this.#vote(but), 100);
  }

  #hasQuorum(): boolean {
    return this.nodes.filter(({ lives }) => lives).length > this.nodes.length / 2;
  }

  #quorumMayBeBack(): void {
    if (this.#leader === undefined && this.#election === undefined) this.elect();
  }
}
