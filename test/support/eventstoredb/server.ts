import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features, { type SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type sendUnaryData, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { serveBatches } from './batches.js';
import { DoubleControl } from './control.js';
import { writeForeign } from './foreign.js';
import { clusterInfo, type Member } from './gossip.js';
import type { Entry } from './journal.js';
import type { ControlledNode, Membership, Node } from './node.js';
import type { DoubleOptions } from './options.js';
import { Reads } from './reads.js';
import { serveAppend, serveDelete } from './singles.js';
import { Store } from './store.js';
import { Writer } from './writer.js';

const VERSIONS = { '23.10': '23.10.8', '24.10': '24.10.4' };

/**
 * Behaves to the client as EventStoreDB 23.10 or 24.10 does, oddities included, as far as the adapter can meet it: appends,
 * deletions, metadata, reads, and subscriptions to all streams.
 */
export class EventStoreDbDouble implements ControlledNode {
  readonly host = '127.0.0.1';
  readonly store: Store;
  readonly appends: Writer;
  readonly reads = new Reads(this);
  /** What an administrator, another application or bad luck does to it. */
  readonly control: DoubleControl = new DoubleControl(this);
  port = 0;
  /** Another one than its own where a line stands before it. */
  advertised = 0;
  readonly #id = randomUUID();
  #server: Server | undefined;
  #endForeign: (() => void) | undefined;

  /**
   * @param options may be changed while it runs, but for port and file
   * @param membership what it knows of others in a cluster
   */
  private constructor(
    public options: DoubleOptions,
    private readonly membership?: Membership,
  ) {
    this.store = new Store(options.file);
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

  /** At the port that it had before, if it had one. */
  async listen(): Promise<void> {
    const server = this.#serving();
    const bind = promisify(server.bindAsync.bind(server));
    const port = this.port === 0 ? (this.options.port ?? 0) : this.port;
    this.port = await bind(`${this.host}:${port}`, ServerCredentials.createInsecure());
    if (this.advertised === 0) this.advertised = this.port;
    this.#server = server;
    this.#endForeign = writeForeign(this);
  }

  /** As a process ends: what is under way is lost, what was acknowledged is there when it listens again. */
  close(): void {
    this.#endForeign?.();
    this.appends.abandon();
    this.#server?.forceShutdown();
    this.store.forget();
  }

  #serving(): Server {
    const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
    server.addService(streamsService.StreamsService, {
      batchAppend: (call: Parameters<typeof serveBatches>[1]) => serveBatches(this, call),
      append: (...call: AppendCall) => serveAppend(this, ...call),
      delete: (...call: DeleteCall) => serveDelete(this, ...call, 'softly'),
      tombstone: (...call: DeleteCall) => serveDelete(this, ...call, 'for ever'),
      read: (call: Parameters<Reads['serve']>[0]) => void this.reads.serve(call),
    });
    const method = new features.SupportedMethod().setServiceName('event_store.client.streams.Streams');
    const supported = new features.SupportedMethods()
      .setMethodsList([method.setMethodName('batchappend')])
      .setEventStoreServerVersion(VERSIONS[this.options.version ?? '23.10']);
    const refusal = { code: status.INTERNAL, details: 'Received RST_STREAM with code 0' };
    server.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<SupportedMethods>) =>
        this.options.stopping === true ? answer(refusal) : answer(null, supported),
    });
    const members = (): readonly Member[] =>
      this.membership?.members() ?? [{ host: this.host, port: this.port, id: this.#id, state: 'leader' }];
    server.addService(gossipService.GossipService, {
      read: (_: unknown, answer: sendUnaryData<ClusterInfo>) => answer(null, clusterInfo(members())),
    });
    return server;
  }
}

type AppendCall = Parameters<typeof serveAppend> extends [Node, ...infer Call] ? Call : never;
type DeleteCall = Parameters<typeof serveDelete> extends [Node, ...infer Call, unknown] ? Call : never;
