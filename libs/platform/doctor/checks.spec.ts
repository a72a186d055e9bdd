import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { emptyManifest, FileSeal, manifestText } from '#backup';
import { DAY } from '#kernel';
import { Authority, hasOpenssl } from '../../../test/support/certificates.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { VARIABLE_NAMES } from '../variables.js';
import { checkBackup } from './checks/backup.check.js';
import { checkCertificate } from './checks/certificate.check.js';
import { checkClocks } from './checks/clocks.check.js';
import { checkDkim } from './checks/dkim.check.js';
import { checkEnds } from './checks/ends.check.js';
import { checkErasures } from './checks/erasures.check.js';
import { checkRoom } from './checks/folder.checks.js';
import { checkLog, checkRedis } from './checks/servers.checks.js';
import { checkAudit, checkFindings, checkService, checkViews, checkWork } from './checks/service.checks.js';
import { checkSettings } from './checks/settings.check.js';
import type { Looks } from './looks.js';
import type { Details } from './service-look.js';
import { lookAtSettings, unknownNames } from './settings-look.js';
import type { Result } from './verdict.js';

const folder = tempFolder();
afterAll(() => folder.remove());

const NOW = Date.UTC(2026, 10, 28, 3);
const nothing = <T>(): Promise<T> => {
  const never = Promise.reject(new Error('nobody answers'));
  never.catch(() => undefined);
  return never;
};

/** The looks of an installation of which only this is known. */
function looksOf(environment: Readonly<Record<string, string>>, found: Partial<Looks> = {}): Looks {
  return {
    environment,
    machine: thisMachine,
    settings: lookAtSettings({ DATA_DIR: folder.path, ...environment }),
    folder: { rights: nothing(), room: nothing(), files: nothing(), kept: nothing() },
    asked: {
      url: 'http://127.0.0.1:3000',
      shown: 'http://127.0.0.1:3000',
      token: undefined,
      noToken: 'there is none',
      certificate: undefined,
    },
    service: nothing(),
    log: undefined,
    mongo: undefined,
    redis: undefined,
    gateway: undefined,
    mail: undefined,
    lookUp: () => nothing(),
    unknown: [],
    now: NOW,
    ...found,
  };
}

const AUDIT: NonNullable<Details['audit']> = {
  last_ended: '2026-11-28T02:00:00.000Z',
  age: 3_600,
  events: 7,
  progress: null,
  findings: [],
  more_findings: 0,
};

const HEALTHY: Details = {
  version: '1.0.0',
  commit: 'c',
  initialized: true,
  log: { state: 'writing', head: '7', error: null, events_of_others: 0 },
  findings: [],
  more_findings: 0,
  views: [{ view: 'deals', state: 'live', lag: 0, error: null }],
  queue: { in: 'process', state: 'working', error: null },
  audit: AUDIT,
  stuck: 0,
};

const told = (details: Partial<Details>, ready = true): Partial<Looks> => ({
  service: Promise.resolve({
    ready,
    details: { ...HEALTHY, ...details },
    noDetails: undefined,
    projections: [],
    tokens: undefined,
    clock: undefined,
  }),
});

const short = ({ verdict, facts }: Result): readonly [string, string] => [verdict, facts];

