import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONNECTIONS } from '#kernel/bounds';
import { Authority, hasOpenssl } from '../support/certificates.js';
import { freePort } from '../support/free-port.js';
import { Program } from '../support/program.js';
import { routesOfTheService } from '../support/routes.js';
import { RunningService, type Answer, type AskOptions } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

const routes = await routesOfTheService();

/** An address of this machine that is not loopback. */
const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === 'IPv4')?.address;
if (elsewhere === undefined)
  process.stderr.write('This machine has only loopback addresses: tests of ADMIN_HOST elsewhere DID NOT RUN.\n');

const OF_OPERATORS = /^\/(operators|auditors|metrics|console)\b/;
const OPEN = ['/health/live', '/health/ready', '/openapi.json', '/docs', '/'];

/** The admin address that a start prints. */
const adminOf = (service: RunningService): string => {
  const found = /They call (\S+) \(ADMIN_HOST\)/.exec(service.printed)?.[1];
  if (found === undefined) throw new Error(`no admin address in: ${service.printed}`);
  return found;
};

/** The status and the body of a request with this target, as it stands. */
async function raw(url: string, method: string, path: string, token: string): Promise<readonly [number, string]> {
  const { hostname, port } = new URL(url);
  const request = httpRequest({ host: hostname, port, method, path, headers: { authorization: `Bearer ${token}` } });
  request.end();
  const [response] = await once(request, 'response');
  let body = '';
  for await (const piece of response) body += String(piece);
  return [response.statusCode, body];
}

