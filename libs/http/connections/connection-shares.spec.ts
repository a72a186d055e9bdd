import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CONNECTIONS, WAITS } from '#kernel/bounds';
import { Connections } from './connections.js';
import { ConnectionShares } from './connection-shares.js';

/** A connection of a caller, and what they do with it. */
class Caller extends EventEmitter {
  destroyed = false;
  writableLength = 0;
  bytesWritten = 0;
  bytesRead = 0;

  constructor(
    readonly remoteAddress: string,
    readonly remotePort: number,
  ) {
    super();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    queueMicrotask(() => this.emit('close'));
  }
}

const PROXY = '10.0.0.1';

describe('A8: the connections of a service', () => {
  let now: number;
  let port: number;
  let server: Server;
  let connections: Connections;
  let shares: ConnectionShares;

  beforeEach(() => {
    [now, port] = [0, 0];
    server = createServer().removeAllListeners();
    const time = { monotonic: () => now };
    connections = new Connections(server, time);
    shares = new ConnectionShares(connections, { trusts: (address) => address === PROXY }, time);
  });

  function comes(address: string): Caller {
    now += 0.001;
    const caller = new Caller(address, (port += 1));
    server.emit('connection', caller);
    return caller;
  }
  const come = (address: string, count: number): Caller[] => Array.from({ length: count }, () => comes(address));
  const address = (number: number): string => `192.0.${number >> 8}.${number & 0xff}`;
  /** Sends a request that the service answers later. */
  function asks(caller: Caller, answer: Partial<ServerResponse> = {}, whole = true): ServerResponse {
    const response = { writableEnded: false, writableNeedDrain: false, req: { complete: whole }, ...answer };
    server.emit('request', { socket: caller } as unknown as IncomingMessage, response);
    return response as unknown as ServerResponse;
  }
  const isReserved = (caller: Caller): boolean => shares.isReserved(caller as unknown as Socket);

  it('of one address are bounded: a new one replaces the one that has done nothing for the longest time', () => {
    const all = come('192.0.2.1', CONNECTIONS.ofAddress);
    asks(all[0] as Caller);
    const [, second, third] = all;
    // The third one had an answer lately.
    connections.answered(third as unknown as Socket, asks(third as Caller));
    const next = comes('192.0.2.1');
    expect([next.destroyed, second?.destroyed, all.filter(({ destroyed }) => destroyed).length]).toEqual([
      false,
      true,
      1,
    ]);
  });

  it('are not bounded for a trusted proxy, and an IPv6 network counts as one address', () => {
    expect(come(PROXY, 2 * CONNECTIONS.ofAddress).some(({ destroyed }) => destroyed)).toBe(false);
    const ofNetwork = Array.from({ length: CONNECTIONS.ofAddress + 1 }, (_, each) =>
      comes(`2001:db8::${each.toString(16)}`),
    );
    expect(ofNetwork.filter(({ destroyed }) => destroyed)).toHaveLength(1);
  });

  it('are refused if every one of the address has a call under way', () => {
    for (const each of come('192.0.2.1', CONNECTIONS.ofAddress)) asks(each);
    expect(comes('192.0.2.1').destroyed).toBe(true);
    expect(comes('192.0.2.2').destroyed).toBe(false);
  });

  it.each<readonly [string, Partial<ServerResponse>, boolean]>([
    ['does not take their answer', { writableEnded: true }, true],
    ['does not take more of their answer', { writableNeedDrain: true }, true],
    ['does not send the rest of their request', {}, false],
  ])('give way if their caller %s', (_, answer, whole) => {
    for (const each of come('192.0.2.1', CONNECTIONS.ofAddress)) asks(each, answer, whole);
    // Nobody has looked before, so nobody knows yet.
    expect(comes('192.0.2.1').destroyed).toBe(true);
    now += WAITS.pause;
    expect(comes('192.0.2.1').destroyed).toBe(false);
  });

  it('are shared among addresses: when all are taken, the address with the most gives one up', () => {
    const many = come('192.0.2.1', CONNECTIONS.ofAddress);
    const others: Caller[] = [];
    for (let each = 0; others.length < CONNECTIONS.together - many.length; each += 1)
      others.push(...come(address(each), 100));
    const next = comes('198.51.100.1');
    expect([next.destroyed, isReserved(next)]).toEqual([false, false]);
    expect([many.filter(({ destroyed }) => destroyed).length, others.some(({ destroyed }) => destroyed)]).toEqual([
      1,
      false,
    ]);
  });

  it('G11: are reserved for operators and health checks when all others have a call under way', () => {
    for (let each = 0; each < CONNECTIONS.together / 100; each += 1)
      for (const one of come(address(each), 100)) asks(one);
    const reserved = come('198.51.100.1', CONNECTIONS.reserved);
    expect(reserved.every((each) => !each.destroyed && isReserved(each))).toBe(true);
    // One of them that does nothing gives way to the next.
    expect([comes('198.51.100.2').destroyed, reserved[0]?.destroyed]).toEqual([false, true]);
  });
});
