import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { credentials } from '@grpc/grpc-js';
import { thisMachine } from '#adapters/machine';
import type { Instant, Position } from '#kernel';
import { callMetadata, callOptions, channelTo } from './channel.js';
import { ServerConnection } from './client.js';
import { type Connection, connectionOf, type Host } from './connection-string.js';
import { OwnStreams } from './own-streams.js';

/** What an EventStoreDB says of itself, and the last event of ours. */
export interface ServerInspection {
  /** undefined if it does not say. */
  readonly version: string | undefined;
  /** The last event in streams with our prefix; undefined for none. */
  readonly last: { readonly position: Position; readonly created: Instant } | undefined;
}

/**
 * Asks the leader of an EventStoreDB for the last event with a prefix, and its version. It writes nothing.
 * @param within how long it may take, in milliseconds
 * @throws TypeError for text that is no connection string; Error of the client, which does not repeat it
 */
export async function inspectServer(
  {
    url,
    prefix,
    categories,
  }: { readonly url: string; readonly prefix: string; readonly categories: readonly string[] },
  within: number,
): Promise<ServerInspection> {
  const connection = connectionOf(url);
  const server = new ServerConnection(url);
  const { time } = thisMachine;
  const late = time.after(within, () => void server.close());
  try {
    const [version, [last]] = await Promise.all([
      Promise.any(connection.hosts.map((host) => versionOf(connection, host, within))).catch(() => undefined),
      server.readBack(undefined, 1, new OwnStreams(prefix, categories).prefixes, within),
    ]);
    return { version, last: last && { position: last.position, created: last.created } };
  } finally {
    time.cancel(late);
    await server.close();
  }
}

/** @throws Error of the client; servers before 21.10 do not know the call */
async function versionOf(connection: Connection, host: Host, within: number): Promise<string> {
  const channel = channelTo(connection, host);
  const client = new features.ServerFeaturesClient('', credentials.createInsecure(), { channelOverride: channel });
  const options = callOptions(connection, thisMachine.time.wall() + within);
  try {
    return await new Promise((resolve, reject) => {
      client.getSupportedMethods(
        new shared.Empty(),
        callMetadata(connection),
        options,
        (error, answer?: SupportedMethods) =>
          error === null ? resolve(answer?.getEventStoreServerVersion() ?? '') : reject(error),
      );
    });
  } finally {
    channel.close();
  }
}
