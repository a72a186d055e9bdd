import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '#platform';
import { copyOf } from '../support/data-folder.js';
import { discardLeftovers, newDataDir, RunningService, type Json } from '../support/running-service.js';

const MAIN = resolve('dist/apps/api/main.js');
const hasShell = ['bash', 'curl', 'sed'].every((name) => spawnSync(name, ['--version']).status === 0);
if (!hasShell)
  process.stderr.write('This machine has no bash, curl or sed: the test of the printed lines (G9) DID NOT RUN.\n');
const withShell = hasShell ? it : it.skip;

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
/** Reads `NAME=value` lines. */
const settings = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

afterAll(discardLeftovers);

describe('the first start', () => {
  const parent = newDataDir();
  const dataDir = join(parent, "data with 'spaces'");
  let service: RunningService;

  const start = (more: Readonly<Record<string, string>> = {}): Promise<RunningService> =>
    RunningService.start({ dataDir, env: { DEMO: 'true', TEST_CLOCK: 'false', ...more } });

  beforeAll(async () => {
    mkdirSync(dataDir);
    service = await start();
  });
  afterAll(async () => {
    await service.stop();
    rmSync(parent, { recursive: true, force: true });
  });

  /** The printed lines for a shell. */
  const lines = (): string =>
    service.printed
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .join('\n');

  it('G1, G9: writes one token for each role and the demo’s credentials and user, in files that only their owner can read', () => {
    for (const name of ['operator.token', 'auditor.token']) {
      expect(readFileSync(join(dataDir, name), 'utf8')).toMatch(/^[\w-]{43}\n$/);
      expect(modeOf(join(dataDir, name))).toBe('600');
    }
    expect(service.operatorToken).not.toBe(service.auditorToken);
    expect(modeOf(join(dataDir, 'demo.env'))).toBe('600');
    const { API_KEY, USER_ID, ...rest } = settings(join(dataDir, 'demo.env'));
    expect(Object.keys(rest)).toEqual(['V3_USERNAME', 'V3_PASSWORD']);
    expect(API_KEY).toMatch(/^[\w-]{43}$/);
    expect(USER_ID).toMatch(/^[0-9a-f]{32}$/);
  });

  it('G9: loads a catalogue: regions, an in-flight deal of every type, a partner, a user', async () => {
    const { API_KEY: key, USER_ID } = settings(join(dataDir, 'demo.env'));
    const listed = await service.look('/v1/deals', key ?? '');
    expect(new Set(listed.body.deals.map(({ type }: Json) => type))).toEqual(
      new Set(['daily-deal', 'on-going', 'affiliate', 'card-linked']),
    );
    expect(new Set(listed.body.deals.map(({ region_name }: Json) => region_name)).size).toBeGreaterThan(1);
    expect((await service.ask('GET', `/users/${USER_ID}`, { key })).status).toBe(200);
    expect((await service.operate('GET', '/partners?count=true')).count).toBe(1);
  });

  it('G9: prints its address, and never a key', () => {
    const { API_KEY = '', V3_PASSWORD = '' } = settings(join(dataDir, 'demo.env'));
    expect(service.printed).toContain(`ready at ${service.url}`);
    for (const secret of [API_KEY, V3_PASSWORD, service.operatorToken, service.auditorToken]) {
      expect(secret).not.toBe('');
      expect(service.printed).not.toContain(secret);
    }
    expect(readFileSync(resolve('README.md'), 'utf8')).toContain(
      lines()
        .split('\n')
        .slice(2)
        .map((line) => line.trim().replaceAll(service.url, 'http://127.0.0.1:3000'))
        .join('\n'),
    );
  });

  withShell('G9: prints lines that buy a deal when pasted into a shell', () => {
    const printed = execFileSync('bash', ['-e', '-c', lines()], { encoding: 'utf8', cwd: '/' });
    const [listed, bought] = printed.split('}{"status"').map((part, n) => (n === 0 ? `${part}}` : `{"status"${part}`));
    expect(JSON.parse(listed ?? '').deals.length).toBeGreaterThan(0);
    const { purchase } = JSON.parse(bought ?? '');
    expect(purchase).toMatchObject({ payment_state: 'charged', fulfillment_state: 'fulfilled', number_bought: 2 });
    expect(purchase.coupons).toHaveLength(2);
  });

  it('G9, G1: is followed by a start that keeps tokens, demo and sales, loads nothing again, and prints the lines again', async () => {
    const before = ['operator.token', 'auditor.token', 'demo.env', 'master.key'].map((name) =>
      readFileSync(join(dataDir, name), 'utf8'),
    );
    const head = async (): Promise<string> => (await service.health()).body.log.head;
    const headBefore = await head();
    const { url } = service;
    await service.stop();
    // Another address would be another form of answers, which the log notes.
    service = await start({ PUBLIC_URL: url });
    const after = ['operator.token', 'auditor.token', 'demo.env', 'master.key'].map((name) =>
      readFileSync(join(dataDir, name), 'utf8'),
    );
    expect(after).toEqual(before);
    expect(await head()).toBe(headBefore);
    expect(lines()).toContain('purchases/reserve');
  });

  let afterOneStart: Promise<string> | undefined;
  const startedOnce = async (): Promise<string> => {
    const once = await RunningService.start();
    await once.stop();
    return once.dataDir;
  };
  it.each(['', 'x', 'half-of-what-it-was'])(
    'G1: a truncated token file stops the next start with its name, and issues no token: %j',
    async (content) => {
      const folder = copyOf(await (afterOneStart ??= startedOnce()));
      const file = join(folder, 'operator.token');
      writeFileSync(file, content);
      await expect(RunningService.start({ dataDir: folder })).rejects.toThrow(`${file} holds no token`);
      rmSync(folder, { recursive: true });
    },
  );

  it('G10: without TEST_CLOCK operators can read the clock, but not move it', async () => {
    const token = service.operatorToken;
    expect((await service.ask('GET', '/operators/clock', { token })).status).toBe(200);
    const answer = await service.ask('PUT', '/operators/clock', { token, body: { now: '2099-01-01T00:00:00Z' } });
    expect([answer.status, answer.text]).toEqual([
      403,
      '{"status":"error","error_type":"update_failed","error_msg":"start the service with TEST_CLOCK=true to move its time"}',
    ]);
    const { now } = await service.operate('GET', '/clock');
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(3_600_000);
  });
});