describe('G8.2: the check of settings', () => {
  const KEY = 'k.pem';

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['a wrong value', { PORT: '70000' }, 'PORT must be a port, 0 to 65535'],
    ['half of a pair', { TLS_CERT: KEY }, 'TLS_KEY must be set too, because TLS_CERT is set'],
    ['an address without a URL', { HOST: '0.0.0.0' }, 'PUBLIC_URL must be set if HOST is 0.0.0.0'],
    [
      'servers without a gateway',
      { EVENTSTORE_URL: 'esdb://e', MONGODB_URL: 'mongodb://m', REDIS_URL: 'redis://r' },
      'SANDBOX_GATEWAY_URL must be set',
    ],
  ])('%s is wrong: a start refuses it', async (_, environment, words) => {
    const { verdict, facts, todo } = await checkSettings(looksOf(environment));
    expect([verdict, facts]).toEqual(['wrong', expect.stringContaining(words)]);
    expect(todo.length).toBeGreaterThan(0);
  });

  it.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ PUBLIC_URL: 'https://deals.example.com' }, 'nothing ends TLS'],
    [{ PUBLIC_URL: 'http://deals.example.com', TLS_CERT: KEY, TLS_KEY: KEY }, 'PUBLIC_URL is http'],
    [{ PUBLIC_URL: 'http://a.example', HOST: '0.0.0.0' }, 'HOST is 0.0.0.0, without TLS'],
    [{ ADMIN_HOST: '10.0.0.1:3001' }, 'ADMIN_HOST is no loopback address, and has no TLS'],
    [{ SMTP_URL: 'smtps://mail.example.com', MAIL_FROM: 'a@example.com' }, 'PUBLIC_URL is not'],
    [{ DAILY_UPDATE_AT: '13:30' }, 'nobody gets them'],
    [{ MAIL_FROM: 'a@example.com' }, 'MAIL_FROM is set, and SMTP_URL is not'],
    [
      {
        SMTP_URL: 'smtps://m',
        MAIL_FROM: 'a@shop.example',
        DKIM_DOMAIN: 'example.com',
        DKIM_SELECTOR: 's',
        DKIM_KEY: KEY,
      },
      'DKIM_DOMAIN is not the domain of MAIL_FROM',
    ],
    [{ EVENTSTORE_PREFIX: 'x_' }, 'the prefix has no effect'],
    [{ ACCEPT: '0123456789ab' }, 'ACCEPT is set'],
    [{ TEST_CLOCK: 'true' }, 'TEST_CLOCK is for tests'],
    [{ TIMERS: 'false' }, 'TIMERS is for tests'],
    [{ METRICS: 'false' }, 'METRICS is for tests'],
    [{ SELF_AUDIT: 'off' }, 'nobody checks the log'],
    [
      {
        EVENTSTORE_URL: 'esdb://e',
        MONGODB_URL: 'mongodb://m',
        REDIS_URL: 'redis://r',
        SANDBOX_GATEWAY_URL: 'http://s',
      },
      'MASTER_KEY is not set',
    ],
  ])('%j contradict each other, or are for tests', async (environment, words) => {
    const { verdict, facts, todo } = await checkSettings(looksOf(environment));
    expect([verdict, facts]).toEqual(['look', expect.stringContaining(words)]);
    expect(todo.length).toBeGreaterThan(0);
  });

  it('settings that fit are ok', async () => {
    const fit = { PUBLIC_URL: 'https://a.example', TRUSTED_PROXIES: '10.0.0.1', TEST_CLOCK: 'false', TIMERS: 'true' };
    expect(await checkSettings(looksOf(fit))).toEqual({
      verdict: 'ok',
      facts: expect.stringContaining('5 set'),
      todo: [],
    });
  });

  it('a name in the file of settings that nobody reads is named', async () => {
    const names = unknownNames(['PORT', 'PUBLIC_ULR', 'BACKUP_DIR', 'NODE_OPTIONS', ...VARIABLE_NAMES]);
    expect(names).toEqual(['PUBLIC_ULR']);
    expect(short(await checkSettings(looksOf({}, { unknown: names })))).toEqual([
      'look',
      expect.stringContaining('PUBLIC_ULR'),
    ]);
  });

  it('no wrong value is repeated: it may be a secret', async () => {
    const wrong = Object.fromEntries(VARIABLE_NAMES.map((name) => [name, `hunter2 ${'\u0001'.repeat(9)}`]));
    expect(JSON.stringify(await checkSettings(looksOf({ ...wrong, DATA_DIR: folder.path })))).not.toContain('hunter2');
  });
});

