import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '#platform';
import { newDataDir, Program } from '../support/program.js';

const API = 'apps/api/main.js';
const GATEWAY = 'apps/sandbox-gateway/main.js';
/** Milliseconds. */
const WITHIN = 240_000;

describe('G9: a start that fails', () => {
  let folder: string;
  beforeEach(() => {
    folder = newDataDir();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function fails(main: string, env: Readonly<Record<string, string>>): Promise<string> {
    const program = Program.start(main, { PORT: '0', DATA_DIR: join(folder, 'data'), DEMO: 'false', ...env });
    const timer = setTimeout(() => program.child.kill('SIGKILL'), WITHIN);
    expect(await program.ended()).toBe(1);
    clearTimeout(timer);
    return program.printed;
  }

  it.each([API, GATEWAY])('names the port that is in use, and the setting: %s', async (main) => {
    const server = createServer();
    const port = await new Promise<number>((listening) => {
      server.listen(0, '127.0.0.1', () => listening((server.address() as { port: number }).port));
    });
    expect(await fails(main, { PORT: String(port) })).toMatch(
      new RegExp(`did not start: port ${port} of 127.0.0.1 is in use: .*set PORT to another port\n$`),
    );
    expect(() => rmSync(join(folder, 'data'), { recursive: true })).toThrow('ENOENT');
    server.close();
  });

  it.each([API, GATEWAY])('names an address that this machine does not have, and the setting: %s', async (main) => {
    const env = { HOST: '203.0.113.7', PUBLIC_URL: 'http://x.example' };
    expect(await fails(main, env)).toContain(
      'did not start: HOST is 203.0.113.7, which is not an address of this machine',
    );
  });

  it.each([
    ['is a file', 'file', 'is a file'],
    ['is below a file', 'file/below', 'cannot be made, because .*/file is a file'],
  ])('names a data folder that %s', async (_, path, words) => {
    writeFileSync(join(folder, 'file'), 'x');
    for (const main of [API, GATEWAY]) {
      const data = join(folder, path);
      expect(await fails(main, { DATA_DIR: data })).toMatch(
        new RegExp(`did not start: the data folder ${data} \\(DATA_DIR\\) ${words}: set DATA_DIR to`),
      );
    }
  });

  const linux = process.platform === 'linux' ? it : it.skip;
  linux('names a data folder that no system can create, at once', async () => {
    for (const main of [API, GATEWAY]) {
      expect(await fails(main, { DATA_DIR: '/proc/nowhere/data' })).toMatch(
        /did not start: the data folder \/proc\/nowhere\/data \(DATA_DIR\) cannot be made .*: set DATA_DIR to/,
      );
    }
  });

  const asUser = process.getuid?.() === 0 && process.platform === 'linux' ? it : it.skip;
  asUser('names a data folder that it may not write to', async () => {
    mkdirSync(join(folder, 'data'));
    const env = { PORT: '0', DATA_DIR: join(folder, 'data'), DEMO: 'false' };
    const program = Program.start(API, env, ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']);
    expect(await program.ended()).not.toBe(0);
    expect(program.printed).toMatch(/\(DATA_DIR\) (cannot be read|is not writable)/);
  });

  it.each(['0.0.0.0', '::', '0', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'])(
    'asks for PUBLIC_URL when HOST is %s, because coupons with such an address would never work',
    (HOST) => {
      expect(() => readConfig({ HOST })).toThrow(
        `Invalid environment: PUBLIC_URL must be set if HOST is ${HOST}, because coupons, pictures and links begin with it`,
      );
      // The example does not lead into refused plain HTTP (A3).
      expect(() => readConfig({ HOST })).toThrow(/such as https:.* TLS_CERT and TLS_KEY, or TRUSTED_PROXIES/);
      expect(() => readConfig({ HOST, TRUSTED_PROXIES: '10.0.0.1' })).toThrow(/such as https:\/\/deals.example.com\.$/);
      expect(readConfig({ HOST, PUBLIC_URL: 'https://deals.example.com' }).host).toBe(HOST);
    },
  );

  it.each(['127.0.0.1', '::1', 'localhost', '10.0.0.1', '192.0.2.10'])(
    'does not ask for PUBLIC_URL when HOST is %s',
    (HOST) => {
      expect(readConfig({ HOST }).publicUrl).toBeUndefined();
    },
  );
});

describe('G9: a start that waits', () => {
  it.each(['esdb+discover://127.0.0.1:9?tls=false', 'esdb://127.0.0.1:9,127.0.0.1:19?tls=false'])(
    'says that nothing listens where a cluster should be: %s',
    async (EVENTSTORE_URL) => {
      const folder = newDataDir();
      const program = Program.start(API, { PORT: '0', DATA_DIR: folder, DEMO: 'false', EVENTSTORE_URL });
      const line = await program.waitFor(/({.*"msg":"waiting for EventStoreDB.*})/, WITHIN);
      await program.end('SIGKILL');
      expect(JSON.parse(line).msg).toContain('nothing listens there (ECONNREFUSED)');
      rmSync(folder, { recursive: true, force: true });
    },
  );

  it.each([
    ['MONGODB_URL', 'mongodb://ann:canary@127.0.0.1:9/holdfast', 'MongoDB at 127.0.0.1:9'],
    ['EVENTSTORE_URL', 'esdb://ann:canary@127.0.0.1:9?tls=false', 'EventStoreDB at 127.0.0.1:9'],
  ])('names every few seconds what it waits for: %s', async (name, url, what) => {
    const folder = newDataDir();
    const program = Program.start(API, { PORT: '0', DATA_DIR: folder, DEMO: 'false', [name]: url });
    const line = await program.waitFor(/({.*the start waits for .*})/, WITHIN);
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', waiting_for: what, msg: `the start waits for ${what}` });
    await program.end('SIGKILL');
    expect(program.printed).not.toContain('canary');
    rmSync(folder, { recursive: true, force: true });
  });
});
