import http2 from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStoreDbLog } from '#adapters/eventstoredb';
import { thisMachine } from '#adapters/machine';
import { AppendOutcomeUnknown, findingOf, NO_STREAM } from '#eventsourcing';
import type { Position } from '#kernel';
import { type Check, LogGuard, WatchedLog } from '#ownership';
import { EventStoreDbDouble } from '../../../test/support/eventstoredb/server.js';
import { Http2Proxy } from '../../../test/support/http2-proxy.js';
import { numbered } from '../../../test/support/numbered.js';
import { TcpRouter } from '../../../test/support/tcp-router.js';
import { ServerConnection } from './client.js';
import { type AppendCall, type Dial, overGrpc } from './node-calls.js';

let double: EventStoreDbDouble;
let log: EventStoreDbLog;
let broken: number;

beforeEach(async () => {
  double = await EventStoreDbDouble.start();
  broken = 0;
});

afterEach(async () => {
  await log.close();
  double.close();
});

describe('the connection for appends', () => {
  beforeEach(async () => {
    log = await EventStoreDbLog.open({ url: double.url, onBroken: () => (broken += 1) });
  });

  /** What a check of the log does. */
  async function check(): Promise<void> {
    const connection = await log.connect();
    connection.allow();
  }
  async function untilBroken(): Promise<void> {
    while (broken === 0) await pause(10);
  }
  async function replaceServer(): Promise<void> {
    await double.control.stop();
    await double.control.start();
  }

  it('is any one until the log is checked', async () => {
    await log.append([numbered('deal-1', NO_STREAM, 1)]);
    await replaceServer();
    const append = numbered('deal-1', 0, 2);
    // The first try may still use the connection that has just ended.
    const [written] = await log.append([append]).catch(() => log.append([append]));
    expect(written).toMatchObject({ kind: 'written' });
  });

  it('is reported when it breaks, although nobody waits for an answer and nobody follows the log', async () => {
    await check();
    await check();
    await replaceServer();
    await untilBroken();
    expect(broken).toBe(1);
  });

  it('carries no append if it is newer than the last check', async () => {
    await check();
    await log.append([numbered('deal-1', NO_STREAM, 1)]);
    const end = await double.control.end();
    await log.append([numbered('deal-1', 0, 2)]);
    await double.control.restore(end);
    const before = double.appends.count;
    const append = numbered('deal-1', 0, 3);
    // The server is there and would take it.
    await expect(log.append([append])).rejects.toThrow(AppendOutcomeUnknown);
    await expect(log.append([append])).rejects.toThrow(/the log behind it is checked first/);
    expect(double.appends.count).toBe(before);
    expect(await log.readStream('deal-1', 1, 1)).toEqual([]);
    await check();
    expect(await log.append([append])).toMatchObject([{ kind: 'written', revision: 1 }]);
  });

  it('is not allowed by a check that began with another one', async () => {
    const connection = await log.connect();
    await replaceServer();
    await untilBroken();
    await log.connect();
    connection.allow();
    await expect(log.append([numbered('deal-1', NO_STREAM, 1)])).rejects.toThrow(/checked first/);
  });

  it('is not reported when the log is closed', async () => {
    await check();
    await log.close();
    expect(broken).toBe(0);
  });

  it('cannot be opened without a server', async () => {
    await check();
    double.close();
    await untilBroken();
    await expect(log.connect()).rejects.toMatchObject({ name: 'Unavailable' });
    double = await EventStoreDbDouble.start();
  });
});