describe('G11.2: a service with ADMIN_HOST', () => {
  let service: RunningService;
  let admin: string;

  beforeAll(async () => {
    service = await RunningService.start({ env: { ADMIN_HOST: '127.0.0.1:0' } });
    admin = adminOf(service);
  });
  afterAll(() => service.discard());

  const at = (path: string, options: AskOptions = {}): Promise<Answer> =>
    service.ask('GET', path, { at: admin, ...options });

  it('answers what operators and auditors call there, with their tokens alone', async () => {
    for (const [path, token] of [
      ['/operators/clock', service.operatorToken],
      ['/operators/queues', service.auditorToken],
      ['/auditors/verification', service.auditorToken],
    ] as const) {
      expect([path, (await at(path, { token })).status]).toEqual([path, 200]);
      expect([path, (await at(path)).status]).toEqual([path, 401]);
      expect([path, (await at(path, { token: 'wrong' })).status]).toEqual([path, 401]);
    }
    const { operatorToken: token } = service;
    const region = { name: 'Lisbon', time_zone: 'Europe/Lisbon' };
    expect((await service.ask('PUT', '/operators/regions/lisbon', { at: admin, token, body: region })).status).toBe(
      200,
    );
  });

  it('leads to the console from that address alone', async () => {
    const linked = async (options: AskOptions): Promise<boolean> => {
      const { text } = await service.ask('GET', '/', { headers: { accept: 'text/html' }, ...options });
      return text.includes('href="console"');
    };
    expect([await linked({ at: admin }), await linked({})]).toEqual([true, false]);
    const { body } = await service.ask('GET', '/', { headers: { accept: 'application/json' } });
    expect(body).toMatchObject({ console: null, docs: `${service.url}/docs` });
  });

  it('answers none of it at its public address: each call, in any spelling and with a token, is an unknown path', async () => {
    const { operatorToken: token, url } = service;
    const unknown = new Map<string, readonly [number, string]>();
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      unknown.set(method, await raw(url, method, '/nothing', token));
    expect(unknown.get('GET')).toEqual([404, expect.stringContaining('no such path')]);
    const ofOperators = routes
      .map((route) => route.split(' ') as [string, string])
      .filter(([, path]) => OF_OPERATORS.test(path));
    expect(ofOperators.length).toBeGreaterThan(60);
    const others = [
      '/operators',
      '/operators/queues',
      '/operators/queues/static/x.js',
      '/metrics',
      '/console',
      '/console/x',
    ];
    const calls = [...ofOperators, ...others.map((path) => ['GET', path] as [string, string])];
    for (const [method, path] of calls)
      expect([method, path, await raw(url, method, path.replaceAll(/:\w+/g, '1'), token)]).toEqual([
        method,
        path,
        unknown.get(method),
      ]);
    for (const path of ['/operators/clock', '/auditors/events', '/metrics', '/console'])
      for (const spelled of [
        `${path}?x=1`,
        `${path}#x`,
        `${path};x`,
        `${path}/`,
        `${path}.json`,
        `/v1${path}`,
        `/api/v1${path}`,
        `/api/v3${path}`,
        `//x${path}`,
        `/.${path}`,
        `http://127.0.0.1${path}`,
        `HTTP://x${path}?y`,
        path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
        path.replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
        path.replace(/[a-z]/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`),
        path.replace(/^\//, '/%2e/'),
        path.toUpperCase(),
      ]) {
        for (const method of ['GET', 'OPTIONS', 'PUT'])
          expect([spelled, method, await raw(url, method, spelled, token)]).toEqual([
            spelled,
            method,
            unknown.get(method),
          ]);
      }
  });

  it('answers health checks, the reference and the root at both, and partners at the public one alone', async () => {
    for (const path of OPEN)
      for (const url of [service.url, admin])
        expect([url, path, (await service.ask('GET', path, { at: url })).status]).toEqual([url, path, 200]);
    const ofPartners = routes
      .map((route) => route.split(' ') as [string, string])
      .filter(([, path]) => !OF_OPERATORS.test(path) && !OPEN.includes(path));
    expect(ofPartners.length).toBeGreaterThan(40);
    for (const [method, path] of ofPartners) {
      const [status, body] = await raw(admin, method, path.replaceAll(/:\w+/g, '1'), service.operatorToken);
      expect([method, path, status, body]).toEqual([method, path, 404, expect.stringContaining('no such path')]);
    }
  });

  it('shows the details of health to everybody there, and to nobody at the public address', async () => {
    const details = await at('/health/ready');
    expect(details.body).toMatchObject({ status: 'success', log: { state: 'writing' } });
    expect((await at('/health/ready', { token: 'wrong' })).status).toBe(401);
    for (const token of [service.operatorToken, 'wrong', undefined]) {
      const bare = await service.ask('GET', '/health/ready', token === undefined ? {} : { token });
      expect([bare.status, bare.body]).toEqual([200, { status: 'success' }]);
    }
  });

  it('A8: answers operators while callers take all connections of the public address', async () => {
    const { hostname, port } = new URL(service.url);
    const callers = new Set<Socket>();
    const begin = 'POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{';
    /** Fills the address, and lets each caller send a byte: who sends nothing for a second makes room for others. */
    const fill = (): void => {
      for (const caller of callers) caller.write(' ');
      while (callers.size < CONNECTIONS.ofAddress) {
        const caller = connect(Number(port), hostname);
        callers.add(caller);
        caller.on('error', () => undefined).on('close', () => callers.delete(caller));
        caller.write(begin);
      }
    };
    const probe = (): Promise<unknown> =>
      new Promise((resolve) => {
        const request = httpRequest({ host: hostname, port, path: '/health/live', agent: false }, (response) => {
          response.resume().on('end', () => resolve(undefined));
        });
        request.on('error', resolve).end();
      });
    try {
      let refused: unknown;
      for (const end = Date.now() + 30_000; refused === undefined && Date.now() < end;) {
        fill();
        // The call of a new connection begins a little later: until then, it makes room too.
        await pause(200);
        refused = await probe();
      }
      expect(refused).toMatchObject({ code: 'ECONNRESET' });
      fill();
      expect((await at('/operators/clock', { token: service.operatorToken })).status).toBe(200);
    } finally {
      for (const caller of callers) caller.destroy();
    }
  });

  it('names the admin address in print, and says to a command at the other one where to call', async () => {
    expect(service.printed).toContain(`They call ${admin} (ADMIN_HOST): no other address answers them.`);
    const holdfast = async (env: Readonly<Record<string, string>>): Promise<readonly [number | null, string]> => {
      const child = spawn(process.execPath, ['dist/apps/ops/main.js', 'clock', 'show', '--json'], {
        env: { PATH: process.env['PATH'], DATA_DIR: service.dataDir, ...env },
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
      await once(child, 'close');
      return [child.exitCode, printed];
    };
    expect(await holdfast({ ADMIN_HOST: new URL(admin).host })).toEqual([0, expect.stringContaining('"now"')]);
    expect(await holdfast({ HOLDFAST_URL: service.url })).toEqual([
      2,
      expect.stringContaining('If its service has an ADMIN_HOST, name that address with --url or HOLDFAST_URL'),
    ]);
  });

  it('A8: finishes the calls at both addresses at a stop', async () => {
    const other = await RunningService.start({ env: { ADMIN_HOST: '127.0.0.1:0' } });
    const { hostname, port } = new URL(adminOf(other));
    const request = httpRequest({
      host: hostname,
      port,
      method: 'PUT',
      path: '/operators/regions/porto',
      headers: {
        authorization: `Bearer ${other.operatorToken}`,
        'content-type': 'application/json',
        'content-length': 48,
      },
    });
    const body = JSON.stringify({ name: 'Porto', time_zone: 'Europe/Lisbon' }).padEnd(48);
    request.write(body.slice(0, 10));
    await pause(200);
    const stopped = other.processes.apis[0]?.end('SIGTERM');
    await pause(200);
    request.end(body.slice(10));
    const [response] = await once(request, 'response');
    expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
    expect(await stopped).toBe(0);
    await other.discard();
  });
});

describe('G11.2: ADMIN_HOST', () => {
  const folder = tempFolder();
  afterAll(() => folder.remove());

  it.each([
    [
      'the port of another program',
      async (taken: number) => ({ ADMIN_HOST: `127.0.0.1:${taken}` }),
      'set ADMIN_HOST to another port',
    ],
    [
      'the address of PORT',
      async () => ({ ADMIN_HOST: 'localhost:3999', PORT: '3999' }),
      'ADMIN_HOST must have another port than PORT (3999)',
    ],
    [
      'no address of this machine',
      async () => ({ ADMIN_HOST: '192.0.2.1:3999' }),
      'ADMIN_HOST names 192.0.2.1, which is not an address of this machine',
    ],
  ])('is refused before anything is written if it is %s', async (_, env, words) => {
    const taken = await RunningService.start();
    try {
      const settings = await env(Number(new URL(taken.url).port));
      const program = Program.start('apps/api/main.js', {
        PORT: String(await freePort()),
        DATA_DIR: `${folder.path}/none`,
        ...settings,
      });
      expect([await program.ended(), program.printed]).toEqual([1, expect.stringContaining(words)]);
      expect(program.printed).not.toContain('listens at');
    } finally {
      await taken.discard();
    }
  });

  (hasOpenssl && elsewhere !== undefined ? it : it.skip)(
    'A3: has the same certificate, except at a loopback address',
    async () => {
      const authority = new Authority(folder.path);
      const { cert, key } = authority.issue('service', 'EC');
      const tls = { TLS_CERT: cert, TLS_KEY: key };
      const far = await RunningService.start({ env: { ...tls, ADMIN_HOST: `${elsewhere}:0` }, ca: authority.pem });
      try {
        expect(adminOf(far)).toMatch(`https://${elsewhere}:`);
      } finally {
        await far.discard();
      }
      const near = await RunningService.start({ env: { ...tls, ADMIN_HOST: '127.0.0.1:0' }, ca: authority.pem });
      try {
        const admin = adminOf(near);
        expect(admin).toMatch('http://127.0.0.1:');
        expect((await raw(admin, 'GET', '/operators/clock', near.operatorToken))[0]).toBe(200);
      } finally {
        await near.discard();
      }
    },
  );

  (elsewhere === undefined ? it.skip : it)(
    'A3: refuses plain HTTP from elsewhere, and shows no details of health',
    async () => {
      const service = await RunningService.start({ env: { ADMIN_HOST: `${elsewhere}:0` } });
      try {
        const admin = adminOf(service);
        expect(service.printed).toContain('ADMIN_HOST: Plain HTTP works only at a loopback address');
        const asked = (path: string): Promise<Answer> =>
          service.ask('GET', path, { at: admin, token: service.operatorToken });
        expect((await asked('/operators/clock')).body).toMatchObject({ error_type: 'https_required' });
        expect((await asked('/metrics')).body).toMatchObject({ error_type: 'https_required' });
        expect((await asked('/health/ready')).body).toEqual({ status: 'success' });
      } finally {
        await service.discard();
      }
    },
  );
});
