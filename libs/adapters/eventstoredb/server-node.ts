import { setMaxListeners } from 'node:events';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import {
  CallCredentials,
  type CallOptions,
  Channel,
  type ChannelCredentials,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
  Metadata,
} from '@grpc/grpc-js';
import type { Machine } from '#eventsourcing';
import { certificatesOf, type Connection, type Host } from './connection-string.js';
import { backwardsRead } from './messages.js';

/** EventStoreDB's recommendation, in milliseconds: a dead connection is found within 20 s. */
const KEEPALIVE = 10_000;
/** The client's own bound for one message: the server holds events of up to 16 MB. */
const LARGEST_MESSAGE = 17 * 1024 * 1024;

/** A node in the gossip. */
export interface Member extends Host {
  readonly leads: boolean;
}

/**
 * One node of the server, over its own connection. Every call requires the leader: another node refuses and names the
 * leader.
 */
export class ServerNode {
  readonly #ending = new AbortController();
  readonly #channel: Channel;
  readonly #streams: InstanceType<typeof streamsService.StreamsClient>;
  readonly #gossip: InstanceType<typeof gossipService.GossipClient>;

  constructor(
    private readonly connection: Connection,
    readonly host: Host,
    readonly machine: Machine,
  ) {
    const { keepAliveInterval = KEEPALIVE, keepAliveTimeout = KEEPALIVE } = connection;
    const channelOverride = new Channel(`${host.address}:${host.port}`, channelCredentials(connection), {
      'grpc.keepalive_time_ms': keepAliveInterval < 0 ? Number.MAX_SAFE_INTEGER : keepAliveInterval,
      'grpc.keepalive_timeout_ms': keepAliveTimeout < 0 ? Number.MAX_SAFE_INTEGER : keepAliveTimeout,
      'grpc.max_receive_message_length': LARGEST_MESSAGE,
      // Otherwise a new channel would take over the connection of the channel that it replaces.
      'grpc.use_local_subchannel_pool': 1,
    });
    this.#channel = channelOverride;
    setMaxListeners(0, this.#ending.signal);
    this.#streams = new streamsService.StreamsClient('', credentials.createInsecure(), { channelOverride });
    this.#gossip = new gossipService.GossipClient('', credentials.createInsecure(), { channelOverride });
  }

  /** Aborts when the node is given up. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Reads; without a deadline (in milliseconds) for ever. Leaving the iteration early cancels the read. */
  read(request: ReadReq, deadline: number): ClientReadableStream<ReadResp> {
    return this.#streams.read(request, this.#metadata(), this.#options(deadline));
  }

  /** The long call that carries many appends. */
  appends(): ClientDuplexStream<BatchAppendReq, BatchAppendResp> {
    return this.#streams.batchAppend(this.#metadata(), this.#options(Infinity));
  }

  /** Rejects unless the node answers as the leader within this time, in milliseconds. */
  lead(within: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.read(backwardsRead(undefined, 1), within)
        .on('data', () => undefined)
        .on('error', reject)
        .on('end', resolve);
    });
  }

  /** The living nodes of the cluster that this node knows. */
  members(within: number): Promise<readonly Member[]> {
    const { LEADER } = gossip.MemberInfo.VNodeState;
    return new Promise((resolve, reject) => {
      this.#gossip.read(new shared.Empty(), this.#metadata(), this.#options(within), (error, info?: ClusterInfo) => {
        if (error !== null) return reject(error);
        const members = info?.getMembersList().flatMap((member) => {
          const at = member.getHttpEndPoint();
          if (at === undefined || !member.getIsAlive()) return [];
          return [{ address: at.getAddress(), port: at.getPort(), leads: member.getState() === LEADER }];
        });
        resolve(members ?? []);
      });
    });
  }

  /** Gives the node up: long calls on it end. */
  close(): void {
    this.#ending.abort();
    this.#channel.close();
  }

  #metadata(): Metadata {
    const metadata = new Metadata();
    metadata.set('connection-name', this.connection.connectionName ?? 'holdfast');
    metadata.set('requires-leader', 'true');
    return metadata;
  }

  #options(within: number): CallOptions {
    const { defaultCredentials: user, tls } = this.connection;
    const options: CallOptions = { deadline: within === Infinity ? Infinity : this.machine.time.wall() + within };
    if (user === undefined || tls === false) return options;
    const authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
    const callCredentials = CallCredentials.createFromMetadataGenerator((_, done) => {
      const metadata = new Metadata();
      metadata.set('authorization', authorization);
      done(null, metadata);
    });
    return { ...options, credentials: callCredentials };
  }
}

function channelCredentials(connection: Connection): ChannelCredentials {
  const certificates = certificatesOf(connection);
  if (certificates === undefined) return credentials.createInsecure();
  const { tlsCAFile = null, userKeyFile = null, userCertFile = null } = certificates;
  return credentials.createSsl(tlsCAFile, userKeyFile, userCertFile);
}
