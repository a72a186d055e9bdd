import { promisify } from 'node:util';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features, { type SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { type sendUnaryData, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { Appends } from './appends.js';
import type { DoubleOptions } from './options.js';
import { Reads } from './reads.js';
import { Store } from './store.js';

/**
 * Behaves to the client as EventStoreDB 23.10 does, its oddities included, as far as the adapter depends on it: appends
 * with an explicit revision on the batch stream, reads, and subscriptions to all streams.
 */
export class EventStoreDbDouble {
  /** The connection string. */
  url = '';
  readonly appends: Appends;
  readonly reads: Reads;
  readonly #server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });

  /** @param options may be changed while it runs, but for port and file */
  private constructor(public options: DoubleOptions) {
    const store = new Store(options.file);
    this.reads = new Reads(store, () => this.options);
    this.appends = new Appends(store, () => this.options);
    this.#server.addService(streamsService.StreamsService, {
      batchAppend: (call: Parameters<Appends['serve']>[0]) => this.appends.serve(call),
      read: (call: Parameters<Reads['serve']>[0]) => void this.reads.serve(call),
    });
    const method = new features.SupportedMethod().setServiceName('event_store.client.streams.Streams');
    const supported = new features.SupportedMethods().setMethodsList([method.setMethodName('batchappend')]);
    const refusal = { code: status.INTERNAL, details: 'Received RST_STREAM with code 0' };
    this.#server.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<SupportedMethods>) =>
        this.options.stopping === true ? answer(refusal) : answer(null, supported),
    });
  }

  static async start(options: DoubleOptions = {}): Promise<EventStoreDbDouble> {
    const double = new EventStoreDbDouble(options);
    const bind = promisify(double.#server.bindAsync.bind(double.#server));
    const port = await bind(`127.0.0.1:${options.port ?? 0}`, ServerCredentials.createInsecure());
    double.url = `esdb://127.0.0.1:${port}?tls=false`;
    return double;
  }

  close(): void {
    this.#server.forceShutdown();
  }
}
