import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import { NO_STREAM } from '#eventsourcing';
import { EventStoreDbLog } from './eventstoredb-log.js';
import { ServerConnection } from './client.js';
import type { Subscriber } from './server.js';
import { connectionOf } from './connection-string.js';
import { warnOfSingleNode } from './single-node.js';

/** Milliseconds of the search of a leader among nodes of which one gives no answer. */
const LOOK_FOR = 2_000;
/** Milliseconds of an append that waits for nothing else. */
const DEADLINE = 120_000;

/** A cluster for the search of the leader: which node leads, whether the nodes know, and which one is frozen. */
class Cluster {
  leader = 0;
  /** Whether gossip names the leader. */
  known = true;
  frozen: number | undefined;
  readonly ports: number[] = [];
  /** The nodes that were read or appended to since the list was emptied. */
  readonly asked: number[] = [];
  readonly appends = new Set<ServerDuplexStream<BatchAppendReq, BatchAppendResp>>();
  readonly #servers: Server[] = [];

  async start(nodes: number): Promise<void> {
    for (let node = 0; node < nodes; node += 1) {
      const server = new Server();
      server.addService(streamsService.StreamsService, {
        read: (call: ServerWritableStream<ReadReq, ReadResp>) => this.#read(node, call),
        batchAppend: (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>) => {
          this.asked.push(node);
          this.appends.add(call);
          call.on('data', () => undefined).on('error', () => undefined);
        },
      });
      server.addService(gossipService.GossipService, {
        read: (_: unknown, answer: sendUnaryData<gossip.ClusterInfo>) => {
          if (node !== this.frozen) answer(null, this.#info());
        },
      });
      const bind = promisify(server.bindAsync.bind(server));
      this.ports.push(await bind('127.0.0.1:0', ServerCredentials.createInsecure()));
      this.#servers.push(server);
    }
  }

  get url(): string {
    return `esdb://${this.ports.map((port) => `127.0.0.1:${port}`).join(',')}?tls=false`;
  }

  close(): void {
    for (const server of this.#servers) server.forceShutdown();
  }

  #info(): gossip.ClusterInfo {
    const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
    const members = this.ports.map((port, node) =>
      new gossip.MemberInfo()
        .setIsAlive(true)
        .setState(this.known && node === this.leader ? LEADER : FOLLOWER)
        .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port)),
    );
    return new gossip.ClusterInfo().setMembersList(members);
  }

  #read(node: number, call: ServerWritableStream<ReadReq, ReadResp>): void {
    if (node === this.frozen) return;
    if (node === this.leader && this.known) {
      this.asked.push(node);
      if (call.request.getOptions()?.hasSubscription() !== true) call.end();
      return;
    }
    const metadata = new Metadata();
    metadata.set('exception', 'not-leader');
    if (this.known) {
      metadata.set('leader-endpoint-host', '127.0.0.1');
      metadata.set('leader-endpoint-port', String(this.ports[this.leader]));
    }
    call.emit('error', { code: status.NOT_FOUND, details: 'Leader info available', metadata });
  }
}

const event = { id: '00000000-0000-4000-8000-000000000001', type: 'happened.v1', data: {} };

