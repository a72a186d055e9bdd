import { once } from 'node:events';
import { createServer, type Http2Server, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { connectionOf } from './connection-string.js';
import { membersKnownTo } from './gossip.js';
import { backwardsRead } from './messages.js';
import { overGrpc } from './node-calls.js';
import { ServerNode } from './server-node.js';

/** The status of gRPC that says that a server does not have a call. */
const UNIMPLEMENTED = '12';

describe('the headers of our calls', () => {
  let server: Http2Server;
  let url: string;
  /** The headers that came, by the path of the call. */
  const came = new Map<string, IncomingHttpHeaders>();

  beforeEach(async () => {
    came.clear();
    // No library of gRPC: it would read them before the test.
    server = createServer();
    server.on('stream', (stream, headers) => {
      came.set(String(headers[':path']), headers);
      const answer = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': UNIMPLEMENTED };
      stream.respond(answer, { endStream: true });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`;
  });
  afterEach(() => {
    server.close();
  });

  it('ask for no compression: KurrentDB packs every answer for whoever allows it (E11)', async () => {
    const connection = connectionOf(url);
    const [host] = connection.hosts;
    if (host === undefined) throw new Error('the URL names a host');
    const node = new ServerNode(connection, host, thisMachine, overGrpc);
    await expect(node.lead(5_000)).rejects.toThrow('UNIMPLEMENTED');
    const subscription = node.read(backwardsRead(undefined, 1), Infinity);
    await new Promise((ended) => subscription.on('error', ended));
    const appends = node.appends();
    await new Promise((ended) => appends.on('error', ended));
    await expect(membersKnownTo(connection, host)).rejects.toThrow('UNIMPLEMENTED');
    node.close();
    const called = [...came.keys()].map((path) => path.split('/').at(-1));
    expect(called.sort()).toEqual(['BatchAppend', 'Read', 'Read']);
    for (const headers of came.values()) {
      expect(headers).toMatchObject({ 'grpc-accept-encoding': 'identity', 'accept-encoding': 'identity' });
      expect(headers).not.toHaveProperty('grpc-encoding');
    }
  });
});
