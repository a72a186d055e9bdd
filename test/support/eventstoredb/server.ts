import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as TcpServer, type Socket } from 'node:net';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features, { type SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type sendUnaryData, Server, ServerCredentials } from '@grpc/grpc-js';
import { serveBatches } from './batches.js';
import { DoubleControl } from './control.js';
import { terminated } from './errors.js';
import { writeForeign } from './foreign.js';
import { clusterInfo, type Member } from './gossip.js';
import type { Entry } from './journal.js';
import { decodeAppend } from './messages.js';
import { clockOf, type ControlledNode, type Membership, type Node } from './node.js';
import type { DoubleOptions } from './options.js';
import { Reads } from './reads.js';
import { serveAppend, serveDelete } from './singles.js';
import { Store } from './store.js';
import { Writer } from './writer.js';

/** Milliseconds from the end of its calls to the end of its process. */
const LAST_WORDS = 20;
const VERSIONS = { '23.10': '23.10.8', '24.10': '24.10.4', '26.1': '26.1.0' };
/** The calls of streams; appends are read with time limits that the generated messages do not know. */
const StreamsService = {
  ...streamsService.StreamsService,
  batchAppend: { ...streamsService.StreamsService.batchAppend, requestDeserialize: decodeAppend },
};

/**
 * Behaves to the client as EventStoreDB 23.10, 24.10 or KurrentDB 26.1 does, oddities included, as far as the adapter can notice: appends,
 * deletions, metadata, reads, and subscriptions to all streams.
 */
export class EventStoreDbDouble implements ControlledNode {
  readonly host = '127.0.0.1';
  readonly store: Store;
  readonly appends: Writer;
  readonly reads = new Reads(this);
  /** What an administrator, another application or a fault does to it. */
  readonly control: DoubleControl = new DoubleControl(this);
  port = 0;
  /** Differs from its own port when a line stands before it. */
  advertised = 0;
  readonly #id = randomUUID();
  readonly #connections = new Set<Socket>();
  readonly #batches = new Set<BatchCall>();
  #server: Server | undefined;
  #listener: TcpServer | undefined;
  #endForeign: (() => void) | undefined;

  /**
   * @param options may change while it runs, except for port and file
   * @param membership what it knows about the others in a cluster
   */
  private constructor(
    public options: DoubleOptions,
    private readonly membership?: Membership,
  ) {
    this.store = new Store(options.file, () => clockOf(this));
    this.appends = new Writer(this.store, () => this.options);
  }

  static async start(options: DoubleOptions = {}, membership?: Membership): Promise<EventStoreDbDouble> {
    const double = new EventStoreDbDouble(options, membership);
    await double.listen();
    return double;
  }

  /** The connection string. */
  get url(): string {
    return `esdb://${this.host}:${this.port}?tls=false`;
  }

  leader(): Node | undefined {
    return this.membership === undefined ? this : this.membership.leader();
  }

  replace(entries: readonly Entry[]): void {
    this.store.replace(entries);
  }

  /** Listens on its former port, if it had one. */
  async listen(): Promise<void> {
    const server = this.#serving();
    const door = server.createConnectionInjector(ServerCredentials.createInsecure());
    // Connections are collected here, so that they can break like those to a process that dies.
    const listener = createServer((socket) => {
      this.#connections.add(socket.on('error', () => undefined).on('close', () => this.#connections.delete(socket)));
      door.injectConnection(socket);
    });
    listener.listen(this.port === 0 ? (this.options.port ?? 0) : this.port, this.host);
    await once(listener, 'listening');
    this.port = (listener.address() as AddressInfo).port;
    if (this.advertised === 0) this.advertised = this.port;
    [this.#server, this.#listener] = [server, listener];
    this.#endForeign = writeForeign(this);
  }

  /** Ends as a killed process does: what is under way is lost, what was acknowledged is there when it listens again. */
  close(): void {
    this.#endForeign?.();
    this.appends.abandon();
    this.#listener?.close();
    for (const socket of this.#connections) socket.resetAndDestroy();
    this.#server?.forceShutdown();
    this.store.forget();
  }

  /** Ends as a process after a signal: it writes what it has taken, but calls end without its answers. */
  terminate(): void {
    for (const call of [...this.#batches, ...this.reads.open]) call.emit('error', terminated());
    this.appends.flush();
    setTimeout(() => this.close(), LAST_WORDS);
  }

  #serving(): Server {
    const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
    server.addService(StreamsService, {
      batchAppend: (call: BatchCall) => {
        this.#batches.add(call.on('close', () => this.#batches.delete(call)));
        serveBatches(this, call);
      },
      append: (...call: AppendCall) => serveAppend(this, ...call),
      delete: (...call: DeleteCall) => serveDelete(this, ...call, 'softly'),
      tombstone: (...call: DeleteCall) => serveDelete(this, ...call, 'for ever'),
      read: (call: Parameters<Reads['serve']>[0]) => void this.reads.serve(call),
    });
    const method = new features.SupportedMethod().setServiceName('event_store.client.streams.Streams');
    const supported = new features.SupportedMethods()
      .setMethodsList([method.setMethodName('batchappend')])
      .setEventStoreServerVersion(VERSIONS[this.options.version ?? '23.10']);
    server.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<SupportedMethods>) => answer(null, supported),
    });
    const members = (): readonly Member[] =>
      this.membership?.members() ?? [{ host: this.host, port: this.port, id: this.#id, state: 'leader' }];
    server.addService(gossipService.GossipService, {
      read: (_: unknown, answer: sendUnaryData<ClusterInfo>) => answer(null, clusterInfo(members())),
    });
    return server;
  }
}

type BatchCall = Parameters<typeof serveBatches>[1];
type AppendCall = Parameters<typeof serveAppend> extends [Node, ...infer Call] ? Call : never;
type DeleteCall = Parameters<typeof serveDelete> extends [Node, ...infer Call, unknown] ? Call : never;