/** Appends until an append has arrived. One that finds no leader in time fails: on a busy machine nodes may be slow to answer. */
async function appendUntil(hasArrived: () => boolean, server: ServerConnection): Promise<void> {
  let isUnderWay = false;
  while (!hasArrived()) {
    if (!isUnderWay) {
      isUnderWay = true;
      const over = (): void => void (isUnderWay = false);
      void server.append('deal-1', NO_STREAM, [event]).then(over, over);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the leader of a cluster', () => {
  let cluster: Cluster;
  let server: ServerConnection;

  beforeEach(async () => {
    cluster = new Cluster();
    await cluster.start(3);
    server = new ServerConnection(cluster.url);
  });
  afterEach(async () => {
    await server.close();
    cluster.close();
  });

  it('is read, and found again when it changes, without an error', async () => {
    for (const leader of [0, 2, 1]) {
      cluster.leader = leader;
      cluster.asked.length = 0;
      expect(await server.readStream('deal-1', 0, 1)).toEqual([]);
      expect(new Set(cluster.asked)).toEqual(new Set([leader]));
    }
  });

  it('is found with a connection string that names only another node', async () => {
    const alone = new ServerConnection(`esdb://127.0.0.1:${cluster.ports[2]}?tls=false`);
    expect(await alone.readStream('deal-1', 0, 1)).toEqual([]);
    expect(new Set(cluster.asked)).toEqual(new Set([0]));
    await alone.close();
  });

  it('cannot be found for certain with a string that names one node of several: operators are warned', async () => {
    const notices: string[] = [];
    const onNotice = (words: string): void => void notices.push(words);
    await warnOfSingleNode({ url: cluster.url, onNotice });
    expect(notices).toEqual([]);
    await warnOfSingleNode({ url: `esdb://127.0.0.1:${cluster.ports[1]}?tls=false`, onNotice });
    expect(notices).toEqual([expect.stringContaining(`(127.0.0.1:${cluster.ports[1]}) of a cluster of 3`)]);
  });

  it('G9: cannot be found for certain with a name of one address, either', async () => {
    const notices: string[] = [];
    const onNotice = (words: string): void => void notices.push(words);
    for (const scheme of ['esdb', 'kurrentdb']) {
      await warnOfSingleNode({ url: `${scheme}+discover://127.0.0.1:${cluster.ports[1]}?tls=false`, onNotice });
    }
    const words = `EVENTSTORE_URL names one address (127.0.0.1:${cluster.ports[1]}) of a cluster of 3: name all of them`;
    expect(notices).toEqual([expect.stringContaining(words), expect.stringContaining(words)]);
  });

  it('is found although another node is frozen', async () => {
    cluster.leader = 1;
    cluster.frozen = 0;
    // It never takes less if the frozen node is waited for; on a slow machine it may take as long once.
    for (let took = Infinity; took >= LOOK_FOR - 100;) {
      const another = new ServerConnection(cluster.url);
      const began = performance.now();
      const read = await another.readStream('deal-1', 0, 1).catch(() => undefined);
      if (read !== undefined) took = performance.now() - began;
      await another.close();
    }
  });

  // The server makers' client kept a failure in this state for ever.
  it('is found by the next append and the next read after there was none', async () => {
    cluster.known = false;
    await expect(server.append('deal-1', NO_STREAM, [event])).rejects.toThrow('no leader among the hosts');
    await expect(server.readStream('deal-1', 0, 1)).rejects.toThrow('EVENTSTORE_URL (127.0.0.1:');
    cluster.known = true;
    expect(await server.readStream('deal-1', 0, 1)).toEqual([]);
    await appendUntil(() => cluster.appends.size > 0, server);
  });

  it('is given up by a read after it freezes, wherever the read was', async () => {
    expect(await server.readStream('deal-1', 0, 1)).toEqual([]);
    cluster.frozen = 0;
    for (let reads = 0; reads < 2; reads += 1) {
      await expect(server.readStream('deal-1', 0, 1)).rejects.toThrow();
    }
    cluster.leader = 1;
    expect(await server.readStream('deal-1', 0, 1)).toEqual([]);
  });

  it('is searched again by a subscription whose node no longer leads, even if the node is silent', async () => {
    let dropped: Subscriber['dropped'] = () => undefined;
    const over = new Promise<string>((resolve) => (dropped = resolve));
    server.subscribe(0n, ['deal-'], { event: () => undefined, caughtUp: () => undefined, dropped });
    while (cluster.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    cluster.leader = 1;
    expect(await over).toBe('broke');
    cluster.asked.length = 0;
    await server.readStream('deal-1', 0, 1);
    expect(new Set(cluster.asked)).toEqual(new Set([1]));
  });

  it('is searched again by appends without an answer, long before their deadline', async () => {
    const patient = new ServerConnection(`${cluster.url}&defaultDeadline=${DEADLINE}`);
    const began = performance.now();
    const appends = [1, 2].map(() => patient.append('deal-1', NO_STREAM, [event]));
    while (cluster.appends.size === 0) await new Promise((resolve) => setImmediate(resolve));
    cluster.leader = 2;
    cluster.frozen = 0;
    for (const append of await Promise.allSettled(appends)) expect(append.status).toBe('rejected');
    expect(performance.now() - began).toBeLessThan(DEADLINE / 2);
    cluster.asked.length = 0;
    await appendUntil(() => cluster.appends.size > 1, patient);
    expect(new Set(cluster.asked)).toEqual(new Set([2]));
    await patient.close();
  });
});

it.each(['follower', 'random', 'readOnlyReplica', 'FOLLOWER'])('%s is no node to read from', (preference) => {
  expect(() => connectionOf(`esdb://a:2113,b:2113?nodePreference=${preference}`)).toThrow(/nodePreference=/);
});

it('a node preference of leader is accepted, because it is always used', () => {
  expect(connectionOf('esdb://a:2113,b:2113?nodePreference=leader')).toMatchObject({ hosts: [{}, {}] });
});

it('a server without TLS is refused immediately if TLS is requested, by the name of the setting', async () => {
  const cluster = new Cluster();
  await cluster.start(1);
  const began = performance.now();
  await expect(
    EventStoreDbLog.open({ url: cluster.url.replace('127.0.0.1', 'localhost').replace('?tls=false', '') }),
  ).rejects.toThrow('EVENTSTORE_URL asks for TLS, which the server does not support: set tls=false');
  // It would try for 30 s.
  expect(performance.now() - began).toBeLessThan(20_000);
  cluster.close();
});