describe('G8.2: the checks of room, servers and clocks', () => {
  const GIB = 1_024 ** 3;

  it.each([
    [50 * GIB, null, GIB, 'ok'],
    [50 * GIB, 500, GIB, 'wrong'],
    [GIB / 2, null, 0, 'look'],
    [2 * GIB, null, 3 * GIB, 'look'],
    [GIB / 100, null, 0, 'wrong'],
  ] as const)(
    '%d bytes free, %s files, and %d bytes of views: %s',
    async (freeBytes, freeFiles, viewsBytes, verdict) => {
      const room = Promise.resolve({ freeBytes, allBytes: 100 * GIB, freeFiles, viewsBytes });
      const looks = looksOf({});
      expect((await checkRoom({ ...looks, folder: { ...looks.folder, room } })).verdict).toBe(verdict);
    },
  );

  const redisOf = (policy: string | undefined): Partial<Looks> => ({
    redis: Promise.resolve({ version: '7.4.0', policy, most: 0, used: 1_000, clock: NOW, at: NOW }),
  });

  it.each([
    ['noeviction', 'ok'],
    [undefined, 'ok'],
    ['allkeys-lru', 'look'],
  ] as const)('Redis with the policy %s is %s', async (policy, verdict) => {
    const looks = looksOf({ REDIS_URL: 'redis://:secret@r:6379' }, redisOf(policy));
    const result = await checkRedis(looks);
    expect([result.verdict, result.facts]).toEqual([verdict, expect.stringContaining('Redis 7.4.0 at r:6379')]);
    expect(result.facts).not.toContain('secret');
  });

  it.each([
    ['24.10.4', 'ok'],
    ['26.1.0', 'ok'],
    ['23.10.0', 'ok'],
    ['23.6.0', 'wrong'],
    ['5.0.11', 'wrong'],
    [undefined, 'ok'],
  ] as const)('EventStoreDB %s is %s', async (version, verdict) => {
    const log = Promise.resolve({ version, last: undefined });
    expect((await checkLog(looksOf({ EVENTSTORE_URL: 'esdb://e' }, { log }))).verdict).toBe(verdict);
  });

  it.each([
    [0, 'ok'],
    [4_000, 'look'],
    [-11_000, 'wrong'],
  ])('a clock that is %d ms ahead is %s', async (ahead, verdict) => {
    const redis = Promise.resolve({ version: '7', policy: undefined, most: 0, used: 0, clock: NOW + ahead, at: NOW });
    expect((await checkClocks(looksOf({}, { redis }))).verdict).toBe(verdict);
  });
});

describe('G8.2: the check of the record of DKIM', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  const file = join(folder.path, 'dkim.pem');
  const environment = {
    SMTP_URL: 'smtps://mail.example.com',
    MAIL_FROM: 'a@example.com',
    DKIM_DOMAIN: 'example.com',
    DKIM_SELECTOR: 'deals2026',
    DKIM_KEY: file,
  };
  const failing = (code: string): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }));

  beforeAll(() => writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 }));

  it.each<readonly [string, () => Promise<readonly (readonly string[])[]>, string]>([
    [
      'that of the key',
      async () => [['v=spf1 -all'], ['v=DKIM1; k=rsa; ', `p=${key.slice(0, 100)}`, key.slice(100)]],
      'ok',
    ],
    ['that of another key', async () => [['v=DKIM1; p=MIIB']], 'wrong'],
    ['revoked', async () => [['v=DKIM1; p=']], 'wrong'],
    ['missing', () => failing('ENOTFOUND'), 'wrong'],
    ['without text', () => failing('ENODATA'), 'wrong'],
    ['of a DNS that is away', () => failing('ECONNREFUSED'), 'look'],
    ['of a DNS that is silent', () => failing('ETIMEOUT'), 'look'],
  ])('a record %s is looked up under the name of the selector', async (_, lookUp, verdict) => {
    const asked: string[] = [];
    const looks = looksOf(environment, {
      lookUp(name) {
        asked.push(name);
        return lookUp();
      },
    });
    const result = await checkDkim(looks);
    expect([result.verdict, asked]).toEqual([verdict, ['deals2026._domainkey.example.com']]);
    if (verdict === 'wrong') expect(result.todo.join()).toContain(`v=DKIM1; p=${key}`);
    expect(JSON.stringify(result)).not.toContain('PRIVATE');
  });

  it('a key that others can read is named', async () => {
    chmodSync(file, 0o644);
    const lookUp = async (): Promise<string[][]> => [[`v=DKIM1; p=${key}`]];
    expect(short(await checkDkim(looksOf(environment, { lookUp })))).toEqual([
      'look',
      expect.stringContaining('DKIM_KEY'),
    ]);
    chmodSync(file, 0o600);
  });
});