describe('a start that says it is ready', () => {
  const dataDir = newDataDir();
  let key = '';
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('G11 G1: accepts its tokens, even at the first start', async () => {
    const service = await RunningService.start({ dataDir, unready: true });
    try {
      while ((await service.health()).status !== 200);
      for (const token of [service.operatorToken, service.auditorToken]) {
        expect((await service.ask('GET', '/operators/projections', { token })).status).toBe(200);
      }
      ({ key } = await service.newPartner('acme'));
    } finally {
      await service.stop();
    }
  });

  it.each([1, 2, 3])('G11: says so in print and in health at the same time, and has readable views (%i)', async () => {
    const service = await RunningService.start({ dataDir, unready: true });
    try {
      await service.processes.apis[0]?.waitFor(/is ready at (\S+)/, 240_000);
      const [health, partners, deals] = await Promise.all([
        service.health(),
        service.ask('GET', '/operators/partners?count=true', { token: service.operatorToken }),
        service.ask('GET', '/deals', { key }),
      ]);
      expect([health.status, health.body.status]).toEqual([200, 'success']);
      expect([partners.status, partners.body.count]).toEqual([200, 1]);
      expect([deals.status, deals.text]).toEqual([200, expect.any(String)]);
    } finally {
      await service.stop();
    }
  });
});

