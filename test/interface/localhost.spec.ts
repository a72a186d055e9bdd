import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from '@jest/globals';
import { RunningService } from '../support/running-service.js';

const IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');
if (!IPV6)
  process.stderr.write('This machine has no ::1: the test of HOST=localhost with two addresses DID NOT RUN.\n');

/** Gives `localhost` both addresses, as /etc/hosts on many machines does. */
const BOTH = `
  import dns, { promises } from 'node:dns';
  import { syncBuiltinESMExports } from 'node:module';
  const found = [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }];
  const ordered = ({ order }) => (order === 'ipv4first' ? found.toReversed() : found);
  const { lookup } = dns;
  dns.lookup = (host, options, done) => {
    if (host !== 'localhost') return lookup(host, options, done);
    const [first] = ordered(options);
    return options.all ? done(null, found) : done(null, first.address, first.family);
  };
  const later = promises.lookup;
  promises.lookup = async (host, options) => (host === 'localhost' ? ordered(options)[0] : later(host, options));
  syncBuiltinESMExports();`;

/** The whole answer to these bytes; undefined when nothing listens. */
async function answerOf(address: string, port: number, bytes: string): Promise<string | undefined> {
  const socket = connect(port, address);
  const broken = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
  const failed = await Promise.race([once(socket, 'connect').then(() => undefined), broken]);
  if (failed?.code === 'ECONNREFUSED') return undefined;
  let answer = '';
  socket.on('data', (piece: Buffer) => (answer += piece.toString()));
  socket.write(bytes);
  await Promise.race([once(socket, 'close'), broken]);
  return answer;
}

(IPV6 ? it : it.skip)(
  'A3, A8: HOST=localhost listens on one address, 127.0.0.1 if there is one, and never without our limits',
  async () => {
    const preload = `--import=data:text/javascript,${encodeURIComponent(BOTH)}`;
    const service = await RunningService.start({ env: { HOST: 'localhost', NODE_OPTIONS: preload } });
    const port = Number(new URL(service.url).port);
    expect(service.url).toBe(`http://localhost:${port}`);
    const many = `GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'x: y\r\n'.repeat(200)}\r\n`;
    const tunnel = 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere:443\r\n\r\n';
    for (const [bytes, status] of [
      [many, 431],
      [tunnel, 405],
      ['GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\nConnection: close\r\n\r\n', 417],
    ] as const) {
      const here = await answerOf('127.0.0.1', port, bytes);
      expect(here).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\nrequest-id: \\S{16,}`, 'i'));
      expect(await answerOf('::1', port, bytes)).toBeUndefined();
    }
    expect((await service.ask('GET', '/health/live')).status).toBe(200);
    await service.discard();
  },
);