(hasOpenssl ? describe : describe.skip)('G8.2: the check of the certificate', () => {
  const environment: Record<string, string> = {};
  const at = (now: number, publicUrl = 'https://127.0.0.1'): Promise<Result> =>
    checkCertificate(looksOf({ ...environment, PUBLIC_URL: publicUrl }, { now }));

  beforeAll(() => {
    const { cert, key } = new Authority(folder.path).issue('server', 'EC');
    chmodSync(key, 0o600);
    Object.assign(environment, { TLS_CERT: cert, TLS_KEY: key });
  });

  it('counts the days that it is still valid: this one has two', async () => {
    const now = Date.now();
    expect(short(await at(now))).toEqual(['look', expect.stringContaining('valid until')]);
    expect(short(await at(now + 3 * DAY))).toEqual(['wrong', expect.stringContaining('has expired')]);
    expect(short(await at(now - DAY))).toEqual(['wrong', expect.stringContaining('valid only from')]);
  });

  it('it must be for the host of PUBLIC_URL', async () => {
    expect(short(await at(Date.now(), 'https://deals.example.com'))).toEqual([
      'wrong',
      expect.stringContaining('not for deals.example.com'),
    ]);
  });

  it('its key must fit', async () => {
    const other = join(folder.path, 'other.pem');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(other, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const looks = looksOf({ ...environment, TLS_KEY: other, PUBLIC_URL: 'https://127.0.0.1' });
    expect(short(await checkCertificate(looks))).toEqual(['wrong', expect.stringContaining('must hold the key')]);
  });
});

describe('G8.2: the check of backups', () => {
  const backups = join(folder.path, 'backups');
  const of = (environment: Readonly<Record<string, string>>): Promise<Result> => checkBackup(looksOf(environment));

  it('says what is not known, and what is not there', async () => {
    mkdirSync(backups);
    expect((await of({})).verdict).toBe('look');
    expect(short(await of({ BACKUP_DIR: backups }))).toEqual(['wrong', `${backups} holds no backup`]);
    expect((await of({ BACKUP_DIR: join(backups, 'nowhere') })).verdict).toBe('wrong');
  });

  it('takes the newest manifest that can be read', async () => {
    const manifest = (at: string): string => {
      const copy = { name: '20261128T000000Z', at: Date.parse(at), engine: 'embedded', log: 'l', ledger: null };
      const copies = [{ ...copy, segments: 0, events: 0, state: [], erasures: null }];
      const seal = FileSeal.with(undefined, thisMachine.randomness);
      return manifestText({ ...emptyManifest('ours', false), copies }, seal);
    };
    for (const [name, text] of [
      ['1', manifest('2026-11-20T00:00:00.000Z')],
      ['2', manifest('2026-11-28T00:00:00.000Z')],
      ['3', '{"holdfast":'],
      ['4', JSON.stringify({ holdfast: 'backup' })],
    ] as const) {
      mkdirSync(join(backups, name));
      writeFileSync(join(backups, name, 'backup.json'), text);
    }
    const age = 'the newest is of 2026-11-28T00:00:00Z (3 h ago)';
    expect(short(await of({ BACKUP_DIR: backups }))).toEqual(['ok', `${age}; nobody has tried to restore it`]);
    const drill = (verdict: string): void =>
      writeFileSync(join(backups, '2', 'drill.json'), JSON.stringify({ verdict, at: '2026-11-28T01:00:00Z' }));
    drill('sound');
    const ended = `${age}; the last drill, of 2026-11-28T01:00:00Z, ended with:`;
    expect(short(await of({ BACKUP_DIR: backups }))).toEqual(['ok', `${ended} sound`]);
    drill('findings');
    expect(short(await of({ BACKUP_DIR: backups }))).toEqual(['wrong', `${ended} findings`]);
    drill('sound');
    const later = await checkBackup(looksOf({ BACKUP_DIR: backups }, { now: NOW + 2 * DAY }));
    expect(later.verdict).toBe('look');
  });
});

describe('G8.2, H10: the check of the file of erasures', () => {
  const file = join(folder.path, 'some.erasures');
  const of = (environment: Readonly<Record<string, string>>): Promise<Result> => checkErasures(looksOf(environment));

  it.each<readonly [string, string | undefined, 'ok' | 'look' | 'wrong', string]>([
    ['is missing', undefined, 'look', 'is not there'],
    ['has nobody', '{"holdfast":"erasures","format":1,"installation":"ours"}\n', 'ok', '0 persons erased'],
    ['is damaged', 'notes\n', 'wrong', 'is no file of erasures'],
  ])('that %s', async (_, text, verdict, words) => {
    rmSync(file, { force: true });
    if (text !== undefined) writeFileSync(file, text);
    const result = await of({ DATA_DIR: join(folder.path, 'data'), ERASURES_FILE: file });
    expect(short(result)).toEqual([verdict, expect.stringContaining(words)]);
  });
});

describe('G14.2: the check of what ends', () => {
  it('names tokens that end within 14 days, and what to do', async () => {
    const service = told({}).service?.then((found) => ({
      ...found,
      tokens: [{ name: 'ann', role: 'auditor', expires_at: NOW + DAY, revoked: false }],
    }));
    const { verdict, facts, todo } = await checkEnds(looksOf({}, service === undefined ? {} : { service }));
    expect([verdict, facts]).toEqual(['look', expect.stringContaining('the token ann ends at 2026-11-29T03:00:00Z')]);
    expect(todo.join(' ')).toContain('holdfast tokens issue --name "ann" --role auditor');
  });

  it('says so if nothing ends, and if no service answers', async () => {
    expect(short(await checkEnds(looksOf({}, told({}))))).toEqual(['ok', expect.stringContaining('only the service')]);
    expect(short(await checkEnds(looksOf({ ACCESS_TOKENS_SUNSET: '2026-12-01' })))).toEqual([
      'look',
      expect.stringContaining('ACCESS_TOKENS_SUNSET'),
    ]);
  });
});

describe('G8.2: what a service says of itself', () => {
  it.each<readonly [string, (looks: Looks) => Promise<Result>, Partial<Looks>, string, string]>([
    ['is ready', checkService, told({}), 'ok', 'is ready'],
    ['starts', checkService, told({ initialized: false }, false), 'wrong', 'it is starting'],
    [
      'has a log that failed',
      checkService,
      told({ log: { ...HEALTHY.log, error: 'no room' } }, false),
      'wrong',
      'the event log: no room',
    ],
    [
      'has a finding',
      checkFindings,
      told({ findings: [{ code: '0123456789ab', stream: null, message: 'gone' }] }),
      'wrong',
      '0123456789ab: gone',
    ],
    ['has none', checkFindings, told({}), 'ok', 'none'],
    ['has views that are live', checkViews, told({}), 'ok', '1 views'],
    [
      'has a view that stopped',
      checkViews,
      told({ views: [{ view: 'deals', state: 'stopped', lag: 3, error: 'x' }] }),
      'wrong',
      'deals: stopped',
    ],
    [
      'has a view far behind',
      checkViews,
      told({ views: [{ view: 'deals', state: 'live', lag: 20_000, error: null }] }),
      'look',
      'far behind',
    ],
    ['has no views', checkViews, told({ views: [] }), 'wrong', 'nobody builds views'],
    ['has stuck work', checkWork, told({ stuck: 2 }), 'wrong', '2 pieces of work'],
    ['cannot read its work', checkWork, told({ stuck: null }), 'wrong', 'do not answer'],
    [
      'is without Redis',
      checkWork,
      told({ queue: { in: 'Redis', state: 'degraded', error: 'Redis is away' } }),
      'wrong',
      'Redis is away',
    ],
    ['does not audit', checkAudit, told({ audit: null }), 'look', 'does not audit'],
    ['audited long ago', checkAudit, told({ audit: { ...AUDIT, age: 9 * 86_400 } }), 'look', '9 days ago'],
    [
      'found something',
      checkAudit,
      told({ audit: { ...AUDIT, findings: [{ code: 'fold', where: 'deal-x', message: 'm' }] } }),
      'wrong',
      'fold (deal-x)',
    ],
  ])('one that %s', async (_, check, found, verdict, words) => {
    const result = await check(looksOf({}, found));
    expect([result.verdict, result.facts]).toEqual([verdict, expect.stringContaining(words)]);
    expect(result.todo.length > 0).toBe(verdict !== 'ok');
  });
});
