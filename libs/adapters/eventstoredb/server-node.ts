import { setMaxListeners } from 'node:events';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';
import type { Machine } from '#eventsourcing';
import { lacking, READ_ALL } from './answers.js';
import { callMetadata, callOptions } from './channel.js';
import type { Connection, Host } from './connection-string.js';
import { backwardsRead } from './messages.js';
import { type AppendCall, type Dial, type LongCall, type NodeCalls } from './node-calls.js';

/**
 * One node of the server, over its own connection. Every call requires the leader: another node refuses and names the
 * leader.
 */
export class ServerNode {
  readonly #ending = new AbortController();
  readonly #calls: NodeCalls;

  constructor(
    private readonly connection: Connection,
    readonly host: Host,
    readonly machine: Machine,
    dial: Dial,
  ) {
    this.#calls = dial(connection, host);
    setMaxListeners(0, this.#ending.signal);
  }

  /** Aborts when the node is given up. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Reads; without a deadline (in milliseconds) for ever. Leaving the iteration early cancels the read. */
  read(request: ReadReq, deadline: number): LongCall<ReadResp> {
    return this.#calls.read(request, this.#metadata(), this.#options(deadline));
  }

  /** The long call that carries many appends. */
  appends(): AppendCall {
    return this.#calls.batchAppend(this.#metadata(), this.#options(Infinity));
  }

  /** Rejects unless the node answers as the leader within this time, in milliseconds. */
  lead(within: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.read(backwardsRead(undefined, 1), within)
        .on('data', () => undefined)
        .on('error', (error) => reject(lacking(READ_ALL, error)))
        .on('end', resolve);
    });
  }

  /** Gives the node up: long calls on it end. */
  close(): void {
    this.#ending.abort();
    this.#calls.close();
  }

  #metadata(): Metadata {
    const metadata = callMetadata(this.connection);
    metadata.set('requires-leader', 'true');
    return metadata;
  }

  #options(within: number): CallOptions {
    return callOptions(this.connection, within === Infinity ? Infinity : this.machine.time.wall() + within);
  }
}
