import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { SETTINGS } from '#kernel/bounds';
import { ENVIRONMENT as OPS_ENVIRONMENT } from '../command-line/target.js';
import { readConfig } from './config.js';
import { GATEWAY_TIMEOUT, VARIABLE_NAMES } from './variables.js';
import { runSandboxGateway, SANDBOX_VARIABLE_NAMES } from './sandbox-gateway/index.js';

describe('how the service is reached', () => {
  it.each([
    [{ TLS_CERT: 'cert.pem' }, 'TLS_KEY must be set too, because TLS_CERT is set'],
    [{ TLS_KEY: 'key.pem' }, 'TLS_CERT must be set too, because TLS_KEY is set'],
    [{ TLS_CERT: '', TLS_KEY: '' }, 'TLS_CERT must be a PEM file; TLS_KEY must be a PEM file'],
    [
      { TRUSTED_PROXIES: '' },
      'TRUSTED_PROXIES must be addresses or ranges such as 10.0.0.0/8, with commas between them',
    ],
    [{ TRUSTED_PROXIES: '10.0.0.1,proxy' }, 'TRUSTED_PROXIES must be addresses or ranges such as 10.0.0.0/8'],
    ...['', '100', '0/60', '100/0', '100/60s', '-1/60', '1.5/60', ' 1/1'].map(
      (RATE_LIMIT) =>
        [{ RATE_LIMIT }, 'RATE_LIMIT must be <requests>/<seconds>, such as 100/60; leave it out for no limit'] as const,
    ),
    ...['', '-1', '1.5', '1e6', '1000000001', 'none'].map(
      (bytes) =>
        [{ WRITE_BYTES_PER_SECOND: bytes }, 'WRITE_BYTES_PER_SECOND must be bytes, at most 1000000000, or 0'] as const,
    ),
    ...[
      '',
      '*',
      'null',
      'shop.example',
      'https://shop.example/',
      'https://shop.example/page',
      'https://Shop.example',
      'https://shop.example:443',
      'http://shop.example',
      'https://*.shop.example',
      'https://a:b@shop.example',
      'https://shop.example,,https://app.example',
      'file:///tmp',
      Array.from({ length: 101 }, (_, n) => `https://shop-${n}.example`).join(),
    ].map((CORS_ORIGINS) => [{ CORS_ORIGINS }, 'CORS_ORIGINS must be at most 100 exact origins'] as const),
  ])('A3, A7, A8, G9: %j is refused by name', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  it('A3, A8: has no TLS, no trusted proxies and no rate limit by default', () => {
    const { tls, proxies, rateLimit, corsOrigins } = readConfig({});
    expect([tls, proxies.trusts('127.0.0.1'), rateLimit, corsOrigins]).toEqual([
      undefined,
      false,
      undefined,
      new Set(),
    ]);
  });

  it('I16: bounds what a partner writes by default; 0 means no bound', () => {
    const bytes = [{}, { WRITE_BYTES_PER_SECOND: '500' }, { WRITE_BYTES_PER_SECOND: '0' }].map(
      (environment) => readConfig(environment).writeBytesPerSecond,
    );
    expect(bytes).toEqual([4_194_304, 500, undefined]);
  });

  it('A3, A8: follows the settings', () => {
    const { tls, proxies, rateLimit, corsOrigins } = readConfig({
      CORS_ORIGINS: 'https://shop.example, https://app.shop.example:8443,http://localhost:5173',
      TLS_CERT: 'a.pem',
      TLS_KEY: 'b.pem',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      RATE_LIMIT: '100/60',
    });
    expect([tls, rateLimit]).toEqual([
      { cert: 'a.pem', key: 'b.pem' },
      { requests: 100, seconds: 60 },
    ]);
    expect([...corsOrigins]).toEqual([
      'https://shop.example',
      'https://app.shop.example:8443',
      'http://localhost:5173',
    ]);
    expect(['10.9.9.9', '::1', '127.0.0.1'].map((each) => proxies.trusts(each))).toEqual([true, true, false]);
  });
});

const SHARED = {
  EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
  MONGODB_URL: 'mongodb://127.0.0.1:27017/holdfast',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

const environment = {
  ...SHARED,
  SANDBOX_GATEWAY_URL: 'http://127.0.0.1:3900',
  PUBLIC_URL: 'https://deals.example.com',
};

describe('the role and the servers of a process', () => {
  it('G9: by default, one process does everything, on files', () => {
    const { role, eventStoreUrl, mongoUrl, redisUrl } = readConfig({});
    expect([role, eventStoreUrl, mongoUrl, redisUrl]).toEqual(['all', undefined, undefined, undefined]);
  });

  it.each(['esdb', 'kurrentdb', 'kdb', 'kurrent'])(
    'G9: the log’s server may be named by %s:// and %s+discover://',
    (scheme) => {
      for (const url of [`${scheme}://[::1]:2113?tls=false`, `${scheme}+discover://eventstore.internal`]) {
        expect(readConfig({ EVENTSTORE_URL: url }).eventStoreUrl).toBe(url);
      }
    },
  );

  it.each(Object.entries(SHARED))('G9: with one server and files, one process does everything: %s', (name, url) => {
    expect(readConfig({ [name]: url }).role).toBe('all');
  });

  it('G9: with all three servers, a process is an API or a worker', () => {
    expect(readConfig({ ...environment, PUBLIC_URL: undefined }).role).toBe('api');
    expect(readConfig(environment, 'worker').role).toBe('worker');
    expect([readConfig(environment).port, readConfig(environment, 'worker').port]).toEqual([3000, 0]);
  });

  it.each(Object.keys(environment))('G9, H3: a worker does not start without %s', (name) => {
    expect(() => readConfig({ ...environment, [name]: undefined }, 'worker')).toThrow(
      `${name} must be set for a worker`,
    );
  });

  it.each(['http://bob:hunter2@127.0.0.1:3900', 'http://bob@127.0.0.1:3900', 'http://127.0.0.1:3900/?key=hunter2'])(
    'G9: the URL of the gateway has no user, no password and no query, as in %s: an error of a call would repeat them',
    (url) => {
      const read = (): unknown => readConfig({ SANDBOX_GATEWAY_URL: url });
      expect(read).toThrow('SANDBOX_GATEWAY_URL must be a URL such as http://127.0.0.1:3900, without user');
      expect(read).not.toThrow('hunter2');
    },
  );

  it('D8, G9: an API beside workers does not start with its own gateway', () => {
    expect(() => readConfig(SHARED)).toThrow('SANDBOX_GATEWAY_URL must be set for an API beside workers');
  });

  it.each([
    ['EVENTSTORE_URL', 'http://127.0.0.1:2113', 'must be a URL such as esdb://127.0.0.1:2113?tls=false'],
    ['EVENTSTORE_URL', 'kurrents://127.0.0.1:2113', 'must be a URL such as esdb://127.0.0.1:2113?tls=false'],
    ['EVENTSTORE_PREFIX', 'a-b', 'must have only a-z, 0-9 and _, at most 40'],
    ['MONGODB_URL', '127.0.0.1', 'must be a URL such as mongodb://127.0.0.1:27017/holdfast'],
    ['REDIS_URL', '', 'must be a URL such as redis://127.0.0.1:6379'],
  ])('G9: a wrong %s stops the start, which says what it should be', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name} ${message}`);
  });
});

describe('G4, G9: a variable that is a URL', () => {
  const urls = VARIABLE_NAMES.filter((name) => /(_URL|_ORIGINS)$/.test(name));

  it('never has another scheme than its own', () => {
    expect(urls).toEqual(expect.arrayContaining(['PUBLIC_URL', 'CORS_ORIGINS', 'SMTP_URL', 'SANDBOX_GATEWAY_URL']));
    for (const name of urls) expect(() => readConfig({ [name]: 'javascript:alert(1)' })).toThrow(`${name} must be`);
  });

  it.each([
    'https://user:secret@deals.example.com',
    'https://deals.example.com/?shop=1',
    'https://deals.example.com/#top',
    'https://deals.example.com/a b',
    'ftp://deals.example.com',
    'deals.example.com',
  ])('is no PUBLIC_URL: %s', (PUBLIC_URL) => {
    expect(() => readConfig({ PUBLIC_URL })).toThrow('PUBLIC_URL must be a URL such as https://deals.example.com');
  });

  it('is a PUBLIC_URL with or without a path, and loses the slashes at its end', () => {
    expect(readConfig({ PUBLIC_URL: 'https://deals.example.com/shop//' }).publicUrl).toBe(
      'https://deals.example.com/shop',
    );
  });
});

describe('F5: DAILY_UPDATE_AT', () => {
  it.each([
    ['00:00', 0],
    ['13:30', 48_600_000],
    ['23:59', 86_340_000],
  ])('takes %s as a time of day', (DAILY_UPDATE_AT, milliseconds) => {
    expect(readConfig({ DAILY_UPDATE_AT }).dailyUpdateAt).toBe(milliseconds);
  });

  it.each(['', '24:00', '9:00', '12:60', '12:00Z', '12', 'noon', '12:00:00'])('%p is none', (DAILY_UPDATE_AT) => {
    expect(() => readConfig({ DAILY_UPDATE_AT })).toThrow('DAILY_UPDATE_AT must be a time of day in UTC such as 13:30');
  });

  it('is not set by default', () => {
    expect(readConfig({}).dailyUpdateAt).toBeUndefined();
  });
});

describe('I12: DECLINES_PER_HOUR', () => {
  it.each([
    ['5,10', 5, 10],
    ['100,1', 100, 1],
    ['0', null, null],
    ['0,3', null, 3],
    ['3,0', 3, null],
  ])('takes %s: of a card, of a user', (DECLINES_PER_HOUR, card, user) => {
    expect(readConfig({ DECLINES_PER_HOUR }).declineLimits).toEqual({ card, user });
  });

  it.each(['', '5', '5,', '5,10,15', '101,5', '5,101', '-1,5', '5.5,1', ' 5,10'])('%p is none', (DECLINES_PER_HOUR) => {
    expect(() => readConfig({ DECLINES_PER_HOUR })).toThrow('DECLINES_PER_HOUR must be <of a card>,<of a user>');
  });

  it('is 5,10 by default', () => {
    expect(readConfig({}).declineLimits).toEqual({ card: 5, user: 10 });
  });
});

describe('the length of a setting', () => {
  /** Texts that are too long, but otherwise valid, for every kind of variable. */
  const LONG = 30_000;
  const FILLERS = [
    ...['x', '0', '1', ' ', '/', '.', 'a,', 'é'].map((each) => each.repeat(LONG)),
    `${'0'.repeat(LONG)}1`,
    `${' '.repeat(LONG)}${'ab'.repeat(32)}`,
    `1/${'1'.repeat(LONG)}`,
    `2030-01-01T00:00:00.${'0'.repeat(LONG)}Z`,
    `log.append=${'1'.repeat(LONG)}`,
    `0.${'1'.repeat(LONG)}`,
    `10.0.0.1${',10.0.0.1'.repeat(LONG / 9)}`,
    `0123456789ab${',0123456789ab'.repeat(LONG / 13)}`,
    ...['http', 'https', 'esdb', 'mongodb', 'redis', 'smtp'].map((scheme) => `${scheme}://host/${'x'.repeat(LONG)}`),
  ];

  it.each(VARIABLE_NAMES)(
    'G9: %s has a bound; a longer value is refused by name, and the error does not repeat it',
    (name) => {
      for (const text of FILLERS) {
        expect(() => readConfig({ TEST_CLOCK: 'true', [name]: text })).toThrow(
          expect.objectContaining({
            message: expect.stringMatching(new RegExp(`^Invalid environment: ${name} must .{1,100}$`)),
          }),
        );
      }
    },
  );

  it.each(SANDBOX_VARIABLE_NAMES)('G9: %s of the sandbox gateway has a bound too', async (name) => {
    for (const text of FILLERS) {
      await expect(runSandboxGateway({ [name]: text })).rejects.toThrow(
        expect.objectContaining({
          message: expect.stringMatching(new RegExp(`^Invalid environment: ${name} must .{1,100}$`)),
        }),
      );
    }
  });

  it('G9: may reach its bound', () => {
    const { path, url, connection, host } = SETTINGS;
    for (const [name, text] of [
      ['DATA_DIR', 'd'.repeat(path)],
      ['HOST', 'h'.repeat(host)],
      ['PUBLIC_URL', 'https://h/'.padEnd(url, 'p')],
      ['MONGODB_URL', 'mongodb://h/'.padEnd(connection, 'p')],
    ] as const) {
      expect(() => readConfig({ [name]: text })).not.toThrow();
      expect(() => readConfig({ [name]: `${text}x` })).toThrow(`${name} must have at most ${text.length} characters`);
    }
  });
});

describe('G11.2: ADMIN_HOST', () => {
  it.each([
    ['127.0.0.1:3001', { host: '127.0.0.1', port: 3001 }],
    ['[::1]:3001', { host: '::1', port: 3001 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['admin.internal:65535', { host: 'admin.internal', port: 65_535 }],
  ])('names an address and its port: %s', (ADMIN_HOST, place) => {
    expect(readConfig({ ADMIN_HOST }).adminAddress).toEqual(place);
    expect(readConfig({}).adminAddress).toBeUndefined();
  });

  it.each(['', '127.0.0.1', ':3001', '::1:3001', '127.0.0.1:65536', 'http://127.0.0.1:3001', 'a@b:3001', '[::1]'])(
    'is refused in any other form: %j',
    (ADMIN_HOST) => {
      expect(() => readConfig({ ADMIN_HOST })).toThrow('ADMIN_HOST must be <address>:<port>, such as 127.0.0.1:3001');
    },
  );

  it.each([
    [{ ADMIN_HOST: '127.0.0.1:3000' }, true],
    [{ ADMIN_HOST: 'localhost:3000' }, true],
    [{ ADMIN_HOST: '0.0.0.0:8080', PORT: '8080' }, true],
    [{ ADMIN_HOST: '10.0.0.1:3000', HOST: '::', PUBLIC_URL: 'https://deals.example.com' }, true],
    [{ ADMIN_HOST: '127.0.0.2:3000' }, false],
    [{ ADMIN_HOST: '127.0.0.1:3001' }, false],
    [{ ADMIN_HOST: '127.0.0.1:0', PORT: '0' }, false],
  ])('must be another address than that of everybody: with %j, it is that one: %s', (environment, isSame) => {
    const read = expect(() => readConfig(environment));
    if (isSame) read.toThrow(/ADMIN_HOST must have another port than PORT \(\d+\), because HOST is \S+, such as /);
    else read.not.toThrow();
  });
});

describe('the test clock', () => {
  it('G10: may start at another time than the machine’s; without it, the time cannot be set', () => {
    const TEST_TIME = '2030-01-01T00:00:00Z';
    expect(readConfig({ TEST_CLOCK: 'true', TEST_TIME }).testTime).toBe(Date.UTC(2030, 0, 1));
    expect(readConfig({}).testTime).toBeUndefined();
    expect(() => readConfig({ TEST_TIME })).toThrow('TEST_TIME must not be set without TEST_CLOCK');
    expect(() => readConfig({ TEST_CLOCK: 'true', TEST_TIME: '2030' })).toThrow('TEST_TIME must be a time such as');
  });
});

describe('.env.example', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n');
  const named = lines.flatMap((line) => /^#?([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? []);

  it('G9: names every variable exactly once, and no other', () => {
    const known = new Set([...VARIABLE_NAMES, ...SANDBOX_VARIABLE_NAMES, ...Object.keys(OPS_ENVIRONMENT)]);
    expect(named.toSorted()).toEqual([...known].toSorted());
  });

  it('G9: has the defaults: to load it unchanged changes nothing', () => {
    const set = lines.flatMap((line) => {
      const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value] as const];
    });
    expect(set.length).toBeGreaterThan(10);
    const { proxies: _, shown: __, ...plain } = readConfig({});
    expect(readConfig(Object.fromEntries(set))).toMatchObject(plain);
  });

  it('G9: explains every variable', () => {
    for (const [index, line] of lines.entries()) {
      if (/^#?[A-Z][A-Z0-9_]*=/.test(line)) expect(lines[index - 1]).toMatch(/^(# \S|#?[A-Z])/);
    }
  });
});

describe('docs/bounds.md', () => {
  it('says how long a charge waits by default, and the bounds of that time', () => {
    const [least, most] = GATEWAY_TIMEOUT.map((milliseconds) => milliseconds / 1_000);
    const usual = readConfig({}).gatewayTimeout / 1_000;
    expect(readFileSync('docs/bounds.md', 'utf8')).toContain(`\`GATEWAY_TIMEOUT\`, ${usual} s; ${least} to ${most} s`);
    for (const wrong of ['49', '60001', '', '1e3'])
      expect(() => readConfig({ GATEWAY_TIMEOUT: wrong })).toThrow('GATEWAY_TIMEOUT must be milliseconds, 50 to 60000');
  });
});
