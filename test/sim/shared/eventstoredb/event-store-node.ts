import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { NoEventThere, type ServerEvent } from '#adapters/eventstoredb';
import type { Instant } from '#kernel';
import { notLeader, notReady, unexpected } from '../../../support/eventstoredb/errors.js';
import { streamNotFound } from '../../../support/eventstoredb/messages.js';
import type { World } from '../../world/world.js';
import { RemoteServer, type ServerState } from '../network.js';
import { type Asked, messageOf } from './messages.js';
import type { StoredEvents } from './stored-events.js';

/** What a node shares with the others. */
interface Cluster {
  readonly world: World;
  /** Of all nodes together. */
  readonly state: ServerState;
  readonly leader: EventStoreNode | undefined;
  readonly stored: StoredEvents;
  /** By the clock of the servers. */
  now(): Instant;
  /** Calls after every write. @returns how to leave */
  follow(written: () => void): () => void;
  /** Handles what has arrived when all nodes go on. */
  arrive(handle: () => void): void;
}

/**
 * One node of the cluster, on a machine of its own. The leader shows everything. Another node lags, and serves only calls that do
 * not require the leader.
 */
export class EventStoreNode extends RemoteServer {
  /** How much later than the leader it shows what is written, in milliseconds. */
  lag = 0;
  /** How far its clock is from those of the other nodes, in milliseconds. */
  clockOff = 0;
  /** Streams that it does not know, because it has no event 0 of them. */
  #unknown: ReadonlySet<string> = new Set();

  constructor(
    private readonly cluster: Cluster,
    readonly host: { readonly address: string; readonly port: number },
  ) {
    super(cluster.world, `eventstoredb ${host.address}`);
  }

  override get state(): ServerState {
    return super.state === 'up' ? this.cluster.state : super.state;
  }

  override arrive(handle: () => void): void {
    if (super.state === 'up') this.cluster.arrive(handle);
    else super.arrive(handle);
  }

  /** Everybody's events, in the order of the log, also those that it does not show yet. */
  get all(): readonly ServerEvent[] {
    return this.cluster.stored.all;
  }

  /** Calls after every write, before the node has it. @returns how to leave */
  follow(written: () => void): () => void {
    return this.cluster.follow(written);
  }

  /** By its own clock. */
  now(): Instant {
    return this.cluster.now() + this.clockOff;
  }

  /** Whether it does not know a stream: an append that expects none begins it anew. */
  isUnknown(stream: string): boolean {
    return this.#unknown.has(stream) && !this.cluster.stored.torn.has(stream);
  }

  /** It is down for so many milliseconds, and has got all its data as scavenged chunks when it is back. */
  fill(milliseconds: number): void {
    this.#unknown = new Set(this.cluster.stored.beheaded());
    this.restart(milliseconds);
  }

  /** Gets whole files: it knows every stream. */
  knowAll(): void {
    this.#unknown = new Set();
  }

  get leads(): boolean {
    return this.cluster.leader === this;
  }

  /** The error for a call that only the leader may answer; undefined at the leader. */
  get refusal(): Error | undefined {
    const { leader } = this.cluster;
    if (leader === this) return undefined;
    if (leader === undefined) return notReady();
    return notLeader({ host: leader.host.address, advertised: leader.host.port });
  }

  /** How many events of all it shows. */
  get shown(): number {
    const { stored } = this.cluster;
    return this.leads ? stored.all.length : stored.writtenBefore(this.world.scheduler.now - this.lag);
  }

  /** @throws Error what the server says instead */
  read(asked: Asked): readonly ReadResp[] {
    if (asked.of === 'stream') return this.#readStream(asked);
    const { stored } = this.cluster;
    const { shown } = this;
    const found: ServerEvent[] = [];
    const take = (event: ServerEvent): void => {
      if (isNamed(event, asked.names)) found.push(event);
    };
    if (asked.of === 'all') {
      for (let at = indexOf(() => stored.from(asked.from), 'Unexpected ReadAllResult: Error'); at < shown; at += 1) {
        if (found.length >= asked.max) break;
        take(stored.all[at] as ServerEvent);
      }
    } else {
      const end = asked.before === undefined ? shown : Math.min(shown, stored.indexOf(asked.before));
      for (let at = end - 1; at >= 0 && found.length < asked.max; at -= 1) take(stored.all[at] as ServerEvent);
    }
    return found.map(messageOf);
  }

  #readStream({ stream, from, max }: Extract<Asked, { readonly of: 'stream' }>): readonly ReadResp[] {
    const { stored } = this.cluster;
    if (stored.torn.has(stream)) throw unexpected('Unexpected ReadStreamResult: Error');
    const all = this.isUnknown(stream) ? undefined : stored.read(stream, this.now());
    const last = stored.all[this.shown - 1]?.position ?? 0n;
    const events = this.leads ? all : all?.filter(({ position }) => position <= last);
    if (events === undefined || (events.length === 0 && !this.leads)) return [streamNotFound(stream)];
    const first = Math.max(0, from - (events[0]?.revision ?? 0));
    return events.slice(first, first + max).map(messageOf);
  }

  /** The index of the first event after this position, whether an event begins there or not. */
  indexAfter(position: bigint): number {
    return this.cluster.stored.indexOf(position + 1n);
  }

  /** The index of the first event after this position. @throws Error what the server says instead */
  after(position: bigint): number {
    return indexOf(() => this.cluster.stored.after(position), 'Exception was thrown by handler.');
  }
}

/** Whether a filter by the beginnings of names passes an event. */
export function isNamed({ stream }: ServerEvent, names: readonly string[]): boolean {
  return names.length === 0 || names.some((name) => stream.startsWith(name));
}

function indexOf(find: () => number, words: string): number {
  try {
    return find();
  } catch (error) {
    throw error instanceof NoEventThere ? unexpected(words) : error;
  }
}
