import { isIP } from 'node:net';
import {
  CallCredentials,
  type CallOptions,
  Channel,
  type ChannelCredentials,
  credentials,
  Metadata,
  type MetadataValue,
} from '@grpc/grpc-js';
import { certificatesOf, type Connection, type Host, nameOf } from './connection-string.js';
import { TlsToAddress } from './tls-to-address.js';

/** EventStoreDB's recommendation, in milliseconds: a dead connection is found within 20 s. */
const KEEPALIVE = 10_000;
/** The client's own bound for one message: the server holds events of up to 16 MB. */
const LARGEST_MESSAGE = 17 * 1024 * 1024;

/** A new connection to a node of the server; the first call opens it. */
export function channelTo(connection: Connection, host: Host): Channel {
  const { keepAliveInterval = KEEPALIVE, keepAliveTimeout = KEEPALIVE } = connection;
  return new Channel(nameOf(host), channelCredentials(connection, host), {
    'grpc.keepalive_time_ms': keepAliveInterval < 0 ? Number.MAX_SAFE_INTEGER : keepAliveInterval,
    'grpc.keepalive_timeout_ms': keepAliveTimeout < 0 ? Number.MAX_SAFE_INTEGER : keepAliveTimeout,
    'grpc.max_receive_message_length': LARGEST_MESSAGE,
    // Otherwise a call may begin again over another connection, behind which may be another server.
    'grpc.enable_retries': 0,
    // Otherwise a new channel would take over the connection of the channel that it replaces.
    'grpc.use_local_subchannel_pool': 1,
  });
}

/** The options of a call: its deadline, a time by the machine's clock, and the user of the connection string. */
export function callOptions({ defaultCredentials: user, tls }: Connection, deadline: number): CallOptions {
  if (user === undefined || tls === false) return { deadline };
  const authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`;
  const callCredentials = CallCredentials.createFromMetadataGenerator((_, done) => {
    const metadata = new Metadata();
    metadata.set('authorization', authorization);
    done(null, metadata);
  });
  return { deadline, credentials: callCredentials };
}

/**
 * Asks for no compression. gRPC's client offers deflate and gzip with every call and has no option against that; a server
 * that takes the offer (KurrentDB) spends more on packing small events, and we on unpacking them, than their bytes cost.
 */
class Uncompressed extends Metadata {
  override set(key: string, value: MetadataValue): void {
    super.set(key, key === 'grpc-accept-encoding' ? 'identity' : value);
  }

  /** The client sends clones. */
  override clone(): Metadata {
    const clone = new Uncompressed(this.getOptions());
    clone.merge(this);
    return clone;
  }
}

/** What a call says to the server about itself: the name of the connection, and that answers need no compression. */
export function callMetadata({ connectionName = 'holdfast' }: Connection): Metadata {
  const metadata = new Uncompressed();
  metadata.set('connection-name', connectionName);
  return metadata;
}

function channelCredentials(connection: Connection, { address }: Host): ChannelCredentials {
  const certificates = certificatesOf(connection);
  if (certificates === undefined) return credentials.createInsecure();
  const { tlsCAFile = null, userKeyFile = null, userCertFile = null } = certificates;
  if (isIP(address) !== 0) return new TlsToAddress(address, certificates);
  return credentials.createSsl(tlsCAFile, userKeyFile, userCertFile);
}
