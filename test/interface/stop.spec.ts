import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WAITS } from '#kernel/bounds';
import { describeAlone } from '../support/alone.js';
import { Authority, hasOpenssl } from '../support/certificates.js';
import { discardLeftovers, RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

if (!hasOpenssl)
  process.stderr.write('openssl is missing on this machine: the tests of a stop with TLS (A3) DID NOT RUN.\n');

const CALLERS = 32;

/** Bytes of a connection until it is closed. */
async function untilClosed(socket: Socket): Promise<string> {
  let received = '';
  socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => (received += ` ${error.code}`));
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

describeAlone('A8: a stop loses no call', () => {
  const folder = tempFolder();
  let authority: Authority;
  let certificate: Readonly<Record<string, string>>;
  let service: RunningService;
  let key: string;

  beforeAll(() => {
    if (!hasOpenssl) return;
    authority = new Authority(folder.path);
    const files = authority.issue('service', 'EC');
    certificate = { TLS_CERT: files.cert, TLS_KEY: files.key };
  });
  afterEach(() => discardLeftovers());
  afterAll(() => folder.remove());

  /** Stops the service. @returns the exit code: 1 if calls were broken off */
  const stop = async (): Promise<number | null | undefined> => service.processes.apis[0]?.end('SIGTERM');
  const port = (): number => Number(new URL(service.url).port);
  const begin = async (options: Parameters<typeof RunningService.start>[0] = {}): Promise<void> => {
    service = await RunningService.start(options);
    ({ key } = await service.newPartner('acme'));
  };
  const head = (line: string, more = ''): string =>
    `${line} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n${more}\r\n`;

  describe.each([
    ['http', true],
    ['https', hasOpenssl],
  ])('over %s', (scheme, isPossible) => {
    const test = isPossible ? it : it.skip;
    const open = async (): Promise<Socket> => {
      const socket =
        scheme === 'https'
          ? connectTls({ port: port(), host: '127.0.0.1', ca: authority.pem })
          : connect(port(), '127.0.0.1');
      await once(socket, scheme === 'https' ? 'secureConnect' : 'connect');
      return socket;
    };

    beforeEach(() =>
      isPossible ? begin(scheme === 'https' ? { ca: authority.pem, env: certificate } : {}) : undefined,
    );

    test('callers who are always on the line get an answer to every call until they get no connection', async () => {
      const ends: Record<string, number> = {};
      const note = (end: string): void => void (ends[end] = (ends[end] ?? 0) + 1);
      const pool = { keepAlive: true, maxSockets: 1 };
      const agents = Array.from({ length: CALLERS }, () =>
        scheme === 'https' ? new TlsAgent({ ...pool, ca: authority.pem }) : new Agent(pool),
      );
      const call = (agent: Agent): Promise<string> =>
        new Promise((resolve) => {
          const send = scheme === 'https' ? tlsRequest : httpRequest;
          const request = send(`${service.url}/deals`, { agent, headers: { 'x-api-key': key } }, (response) => {
            response.resume();
            response.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
            response.on('end', () => resolve(String(response.statusCode)));
          });
          request.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
          request.end();
        });
      // The system itself resets a connection that nobody has accepted yet.
      const connected = new Set<Agent>();
      const callers = agents.map(async (agent) => {
        for (let end = '200'; end === '200';) {
          end = await call(agent);
          note(end);
          connected.add(agent);
        }
        agent.destroy();
      });
      while (connected.size < CALLERS) await pause(10);
      expect(await stop()).toBe(0);
      await Promise.all(callers);
      const { 200: _, ...others } = ends;
      expect(others).toEqual({ ECONNREFUSED: CALLERS });
    });

    test('a call that is under way, and one on an idle connection, are answered, and the answer closes the connection', async () => {
      const [slow, idle, later] = await Promise.all([open(), open(), open()]);
      const body = JSON.stringify({ email: 'ann@example.org' });
      slow.write(head('POST /users', `Content-Length: ${body.length}\r\n`) + body.slice(0, 5));
      idle.write(head('GET /deals'));
      later.write(head('GET /deals'));
      const answers = [slow, idle, later].map(untilClosed);
      await Promise.all([once(idle, 'data'), once(later, 'data')]);
      const stopped = stop();
      await pause(20);
      later.write(head('GET /deals'));
      await pause(500);
      slow.write(body.slice(5));
      const [first, second, third] = await Promise.all(answers);
      expect(await stopped).toBe(0);
      expect(first).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*"user_id"/i);
      expect(second?.match(/HTTP\/1\.1 200 /g)).toHaveLength(1);
      expect(third).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 [^]*connection: close/i);
    });

    test('connections without a call, or with half of one, do not hold it up', async () => {
      const sockets = await Promise.all([open(), open()]);
      sockets[1].write('GET /deals HTTP/1.1\r\nHost');
      const handshake = connect(port(), '127.0.0.1');
      await once(handshake, 'connect');
      const closed = [...sockets, handshake].map(untilClosed);
      // Until the service has accepted them.
      await pause(200);
      expect(await stop()).toBe(0);
      expect(await Promise.all(closed)).toEqual(['', '', '']);
    });
  });

  it('a caller who does not take their answer holds it up for 5 seconds', async () => {
    await begin();
    const address = { street: 'x'.repeat(255), locality: 'x'.repeat(255), latitude: 1, longitude: 2 };
    const locations = Array(200).fill({ address, hours: 'x'.repeat(1_000) });
    for (let n = 0; n < 30; n += 1) await service.newDeal(`large-${n}`, { locations });
    expect((await service.look('/deals', key)).status).toBe(200);
    const socket = connect(port(), '127.0.0.1');
    socket.pause();
    socket.write(head('GET /deals'));
    await pause(500);
    const began = performance.now();
    expect(await stop()).toBe(0);
    expect(performance.now() - began).toBeGreaterThan(WAITS.lastAnswer - 100);
    socket.destroy();
  });
});
