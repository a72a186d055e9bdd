import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AppendExpectedRevision,
  ErrorType,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
} from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RunningDouble } from '../running-double.js';
import { onlyOnTheDouble } from './server-under-test.js';
import { ClusterDouble, type ClusterOptions } from './cluster.js';

type Call = { readonly requiresLeader?: boolean; readonly deadline?: number };

onlyOnTheDouble('a cluster of doubles', () => {
  let cluster: ClusterDouble;
  let clients: EventStoreDBClient[];
  const start = async (options: ClusterOptions = {}): Promise<void> => {
    cluster = await ClusterDouble.start({ election: [50, 100], frozenElection: [300, 400], step: 100, ...options });
  };
  beforeEach(() => {
    clients = [];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.dispose()));
    cluster.close();
  });

  const connected = (url = cluster.url): EventStoreDBClient => {
    const client = EventStoreDBClient.connectionString(url);
    clients.push(client);
    return client;
  };
  const clientOf = async (index: number): Promise<EventStoreDBClient> => connected(await cluster.control.urlOf(index));
  const append = (
    client: EventStoreDBClient,
    stream: string,
    expectedRevision: AppendExpectedRevision,
    call: Call & { readonly id?: string } = {},
  ) => {
    const { id = randomUUID(), ...others } = call;
    return client.appendToStream(stream, jsonEvent({ id, type: 'happened', data: {} }), {
      expectedRevision,
      ...others,
    });
  };
  const idsOf = async (client: EventStoreDBClient, stream: string, call: Call = {}): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { event } of client.readStream(stream, call)) ids.push(String(event?.id));
    return ids;
  };
  const leader = async (): Promise<number> => {
    for (;;) {
      const index = await cluster.control.leader();
      if (index !== undefined) return index;
      await pause(5);
    }
  };
  const follower = async (): Promise<number> => ((await leader()) + 1) % 3;
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await pause(5);
  };
  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('can be found through any of its hosts, and every node soon has each append', async () => {
    await start();
    const { position } = await append(connected(), 'deal-1', NO_STREAM);
    const last = (index: number) => cluster.nodes[index]?.server.store.all.at(-1);
    await until(() => [0, 1, 2].every((index) => last(index)?.stream === 'deal-1'));
    for (const index of [0, 1, 2]) expect(BigInt(last(index)?.position ?? 0)).toBe(position?.commit);
  });

  it('without a leader fails the first append of a client, and all its later ones for ever', async () => {
    await start();
    await cluster.control.noLeader(300_000);
    const client = connected();
    const error = await failureOf(append(client, 'deal-1', NO_STREAM));
    expect(error).toMatchObject({ message: 'Failed to discover after 10 attempts.' });
    expect(error).not.toHaveProperty('code');
    expect(error).not.toHaveProperty('type');
    await cluster.control.noLeader(10);
    await leader();
    expect(await failureOf(append(client, 'deal-1', NO_STREAM))).toBe(error);
    expect(await failureOf(idsOf(client, 'deal-1'))).toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
    expect(await append(connected(), 'deal-1', NO_STREAM)).toMatchObject({ success: true });
  });

  it("takes appends at any node, with the leader's positions, repeats and conflicts", async () => {
    await start();
    const [own, id] = [await clientOf(await follower()), randomUUID()];
    const first = await append(own, 'deal-1', NO_STREAM, { id });
    expect(await append(own, 'deal-1', NO_STREAM, { id })).toEqual(first);
    expect(await failureOf(append(own, 'deal-1', NO_STREAM))).toMatchObject({ actualVersion: 0n });
    expect(await idsOf(await clientOf(await leader()), 'deal-1')).toEqual([id]);
  });

  it('reads at a follower what is as old as its lag', async () => {
    await start();
    const behind = await follower();
    await cluster.control.lag(behind, 300_000);
    const [own, id] = [await clientOf(behind), randomUUID()];
    await append(own, 'deal-1', NO_STREAM, { id });
    expect(await failureOf(idsOf(own, 'deal-1'))).toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
    await cluster.control.lag(behind, 0);
    expect(await idsOf(own, 'deal-1')).toEqual([id]);
  });

  it('sends callers that require the leader from a follower to the leader', async () => {
    await start();
    const [behind, ahead] = [await follower(), await leader()];
    const { server } = cluster.nodes[ahead] ?? {};
    const refused = { type: ErrorType.NOT_LEADER, leader: { address: '127.0.0.1', port: server?.advertised } };
    const requiresLeader = true;
    await cluster.control.lag(behind, 60_000);
    expect(await failureOf(idsOf(await clientOf(behind), 'deal-1', { requiresLeader }))).toMatchObject(refused);
    expect(await failureOf(append(await clientOf(behind), 'deal-1', NO_STREAM, { requiresLeader }))).toMatchObject(
      refused,
    );
    const subscription = (await clientOf(behind)).subscribeToAll({ requiresLeader });
    expect(await once(subscription, 'error').catch((error: unknown) => [error])).toMatchObject([refused]);
    // The client follows the address.
    const client = await clientOf(behind);
    await failureOf(append(client, 'deal-1', NO_STREAM, { requiresLeader }));
    await append(client, 'deal-1', NO_STREAM, { requiresLeader });
    expect(await idsOf(client, 'deal-1', { requiresLeader })).toHaveLength(1);
  });

  it('is not ready without a leader: it refuses writes and calls that require the leader, and serves other reads', async () => {
    await start();
    const client = await clientOf(1);
    await append(client, 'deal-1', NO_STREAM);
    await until(() => cluster.nodes[1]?.server.store.all.at(-1)?.stream === 'deal-1');
    await cluster.control.noLeader(3_000);
    expect(await failureOf(append(client, 'deal-1', 0n))).toMatchObject({
      type: ErrorType.UNKNOWN,
      message: 'Could not recognize Server Is Not Ready',
    });
    expect(await failureOf(idsOf(await clientOf(1), 'deal-1', { requiresLeader: true }))).toMatchObject({
      type: ErrorType.UNAVAILABLE,
      code: 14,
    });
    expect(await idsOf(client, 'deal-1')).toHaveLength(1);
    await leader();
    expect(await append(client, 'deal-1', 0n)).toMatchObject({ success: true });
  });

  it.each(['kill', 'freeze'] as const)(
    'keeps everything that it acknowledged after a %s of its leader',
    async (how) => {
      await start({ latency: 2 });
      const [old, acknowledged] = [await leader(), new Set<string>()];
      const client = await clientOf(old);
      await append(client, 'first', NO_STREAM);
      let over = false;
      // Some of them are under way at any time.
      const appends = Array.from({ length: 20 }, async (_, index) => {
        while (!over) {
          const id = randomUUID();
          await append(client, `deal-${index % 7}`, 'any', { id }).then(
            () => acknowledged.add(id),
            () => undefined,
          );
        }
      });
      while (acknowledged.size < 50) await pause(1);
      over = true;
      await cluster.control[how](old);
      if (how === 'kill') await Promise.all(appends);
      const others = connected();
      while ((await leader()) === old) await pause(10);
      expect(await leader()).not.toBe(old);
      const ids = new Set((await cluster.control.events()).map(({ id }) => id));
      for (const id of acknowledged) expect(ids).toContain(id);
      await append(others, 'second', NO_STREAM);
      if (how === 'freeze') await cluster.control.thaw(old);
      else await cluster.control.revive(old);
      if (how === 'freeze') await Promise.all(appends);
      const logs = (): readonly string[] =>
        cluster.nodes.map(({ server }) => server.store.all.map(({ id, position }) => `${id} ${position}`).join('\n'));
      await until(() => new Set(logs()).size === 1);
      expect(new Set(logs()).size).toBe(1);
    },
  );

  it('breaks calls under way at a killed leader, and refuses connections until it is revived', async () => {
    await start({ latency: 300 });
    const old = await leader();
    const client = await clientOf(old);
    await append(client, 'first', NO_STREAM);
    const underWay = failureOf(append(client, 'deal-1', NO_STREAM));
    await pause(10);
    await cluster.control.kill(old);
    expect(await underWay).toMatchObject({ code: 14 });
    expect(await failureOf(append(client, 'deal-1', NO_STREAM))).toMatchObject({ code: 14 });
    expect((await cluster.control.members())[old]).toMatchObject({ state: 'dead' });
    await leader();
    await cluster.control.revive(old);
    expect(await append(client, 'deal-1', NO_STREAM)).toMatchObject({ success: true });
  });

  it('trusts a frozen leader for a while: appends through other nodes run into a deadline', async () => {
    await start();
    const [old, client] = [await leader(), await clientOf(await follower())];
    await append(client, 'first', NO_STREAM);
    await cluster.control.freeze(old);
    expect(await failureOf(append(client, 'deal-1', NO_STREAM, { deadline: 100 }))).toMatchObject({
      type: ErrorType.DEADLINE_EXCEEDED,
    });
    while ((await leader()) === old) await pause(10);
    expect(await append(client, 'deal-1', NO_STREAM)).toMatchObject({ success: true });
  });

  it('keeps connections and subscriptions when its leader resigns', async () => {
    await start();
    const old = await leader();
    const client = connected();
    await append(client, 'first', NO_STREAM);
    const subscription = client.subscribeToAll({ requiresLeader: true });
    const seen: string[] = [];
    subscription.on('data', ({ event }) => seen.push(String(event?.streamId)));
    await once(subscription, 'caughtUp');
    await cluster.control.resign();
    expect(await leader()).not.toBe(old);
    await append(client, 'second', NO_STREAM);
    await until(() => seen.length > 2);
    expect(seen).toEqual(['$settings', 'first', 'second']);
    expect(cluster.nodes[old]?.server.reads.open.size).toBe(1);
    await subscription.unsubscribe();
  });

  it('does not elect a node while another one lags less', async () => {
    await start();
    const [old, behind] = [await leader(), await follower()];
    await cluster.control.lag(behind, 60_000);
    for (let tries = 0; tries < 5; tries += 1) {
      await cluster.control.resign();
      expect(await leader()).not.toBe(behind);
    }
    expect([0, 1, 2]).toContain(old);
  });

  it('has no leader without a quorum', async () => {
    await start();
    const old = await leader();
    await cluster.control.kill((old + 1) % 3);
    await cluster.control.kill((old + 2) % 3);
    await pause(300);
    expect(await cluster.control.leader()).toBeUndefined();
    await cluster.control.revive((old + 1) % 3);
    expect(await append(await clientOf(await leader()), 'deal-1', NO_STREAM)).toMatchObject({ success: true });
  });

  it('has a former leader that comes back, shows its unreplicated events, and removes them', async () => {
    await start();
    const [lost, other] = [randomUUID(), randomUUID()];
    await append(connected(), 'deal-1', NO_STREAM);
    const died = cluster.control.dieOfNext();
    const client = await clientOf(await leader());
    expect(await failureOf(append(client, 'deal-1', 0n, { id: lost }))).toMatchObject({ code: 14 });
    const old = await died;
    expect(await leader()).not.toBe(old);
    const { position } = await append(await clientOf(await leader()), 'deal-1', 0n, { id: other });
    await cluster.control.revive(old);
    // The client of that node alone.
    const subscription = (await clientOf(old)).subscribeToAll();
    const seen: unknown[] = [];
    subscription.on('data', ({ event }) => {
      if (event !== undefined) seen.push([event.id, event.position.commit]);
    });
    await once(subscription, 'error').catch(() => undefined);
    expect(seen.at(-1)).toEqual([lost, position?.commit]);
    const right = await idsOf(await clientOf(await leader()), 'deal-1');
    const [former, has] = [await clientOf(old), JSON.stringify(right)];
    while (JSON.stringify(await idsOf(former, 'deal-1').catch(() => undefined)) !== has) await pause(20);
    expect((await cluster.control.events('deal-1')).map(({ id }) => id)).not.toContain(lost);
  });

  it('can be given an older copy like a single server', async () => {
    await start();
    await append(connected(), 'deal-1', NO_STREAM);
    const older = await cluster.control.end();
    await append(connected(), 'deal-1', 0n);
    await cluster.control.restore(older);
    await leader();
    expect(await append(connected(), 'deal-1', 0n)).toMatchObject({ nextExpectedRevision: 1n });
    await cluster.control.softDelete('deal-1');
    for (const index of [0, 1, 2]) {
      const client = await clientOf(index);
      let failure: unknown;
      while (failure === undefined) failure = await failureOf(idsOf(client, 'deal-1'));
      expect(failure).toMatchObject({ type: ErrorType.STREAM_NOT_FOUND });
    }
  });

  it('can be a process of its own', async () => {
    const running = await RunningDouble.startCluster('--election=20,40');
    const client = connected(running.url);
    await append(client, 'deal-1', NO_STREAM);
    const old = await running.control.leader();
    await running.control.kill(Number(old));
    while ((await running.control.leader()) === undefined) await pause(5);
    expect(await append(connected(running.url), 'deal-1', 0n)).toMatchObject({ success: true });
    expect(await running.control.members()).toHaveLength(3);
    await running.kill();
    await start();
  });
});