describe('under a guard, the connection for appends', () => {
  let guard: LogGuard;
  let watched: WatchedLog;
  /** The last event that the service knows. */
  let known: Position;
  let calls: AppendCall[];
  let checks: number;
  let told: string[];
  /** Whether somebody on the way ends each new call for appends. */
  let endsCalls: boolean;
  let failsReads: boolean;

  const dial: Dial = (connection, host) => {
    const node = overGrpc(connection, host);
    return {
      ...node,
      batchAppend(metadata, options) {
        const call = node.batchAppend(metadata, options);
        calls.push(call);
        if (endsCalls) setImmediate(() => call.cancel());
        return call;
      },
      read(request, metadata, options) {
        const call = node.read(request, metadata, options);
        if (failsReads) setImmediate(() => call.cancel());
        return call;
      },
    };
  };
  const check: Check = async (connection) => {
    checks += 1;
    if (connection === undefined) throw new Error('the check has no connection');
    const isThere = (await connection.record()) !== undefined && (known === 0n || (await connection.eventAt(known)));
    return isThere ? [] : [findingOf('mark', 'the log ends before its last known event', [])];
  };
  async function open(url: string): Promise<void> {
    log = await EventStoreDbLog.on(new ServerConnection(url, undefined, dial), {
      url,
      onBroken() {
        broken += 1;
        guard.doubt();
      },
      onError: (error) => told.push(String(error)),
    });
    guard = new LogGuard({
      connect: () => log.connect(),
      check,
      accepted: new Set(),
      notice: () => undefined,
      time: thisMachine.time,
    });
    watched = new WatchedLog(log, guard, ({ position }) => (known = position), thisMachine.time);
    await guard.begin(check);
  }
  /** Ends the last call for appends, as a proxy does that ends idle calls. */
  async function breakCall(): Promise<void> {
    const before = broken;
    calls.at(-1)?.cancel();
    while (broken === before) await pause(1);
  }

  beforeEach(() => {
    [known, calls, checks, told, endsCalls, failsReads] = [0n, [], 0, [], false, false];
  });
  afterEach(() => guard.close());

  /** The revisions of a stream at a server. */
  const revisionsAt = async (server: EventStoreDbDouble, stream: string): Promise<readonly number[]> =>
    (await server.control.events(stream)).map(({ revision }) => revision);

  it('is replaced by a check when it breaks, and no append notices', async () => {
    await open(double.url);
    await breakCall();
    expect(await watched.append([numbered('deal-1', NO_STREAM, 1)])).toMatchObject([{ kind: 'written' }]);
    expect([checks, watched.stalled]).toEqual([2, false]);
  });

  it('is reported each time that it breaks', async () => {
    await open(double.url);
    for (let times = 1; times <= 3; times += 1) {
      await breakCall();
      await guard.passed();
      await log.probe();
      expect([broken, checks]).toEqual([times, times + 1]);
    }
  });

  it('is not checked again and again without a pause if it ends at once, and the log says so', async () => {
    await open(double.url);
    endsCalls = true;
    await breakCall();
    await pause(500);
    expect(calls.length).toBeLessThan(10);
    expect([guard.open, guard.uncertain]).toEqual([false, true]);
    expect(told.join()).toMatch(/Cancelled on client/);
    endsCalls = false;
    expect(await watched.append([numbered('deal-1', NO_STREAM, 1)])).toMatchObject([{ kind: 'written' }]);
  });

  it('leads to the server that the check asks, although older connections lead to another one', async () => {
    const router = await TcpRouter.start(Number(new URL(double.url).port));
    const copy = await EventStoreDbDouble.start();
    await open(`esdb://127.0.0.1:${router.port}?tls=false`);
    await watched.append([numbered('deal-1', NO_STREAM, 1)]);
    // A read of a stream has a connection of its own.
    expect(await watched.readStream('deal-1', 0, 1)).toHaveLength(1);
    copy.replace(double.store.entriesBefore(await double.control.end()));
    await watched.append([numbered('deal-2', NO_STREAM, 1)]);
    router.target = Number(new URL(copy.url).port);
    await breakCall();
    await expect(watched.append([numbered('deal-1', 0, 2)])).rejects.toThrow('needs an operator');
    expect(await revisionsAt(copy, 'deal-1')).toEqual([0]);
    router.close();
    copy.close();
  });

  // Then reads would use a new connection, and a check would reach another server than appends.
  it('ends when it takes no more calls: a proxy leads new ones to another server', async () => {
    const moved = await EventStoreDbDouble.start();
    const proxy = await Http2Proxy.start(double.port);
    await open(`esdb://127.0.0.1:${proxy.port}?tls=false`);
    await watched.append([numbered('deal-1', NO_STREAM, 1)]);
    moved.replace(double.store.entriesBefore(await double.control.end()));
    proxy.lead(moved.port, { drains: true });
    while (broken === 0) await pause(1);
    await watched.append([numbered('deal-2', NO_STREAM, 1)]);
    expect([await revisionsAt(double, 'deal-2'), await revisionsAt(moved, 'deal-2')]).toEqual([[], [0]]);
    proxy.close();
    moved.close();
  });

  it('carries no append to a server that no check has reached, if a proxy changes between the connection and the check', async () => {
    const older = await EventStoreDbDouble.start();
    const proxy = await Http2Proxy.start(double.port);
    await open(`esdb://127.0.0.1:${proxy.port}?tls=false`);
    older.replace(double.store.entriesBefore(await double.control.end()));
    await watched.append([numbered('deal-1', NO_STREAM, 1)]);
    proxy.lead(older.port, { drains: false });
    proxy.answered = {
      path: '/BatchAppend',
      call() {
        proxy.answered = undefined;
        proxy.lead(double.port, { drains: true });
      },
    };
    await breakCall();
    await guard.passed().catch(() => undefined);
    await watched.append([numbered('deal-2', NO_STREAM, 1)]).catch(() => undefined);
    expect(await revisionsAt(older, 'deal-2')).toEqual([]);
    proxy.close();
    older.close();
  });

  it('lives on when a question fails', async () => {
    await open(double.url);
    await double.control.set({ latency: 300 });
    const written = watched.append([numbered('deal-1', NO_STREAM, 1)]);
    await pause(50);
    failsReads = true;
    await expect(log.head()).rejects.toMatchObject({ name: 'Unavailable' });
    failsReads = false;
    expect(await written).toMatchObject([{ kind: 'written' }]);
    expect(calls).toHaveLength(1);
  });

  it('carries no lease if it is newer than the last check, also when the guard is closed', async () => {
    await open(double.url);
    await log.lease.writeLease(NO_STREAM, { holder: undefined, marked: 1n });
    guard.close();
    await breakCall();
    await expect(log.lease.writeLease(0, { holder: undefined, marked: 2n })).rejects.toThrow(/checked first/);
    expect(await log.lease.readLease()).toMatchObject({ marked: 1n });
  });

  it('is reported when an append finds that it is not an allowed one', async () => {
    await open(double.url);
    guard.close();
    await breakCall();
    await log.connect();
    expect(broken).toBe(1);
    await expect(log.append([numbered('deal-1', NO_STREAM, 1)])).rejects.toThrow(/checked first/);
    expect(broken).toBe(2);
  });

  it('logs nothing when the log is closed during a check', async () => {
    await open(double.url);
    await double.control.set({ latency: 100 });
    await breakCall();
    guard.close();
    await log.close();
    await pause(200);
    expect(told).toEqual([]);
  });
});

