import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';

const { LEADER, FOLLOWER, UNKNOWN, SHUTDOWN } = gossip.MemberInfo.VNodeState;
const STATES = { leader: LEADER, follower: FOLLOWER, unknown: UNKNOWN, dead: SHUTDOWN };

/** A node as the gossip shows it. `unknown`: it looks for a leader, and clients skip it. */
export interface Member {
  readonly host: string;
  readonly port: number;
  readonly id: string;
  readonly state: keyof typeof STATES;
}

export function clusterInfo(members: readonly Member[]): ClusterInfo {
  const list = members.map(({ host, port, id, state }) =>
    new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(id))
      .setTimeStamp(String(Date.now()))
      .setState(STATES[state])
      .setIsAlive(state !== 'dead')
      .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port)),
  );
  return new gossip.ClusterInfo().setMembersList(list);
}