describe('a start that may open too few files', () => {
  it.each([64, 128])('G9: stops and prints how many it needs: %i', async (most) => {
    const dataDir = newDataDir();
    const prefix = ['sh', '-c', `ulimit -n ${most}; exec "$@"`, 'sh'];
    await expect(RunningService.start({ dataDir, prefix })).rejects.toThrow(
      `Holdfast did not start: this process may have ${most} files open, and needs 256 at least`,
    );
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('a first start that is killed', () => {
  it.each([0, 1, 2, 5, 20])('G9 G1: after %i appends lets the next start load the whole demo', async (appends) => {
    const dataDir = newDataDir();
    const env = { DEMO: 'true', TEST_CLOCK: 'false' };
    await expect(
      RunningService.start({ dataDir, env: { ...env, SPLIT_APPENDS: 'true', FAILPOINT: `log.append=${appends}` } }),
    ).rejects.toThrow('did not start');
    const service = await RunningService.start({ dataDir, env });
    const { API_KEY = '', USER_ID } = settings(join(dataDir, 'demo.env'));
    expect((await service.ask('GET', '/deals?count=true', { key: API_KEY })).body.count).toBe(4);
    expect((await service.ask('GET', `/users/${USER_ID}`, { key: API_KEY })).status).toBe(200);
    await service.discard();
  });
});

describe('a start without the demo', () => {
  it('G9, G10: leaves it out with DEMO=false; every address begins with PUBLIC_URL; a moved clock stays moved', async () => {
    const dataDir = newDataDir();
    const env = { PUBLIC_URL: 'https://deals.example.com/shop/' };
    let service = await RunningService.start({ dataDir, env });
    try {
      expect(existsSync(join(dataDir, 'demo.env'))).toBe(false);
      expect(service.printed).not.toContain('curl');
      expect((await service.operate('GET', '/partners?count=true')).count).toBe(0);
      const acme = await service.newPartner('acme');
      await service.newDeal('lunch');
      const { deal } = (await service.look('/deals/lunch', acme.key)).body;
      expect(deal).toMatchObject({
        show_url: 'https://deals.example.com/shop/deals/lunch',
        purchase_url: 'https://deals.example.com/shop/deals/lunch/purchase',
        image_url: '/shop/images/deal.jpg?size=medium',
        image_url_abs: 'https://deals.example.com/shop/images/deal.jpg?size=medium',
      });
      await service.forward(86_400 * 400);
      const { now } = await service.operate('GET', '/clock');
      await service.stop();
      service = await RunningService.start({ dataDir, env });
      expect(Date.parse((await service.operate('GET', '/clock')).now)).toBeGreaterThanOrEqual(Date.parse(now));
    } finally {
      await service.discard();
    }
  });
});

describe('a wrong environment', () => {
  it.each([
    ['PORT', ''],
    ['PORT', 'http'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['HOST', ''],
    ['DATA_DIR', ''],
    ['PUBLIC_URL', ''],
    ['PUBLIC_URL', 'deals.example.com'],
    ['PUBLIC_URL', 'ftp://deals.example.com'],
    ['DEMO', 'no'],
    ['TEST_CLOCK', '1'],
    ['TIMERS', 'off'],
    ['SIGNUP_CREDIT', '-5'],
    ['SIGNUP_CREDIT', '1.5'],
    ['ACCESS_TOKENS_SUNSET', '2027-02-30'],
    ['ACCESS_TOKENS_SUNSET', 'soon'],
    ['LOG_LEVEL', 'loud'],
    ['SPLIT_APPENDS', 'x'],
    ['FAILPOINT', 'x'],
    ['MASTER_KEY', ''],
    ['ARGON2_MEMORY', '19455'],
    ['ARGON2_MEMORY', '5000000'],
    ['ARGON2_TIME', '1'],
    ['ARGON2_PARALLELISM', '0'],
    ['ARGON2_PARALLELISM', '256'],
    ['ARGON2_TIME', '2.5'],
  ])('G9: %s=%j is refused by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^Invalid environment: ${name} must be [^;]+\\.$`));
  });

  it('G9: one message names every wrong variable; a variable that is not set has its default', () => {
    expect(() => readConfig({ PORT: 'x', DEMO: 'x' })).toThrow(/PORT .*; DEMO /);
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataDir: './data',
      demo: true,
      testClock: false,
    });
  });

  it('E1 G9: hashing a password never costs less than the minimum, except with the test clock', () => {
    expect(readConfig({}).passwordHashing).toEqual({ memory: 19_456, iterations: 2, parallelism: 1 });
    const cheap = { ARGON2_MEMORY: '64', ARGON2_TIME: '1', ARGON2_PARALLELISM: '1' };
    expect(readConfig({ ...cheap, TEST_CLOCK: 'true' }).passwordHashing).toEqual({
      memory: 64,
      iterations: 1,
      parallelism: 1,
    });
    const dear = { ARGON2_MEMORY: '65536', ARGON2_TIME: '3', ARGON2_PARALLELISM: '4' };
    expect(readConfig(dear).passwordHashing).toEqual({ memory: 65_536, iterations: 3, parallelism: 4 });
    expect(() => readConfig(cheap)).toThrow(
      /^Invalid environment: ARGON2_MEMORY must be at least 19456; ARGON2_TIME must be at least 2\.$/,
    );
  });

  it.each([
    ['ARGON2_MEMORY', '19455'],
    ['PORT', 'http'],
    ['MASTER_KEY', 'short-secret'],
  ])('G9: %s=%j stops the start with one line that names it', async (name, value) => {
    const dataDir = newDataDir();
    try {
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
        env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: dataDir, DEMO: 'false', [name]: value },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code).toBe(1);
      expect(printed).toMatch(new RegExp(`^Holdfast did not start: [^\n]*\\b${name}\\b[^\n]*\n$`));
      if (name === 'MASTER_KEY') expect(printed).not.toContain(value);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
