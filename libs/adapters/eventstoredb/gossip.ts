import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { ClusterInfo, MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { credentials } from '@grpc/grpc-js';
import { thisMachine } from '#adapters/machine';
import { callMetadata, callOptions, channelTo } from './channel.js';
import type { Connection, Host } from './connection-string.js';

/** How long a node may take to answer, in milliseconds. */
const ANSWER_WITHIN = 1_500;

/** The living nodes of a host's cluster. */
export async function membersKnownTo(connection: Connection, host: Host): Promise<readonly Host[]> {
  const channel = channelTo(connection, host);
  const client = new gossipService.GossipClient('', credentials.createInsecure(), { channelOverride: channel });
  const options = callOptions(connection, thisMachine.time.wall() + ANSWER_WITHIN);
  try {
    const known = await new Promise<ClusterInfo | undefined>((resolve, reject) => {
      client.read(new shared.Empty(), callMetadata(connection), options, (error, info?: ClusterInfo) =>
        error === null ? resolve(info) : reject(error),
      );
    });
    return (known?.getMembersList() ?? []).flatMap((member: MemberInfo) => {
      const at = member.getHttpEndPoint();
      return at === undefined || !member.getIsAlive() ? [] : [{ address: at.getAddress(), port: at.getPort() }];
    });
  } finally {
    channel.close();
  }
}
