import type { Socket } from 'node:net';
import type { Time } from '#eventsourcing';
import { CONNECTIONS, LOOK_AT_IDLE_EVERY, WAITS } from '#kernel/bounds';
import { networkOf } from '../networks.js';
import type { Proxies } from '../proxies.js';
import type { Connection, Connections } from './connections.js';

/** How many connections an address of the service has at a time. */
export interface ConnectionBounds {
  readonly together: number;
  /** Beyond those: for operators, auditors and health checks only. */
  readonly reserved: number;
  /** Of one address of callers, or of one /64 network of IPv6; a trusted proxy has any number. */
  readonly ofAddress: number;
}

/**
 * Shares connections among addresses. An address has at most `CONNECTIONS.ofAddress`, a trusted proxy any number. If an
 * address, or the whole service, has no more, a new connection replaces one that does nothing: of the address with the most
 * connections, the one that has done nothing for the longest time. If all of them do something, it is closed, unless one of
 * the `CONNECTIONS.reserved` is free: those serve operators, auditors and health checks only.
 */
export class ConnectionShares {
  /** The connections of each address, in the order in which they came. */
  readonly #byNetwork = new Map<string, Set<Connection>>();
  readonly #reserved = new Set<Connection>();
  /** When all of these connections did something, in milliseconds of `Time.monotonic`: to look costs as much as there are. */
  readonly #allBusyAt = new WeakMap<ReadonlySet<Connection>, number>();
  #open = 0;

  constructor(
    private readonly connections: Connections,
    private readonly proxies: Pick<Proxies, 'trusts'>,
    private readonly time: Pick<Time, 'monotonic'>,
    private readonly bounds: ConnectionBounds = CONNECTIONS,
  ) {
    connections.admitIf((connection) => this.#admits(connection));
  }

  /** Whether a call came on a connection that serves only operators, auditors and health checks. */
  isReserved(socket: Socket): boolean {
    const connection = this.connections.of(socket);
    return connection !== undefined && this.#reserved.has(connection);
  }

  #admits(connection: Connection): boolean {
    const { accepted } = connection;
    const { remoteAddress } = accepted;
    const network = networkOf(remoteAddress);
    const own = this.#byNetwork.get(network) ?? new Set();
    if (own.size >= this.bounds.ofAddress && !this.proxies.trusts(remoteAddress) && !this.#replaceOneOf(own))
      return false;
    if (this.#open >= this.bounds.together && !this.#replaceOneOf(this.#largest())) {
      if (this.#reserved.size >= this.bounds.reserved && !this.#replaceOneOf(this.#reserved)) return false;
      this.#reserved.add(connection);
    }
    this.#open += 1;
    this.#byNetwork.set(network, own.add(connection));
    accepted.once('close', () => this.#leave(network, connection));
    return true;
  }

  #leave(network: string, connection: Connection): void {
    const own = this.#byNetwork.get(network);
    if (own?.delete(connection) !== true) return;
    this.#open -= 1;
    this.#reserved.delete(connection);
    if (own.size === 0) this.#byNetwork.delete(network);
  }

  #largest(): ReadonlySet<Connection> {
    let largest: ReadonlySet<Connection> = new Set();
    for (const own of this.#byNetwork.values()) if (own.size > largest.size) largest = own;
    return largest;
  }

  /** Closes the one that has done nothing for the longest time. @returns whether there was one */
  #replaceOneOf(all: ReadonlySet<Connection>): boolean {
    const now = this.time.monotonic();
    if (now - (this.#allBusyAt.get(all) ?? -Infinity) < LOOK_AT_IDLE_EVERY) return false;
    let oldest: Connection | undefined;
    let since = Infinity;
    for (const connection of all) {
      const idle = this.#idleSince(connection, now);
      if (idle === undefined || idle >= since || connection.accepted.destroyed) continue;
      [oldest, since] = [connection, idle];
    }
    if (oldest === undefined) {
      this.#allBusyAt.set(all, now);
      return false;
    }
    // It is gone at once; the 'close' of its socket comes later.
    this.#leave(networkOf(oldest.accepted.remoteAddress), oldest);
    oldest.accepted.destroy();
    return true;
  }

  /** Since when a connection does nothing: it has no call, or its caller neither sends the rest of one nor takes its answer. */
  #idleSince(connection: Connection, now: number): number | undefined {
    const { call, socket, since } = connection;
    if (typeof call !== 'object' && socket.writableLength === 0) return call ?? since;
    const isAsking = typeof call === 'object' && !call.req.complete;
    const isTaking = typeof call !== 'object' || call.writableEnded || call.writableNeedDrain;
    if (!isAsking && !isTaking) return undefined;
    const still = isTaking ? this.connections.takenOf(connection).since : this.connections.sentSince(connection);
    return now - still >= WAITS.pause ? still : undefined;
  }
}