describe('a call for appends', () => {
  /** A server that ends: it answers reads, and gives back the call for appends that it has not begun to serve. */
  async function endingServer(): Promise<{ readonly server: http2.Http2Server; readonly giveBack: () => void }> {
    let giveBack = (): void => undefined;
    const server = http2.createServer().on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      if (String(headers[':path']).endsWith('/Read')) {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' }, { endStream: true });
        return;
      }
      giveBack = () => {
        stream.session?.goaway(0, 1);
        stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
      };
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, giveBack: () => giveBack() };
  }

  it('does not begin again at another server', async () => {
    log = await EventStoreDbLog.open({ url: double.url });
    const { server, giveBack } = await endingServer();
    const router = await TcpRouter.start((server.address() as AddressInfo).port);
    const client = new ServerConnection(`esdb://127.0.0.1:${router.port}?tls=false`);
    const connection = await client.appendConnection();
    await pause(50);
    router.target = Number(new URL(double.url).port);
    const before = double.appends.count;
    giveBack();
    while (!connection.ended.aborted) await pause(1);
    const event = { id: thisMachine.randomness.uuid(), type: 'numbered.v1', data: {} };
    await expect(client.append('deal-1', NO_STREAM, [event], connection)).rejects.toThrow();
    expect(double.appends.count).toBe(before);
    await client.close();
    router.close();
    server.close();
  });
});
