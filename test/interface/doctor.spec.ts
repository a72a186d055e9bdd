import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdfast as run, type Ran, startHoldfast } from '../support/backups.js';
import { findIn, type Canaries } from '../support/canaries.js';
import { cardOf, GOOD_CARD, personOf } from '../support/cards.js';
import { freePort } from '../support/free-port.js';
import { discardLeftovers, type Json, newDataDir, RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

/** What each check says. */
const verdictsOf = ({ out }: Ran): Json =>
  Object.fromEntries(JSON.parse(out).checks.map(({ check, verdict }: Json) => [check, verdict]));

/** Every file of a folder with its content, mode and time. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const { mode, mtimeMs, size } = lstatSync(join(folder, name));
      const isFile = lstatSync(join(folder, name)).isFile();
      const sum = isFile
        ? createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex')
        : '';
      return [name, `${mode} ${isFile ? mtimeMs : ''} ${isFile ? size : ''} ${sum}`];
    }),
  );
}

const EMAIL = 'dotterel.canary@canary-mail.example';
const PERSON = { ...personOf(EMAIL), first_name: 'Dotterelbelle', last_name: 'Dotterelsdottir' };
const CODES = ['CODE-CANARY-DOTTEREL'];

describe('G8.2, G8.3: doctor and describe', () => {
  let service: RunningService;
  let env: Readonly<Record<string, string>>;
  let canaries: Canaries;
  const folder = tempFolder();

  beforeAll(async () => {
    service = await RunningService.start({ ownProcess: true });
    env = { DATA_DIR: service.dataDir, HOLDFAST_URL: service.url, TEST_CLOCK: 'true' };
    const { key } = await service.newPartner('dotterel-partner-canary');
    await service.newDeal('inn', { stock: 1, redemption_code_pool: CODES });
    const bought = await service.ask('POST', '/v1/purchases/full.json', {
      key,
      body: { deal_id: 'inn', quantity: 1, user: PERSON, credit_card: cardOf(GOOD_CARD) },
    });
    expect(bought.status).toBe(200);
    canaries = {
      email: EMAIL,
      first_name: PERSON.first_name,
      last_name: PERSON.last_name,
      card: GOOD_CARD,
      'a code': CODES[0] ?? '',
      'a key': key,
      'an id of a user': bought.body.purchase.user_id,
      'a token': service.operatorToken,
      'another token': service.auditorToken,
      'the master key': readFileSync(join(service.dataDir, 'master.key'), 'utf8').trim(),
      'a partner': 'dotterel-partner-canary',
    };
  });
  afterAll(async () => {
    folder.remove();
    await discardLeftovers();
  });

  it('while the service runs, each check is ok or to be looked at, and the command ends with 0', async () => {
    const ran = await startHoldfast(['doctor', '--json'], env).ended;
    expect([ran.code, ran.err, JSON.parse(ran.out).verdict]).toEqual([0, '', 'look']);
    expect(verdictsOf(ran)).toMatchObject({
      service: 'ok',
      versions: 'ok',
      files: 'ok',
      findings: 'ok',
      views: 'ok',
      work: 'ok',
      room: 'ok',
    });
    expect(verdictsOf(ran)).toMatchObject({ settings: 'look', backup: 'look' });
    const people = await run(['doctor'], env);
    expect(people.out).toMatch(/^ok {5}service +http:\/\/127\.0\.0\.1:\d+ is ready$/m);
    expect(people.out).toMatch(/^look {3}settings +.*TEST_CLOCK is for tests\n +→ Unset TEST_CLOCK/m);
    expect(people.out).toMatch(/\nTo look at: settings, backup\. \(\d\.\d s\)\n$/);
  });

  it('each check has its line in the manual', async () => {
    const { out } = await run(['doctor', '--json'], env);
    const page = readFileSync('docs/operating.md', 'utf8');
    const names = (JSON.parse(out).checks as readonly Json[]).map(({ check }) => check as string);
    expect(names.filter((name) => !page.includes(`| \`${name}\` `))).toEqual([]);
  });

  it('a wrong token is no reason to say nothing', async () => {
    const ran = await run(['doctor', '--json'], { ...env, OPERATOR_TOKEN: 'x'.repeat(40) });
    expect([ran.code, verdictsOf(ran)]).toEqual([0, expect.objectContaining({ service: 'look', findings: 'look' })]);
  });

  it('neither the sales nor the files of a running service change by it', async () => {
    const head = async (): Promise<string> => (await service.health()).body.log.head;
    const before = await head();
    const ends = await Promise.all([1, 2, 3].map(() => run(['doctor', '--json'], env)));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await head()).toBe(before);
  });

  it('describes it without secrets and people', async () => {
    const { code, out, err } = await run(['describe', '--json'], env);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      holdfast: { version: expect.any(String), commit: expect.any(String) },
      node: { version: process.versions.node },
      role: 'all',
      settings: { set: { DATA_DIR: null, TEST_CLOCK: 'true' }, wrong: [] },
      engines: { log: { engine: 'embedded' }, state: { engine: 'embedded' } },
      formats: { build: '1.0' },
      service: { answers: true, ready: true, initialized: true, log: 'writing' },
      log: { events: expect.any(Number) },
      work: { stuck: 0 },
      findings: { codes: [], more: 0 },
      audit: { findings: [] },
      files: expect.arrayContaining([{ name: 'events.db', bytes: expect.any(Number), files: 1 }]),
    });
    expect(JSON.parse(out).views).toContainEqual(
      expect.objectContaining({ view: 'purchases', generation: 1, state: 'live', lag: 0 }),
    );
    expect(findIn('describe', Buffer.from(out), canaries)).toEqual([]);
  });

  it('a secret in each setting, right or wrong, reaches neither', async () => {
    const secret = (name: string): string => `canary-${name}-pelican`;
    const written = {
      EVENTSTORE_URL: `esdb://canary-user-pelican:${secret('log')}@127.0.0.1:1?tls=false&connectionName=${secret('option')}`,
      MONGODB_URL: `mongodb://canary-user-pelican:${secret('mongodb')}@127.0.0.1:1/holdfast?authSource=${secret('source')}`,
      REDIS_URL: `redis://canary-user-pelican:${secret('redis')}@127.0.0.1:1`,
      SMTP_URL: `smtps://canary-user-pelican:${secret('smtp')}@127.0.0.1:1`,
      MAIL_FROM: '"Canary Pelican" <canary.pelican@example.com>',
      SANDBOX_GATEWAY_URL: `http://canary-user-pelican:${secret('gateway')}@127.0.0.1:1/?key=${secret('query')}`,
      PUBLIC_URL: 'https://deals.example.com',
      MASTER_KEY: createHash('sha256').update('pelican').digest('hex'),
      OPERATOR_TOKEN: `canary-token-pelican-${'x'.repeat(30)}`,
      TLS_CERT: '/home/canary-pelican/cert.pem',
      TLS_KEY: '/home/canary-pelican/key.pem',
      BACKUP_DIR: '/home/canary-pelican',
      HOLDFAST_URL: `http://canary-user-pelican:${secret('service')}@127.0.0.1:1/?key=${secret('part')}`,
      PORT: secret('port'),
      LOG_LEVEL: secret('level'),
      ACCEPT: secret('accept'),
      RATE_LIMIT: secret('rate'),
      DKIM_SELECTOR: secret('selector'),
      DECLINES_PER_HOUR: secret('declines'),
    };
    const described = await run(['describe', '--json'], { DATA_DIR: service.dataDir, ...written });
    expect(described.code).toBe(0);
    expect(JSON.parse(described.out).settings.set).toMatchObject({
      EVENTSTORE_URL: 'esdb://127.0.0.1:1',
      MONGODB_URL: 'mongodb://127.0.0.1:1/holdfast',
      REDIS_URL: 'redis://127.0.0.1:1',
      MASTER_KEY: null,
      PORT: null,
    });
    expect(described.out).not.toMatch(/pelican/i);
    expect(findIn('describe', Buffer.from(described.out), { ...canaries, master: written.MASTER_KEY })).toEqual([]);
    const { code, out } = await run(['doctor', '--json'], { DATA_DIR: service.dataDir, ...written });
    expect(code).toBe(1);
    // It names the files of the settings, because somebody must find them; it is for the operator's own eyes.
    const withoutPaths = out.replaceAll(/\/home\/canary-pelican[\w./-]*/g, '');
    expect(withoutPaths.match(/.{60}pelican.{20}/i)).toBeNull();
    expect(findIn('doctor', Buffer.from(out), { ...canaries, master: written.MASTER_KEY })).toEqual([]);
  });

  it('servers that accept connections and say nothing take less than five seconds in all', async () => {
    const silent = await SilentServer.start();
    const at = `127.0.0.1:${silent.port}`;
    const settings = {
      DATA_DIR: join(folder.path, 'none'),
      HOLDFAST_URL: `http://${at}`,
      EVENTSTORE_URL: `esdb://${at}?tls=false`,
      MONGODB_URL: `mongodb://${at}/x`,
      REDIS_URL: `redis://${at}`,
      SANDBOX_GATEWAY_URL: `http://${at}`,
      SMTP_URL: `smtp://${at}?tls=false`,
      MAIL_FROM: 'a@example.com',
      PUBLIC_URL: 'https://a.example',
      MASTER_KEY: 'a'.repeat(64),
    };
    // A busy machine may take the processor away: one of three times must keep to it.
    let ran = await run(['doctor', '--json'], settings);
    for (let more = 2; more > 0 && JSON.parse(ran.out).seconds >= 5; more -= 1)
      ran = await run(['doctor', '--json'], settings);
    await silent.close();
    const unwell = {
      'event log': 'wrong',
      MongoDB: 'wrong',
      Redis: 'wrong',
      gateway: 'wrong',
      'mail server': 'wrong',
      service: 'look',
    };
    expect([ran.code, verdictsOf(ran)]).toEqual([1, expect.objectContaining(unwell)]);
    expect(JSON.parse(ran.out).seconds).toBeLessThan(5);
  });

  it('a file of settings stands in for the environment, and its unknown names are named', async () => {
    const file = join(folder.path, 'holdfast.env');
    writeFileSync(
      file,
      `# the service\nDATA_DIR="${service.dataDir}"\nPORT=${new URL(service.url).port}\nPUBLIC_ULR=x\n`,
    );
    const ran = await run(['doctor', '--json', '--settings', file], {});
    expect([ran.code, verdictsOf(ran)]).toEqual([0, expect.objectContaining({ service: 'ok', settings: 'look' })]);
    expect(ran.out).toContain('PUBLIC_ULR');
    expect((await run(['doctor', '--settings', join(folder.path, 'no.env')], {})).code).toBe(2);
    expect((await run(['doctor', '--colour'], {})).code).toBe(2);
  });

  it('G8.2: on a stopped folder it changes no byte, and says what a start would find', async () => {
    await service.stop();
    const before = contentOf(service.dataDir);
    const ran = await run(['doctor', '--json'], env);
    expect([ran.code, verdictsOf(ran)]).toEqual([
      0,
      expect.objectContaining({ service: 'look', files: 'ok', findings: 'ok', work: 'ok', views: 'ok' }),
    ]);
    const { out } = await run(['describe', '--json'], env);
    expect(JSON.parse(out)).toMatchObject({
      formats: { folder: '1.0' },
      service: { answers: false },
      work: { due: { 'hold-expiry': 0 } },
    });
    expect(JSON.parse(out).views).toContainEqual(
      expect.objectContaining({ view: 'purchases', generation: 1, state: 'kept', lag: 0 }),
    );
    expect(findIn('describe', Buffer.from(out), canaries)).toEqual([]);
    expect(contentOf(service.dataDir)).toEqual(before);
    const broken = join(folder.path, 'broken');
    cpSync(service.dataDir, broken, { recursive: true });
    writeFileSync(join(broken, 'state.db'), '');
    const second = await run(['doctor', '--json'], { ...env, DATA_DIR: broken });
    expect([second.code, verdictsOf(second)]).toEqual([
      1,
      expect.objectContaining({ files: 'wrong', findings: 'wrong' }),
    ]);
    expect(second.out).toContain('state.db is empty');
  });

  it('G8.2: on the folder of a service that was killed it changes no byte either', async () => {
    const again = await RunningService.start({ dataDir: service.dataDir, ownProcess: true });
    await again.newPartner('another');
    await again.kill();
    const [before, ran, after] = [
      contentOf(service.dataDir),
      await run(['doctor', '--json'], env),
      contentOf(service.dataDir),
    ];
    expect([ran.code, verdictsOf(ran)]).toEqual([0, expect.objectContaining({ files: 'ok', findings: 'ok' })]);
    expect(Object.keys(after).filter((name) => name.endsWith('.db-wal')).length).toBeGreaterThan(2);
    expect(after).toEqual(before);
  });

  it('it hinders no service from starting', async () => {
    const looked = new AbortController();
    const looking = (async () => {
      while (!looked.signal.aborted) await run(['doctor', '--json'], env);
    })();
    try {
      for (const ends of ['kill', 'stop', 'kill'] as const) {
        const next = await RunningService.start({ dataDir: service.dataDir, ownProcess: true });
        await next.newPartner(`of-${ends}-${await freePort()}`);
        await next[ends]();
      }
    } finally {
      looked.abort();
      await looking;
    }
  });

  it('a process that has the folder and does not answer is wrong', async () => {
    const hung = await RunningService.start({ dataDir: newDataDir(), ownProcess: true });
    const ran = await run(['doctor', '--json'], {
      DATA_DIR: hung.dataDir,
      HOLDFAST_URL: `http://127.0.0.1:${await freePort()}`,
    });
    expect([ran.code, verdictsOf(ran)]).toEqual([1, expect.objectContaining({ service: 'wrong', files: 'ok' })]);
    await hung.discard();
  });
});

/** A server that accepts connections, and never says a word. */
class SilentServer {
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.#sockets.add(socket.on('error', () => undefined)));
  }

  static async start(): Promise<SilentServer> {
    const server = createServer().listen(0, '127.0.0.1');
    const silent = new SilentServer(server);
    await once(server, 'listening');
    return silent;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
