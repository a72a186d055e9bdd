import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { lockDataFolder } from '#adapters/embedded';
import { freePort } from '../support/free-port.js';

const READY_WITHIN = 240_000;
const GONE_WITHIN = 15_000;

/** A Node on which Holdfast does not run: with it, a script starts the program in a second process. */
const otherNode = ['/usr/bin/node', '/usr/local/bin/node'].find((node) => {
  const { error, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return error === undefined && !/^v2[46]\./.test(stdout);
});

const linux = process.platform === 'linux' ? it : it.skip;

describe('a program that npm has started', () => {
  let root: string;
  const begun: ChildProcess[] = [];
  const others = new Set<number>();

  /** The built project in a folder of its own, so that nothing installs or builds in the folder that the tests run from. */
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'holdfast-npm-'));
    cpSync(resolve('scripts'), join(root, 'scripts'), { recursive: true });
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(resolve(file), join(root, file));
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    mkdirSync(join(root, 'dist'));
    for (const folder of ['apps', 'libs']) symlinkSync(resolve('dist', folder), join(root, 'dist', folder));
    const stamp = `import { fingerprint } from './scripts/prepare.mjs'; process.stdout.write(fingerprint())`;
    const made = spawnSync(process.execPath, ['--input-type=module', '-e', stamp], { cwd: root, encoding: 'utf8' });
    writeFileSync(join(root, 'dist/.built'), made.stdout);
  });
  afterEach(() => {
    for (const child of begun.splice(0)) child.kill('SIGKILL');
    for (const pid of others) if (lives(pid)) process.kill(pid, 'SIGKILL');
    others.clear();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  interface Begun {
    readonly child: ChildProcess;
    printed: string;
    readonly port: number;
  }

  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const environment = (): Record<string, string> => ({ PATH, HOME: root, DATA_DIR: join(root, 'data') });

  async function begin(command: string, args: readonly string[], says: RegExp): Promise<Begun> {
    const port = await freePort();
    const env = { ...environment(), PORT: String(port), DEMO: 'false' };
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    begun.push(child);
    const started = { child, printed: '', port };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (started.printed += chunk.toString()));
    await until(
      () => says.test(started.printed),
      READY_WITHIN,
      () => started.printed,
    );
    return started;
  }

  async function until(holds: () => boolean | Promise<boolean>, within: number, what: () => string): Promise<void> {
    const end = Date.now() + within;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(what());
      await pause(50);
    }
  }

  /** The chain of processes from npm's down to the one that listens. */
  function chainFrom(pid: number): number[] {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    const [next] = stdout.trim().split(/\s+/).filter(Boolean).map(Number);
    return next === undefined ? [pid] : [pid, ...chainFrom(next)];
  }

  const isFree = (port: number): Promise<boolean> =>
    new Promise((free) => {
      const server = createServer();
      server.once('error', () => free(false));
      server.listen(port, '127.0.0.1', () => server.close(() => free(true)));
    });

  async function endsWholly({ child, port }: Begun, which: number, signal: NodeJS.Signals): Promise<void> {
    const pids = chainFrom(child.pid ?? 0);
    for (const pid of pids) others.add(pid);
    process.kill(pids.at(which) ?? 0, signal);
    await until(
      () => !pids.some(lives),
      GONE_WITHIN,
      () => `${String(pids.filter(lives))} of ${String(pids)} live on`,
    );
    expect(await isFree(port)).toBe(true);
    lockDataFolder(join(root, 'data')).release();
  }

  linux.each([
    ['npm', 'SIGTERM', 0],
    ['npm', 'SIGKILL', 0],
    ['the shell between', 'SIGTERM', 1],
    ['the service', 'SIGHUP', -1],
  ] as const)(
    'ends wholly when %s gets %s, and keeps neither port nor folder',
    async (_, signal, which) => {
      await endsWholly(await begin('npm', ['start'], /is ready at/), which, signal);
    },
    120_000,
  );

  linux.each([
    ['npm', 'SIGTERM', 0],
    ['the gateway', 'SIGHUP', -1],
  ] as const)(
    'ends wholly, a sandbox gateway too, when %s gets %s',
    async (_, signal, which) => {
      await endsWholly(await begin('npm', ['run', 'sandbox-gateway'], /gateway listens at/), which, signal);
    },
    120_000,
  );

  const withOther = otherNode === undefined || process.platform !== 'linux' ? it.skip : it;
  withOther.each([
    ['SIGTERM', 0],
    ['SIGINT', 0],
    ['SIGKILL', 0],
    ['SIGTERM', -1],
  ] as const)('ends wholly where a script runs it in a second process: %s to process %i', async (signal, which) => {
    const args = ['scripts/run.mjs', 'dist/apps/sandbox-gateway/main.js'];
    await endsWholly(await begin(otherNode ?? '', args, /gateway listens at/), which, signal);
  });

  it('prints nothing besides the JSON that the caller asks for', async () => {
    const service = await begin('npm', ['start'], /is ready at/);
    const listed = spawnSync('npm', ['run', '-s', 'ops', '--', 'projections', 'list', '--json'], {
      cwd: root,
      env: { ...environment(), HOLDFAST_URL: `http://127.0.0.1:${service.port}` },
      encoding: 'utf8',
    });
    expect([listed.status, listed.stderr]).toEqual([0, '']);
    expect(JSON.parse(listed.stdout)).toMatchObject({ projections: expect.any(Array) });
    await endsWholly(service, 0, 'SIGTERM');
  });

  // npm makes such a link for `npm link` and in `.bin`.
  const onUnix = process.platform === 'win32' ? it.skip : it;
  onUnix('can be the executable holdfast, which runs from any folder and finds the token of its clone', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'holdfast-elsewhere-'));
    const link = join(elsewhere, 'holdfast');
    symlinkSync(join(root, 'scripts/holdfast.mjs'), link);
    const runs = (...args: readonly string[]) =>
      spawnSync(link, args, { cwd: elsewhere, env: { PATH, HOME: elsewhere }, encoding: 'utf8' });
    expect(runs('deals', 'show', '--help').stdout).toMatch(/^Usage: holdfast deals show \[options\] <deal>\n/);
    const { status, stderr } = runs('deals', 'show', 'lunch', '--url', 'http://127.0.0.1:9');
    expect([status, stderr]).toEqual([
      expect.any(Number),
      expect.stringMatching(/(operator\.token does not exist|No service answers)/),
    ]);
    expect(stderr).not.toContain(elsewhere);
    // Each press of a key runs this: it never builds.
    rmSync(join(root, 'dist/.built'));
    expect(runs('complete', '--', 'deals', 'mo').stdout).toMatch(/^move\t/);
    rmSync(elsewhere, { recursive: true, force: true });
  });
});

describe('a first start that is ended', () => {
  linux.each(['SIGTERM', 'SIGKILL', 'SIGHUP'] as const)(
    'leaves no npm behind, and no build: %s',
    async (signal) => {
      const root = mkdtempSync(join(tmpdir(), 'holdfast-npm-'));
      cpSync(resolve('scripts'), join(root, 'scripts'), { recursive: true });
      for (const file of ['package.json', 'package-lock.json']) cpSync(resolve(file), join(root, file));
      // These stand in for npm and for the build: each one runs for ever.
      const waits = `require('node:fs').writeFileSync(process.env.SAID_IN, String(process.pid)); setInterval(() => {}, 1000);`;
      writeFileSync(join(root, 'npm.cjs'), `if (process.argv[2] === 'ci') { ${waits} }`);
      const lasting = async (): Promise<number> => {
        const pidFile = join(root, 'pid');
        rmSync(pidFile, { force: true });
        const env = { PATH: process.env['PATH'], npm_execpath: join(root, 'npm.cjs'), SAID_IN: pidFile };
        const parent = spawn(process.execPath, ['scripts/run.mjs'], { cwd: root, env, stdio: 'ignore' });
        const pid = await first(() => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0), READY_WITHIN);
        parent.kill(signal);
        return pid;
      };
      const npm = await lasting();
      expect(await first(() => !lives(npm), GONE_WITHIN)).toBe(true);
      mkdirSync(join(root, 'node_modules/typescript-7/bin'), { recursive: true });
      cpSync(join(root, 'package-lock.json'), join(root, 'node_modules/.package-lock.json'));
      writeFileSync(join(root, 'node_modules/typescript-7/bin/tsc'), waits);
      const build = await lasting();
      expect(build).not.toBe(npm);
      expect(await first(() => !lives(build), GONE_WITHIN)).toBe(true);
      rmSync(root, { recursive: true, force: true });
    },
    120_000,
  );
});

/** The first result that is neither false nor empty; after so many milliseconds, the last result. */
async function first<T>(look: () => T, within: number): Promise<T> {
  const end = Date.now() + within;
  for (;;) {
    const found = look();
    if (Boolean(found) || Date.now() > end) return found;
    await pause(50);
  }
}

describe('a first start without network', () => {
  it('prints early what it cannot reach, and soon gives up with advice', () => {
    const root = mkdtempSync(join(tmpdir(), 'holdfast-npm-'));
    cpSync(resolve('scripts'), join(root, 'scripts'), { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) cpSync(resolve(file), join(root, file));
    const first = performance.now();
    spawnSync('npm', ['--version']);
    const begin = performance.now();
    const { status, stdout, stderr } = spawnSync('npm', ['start'], {
      cwd: root,
      // Nothing listens there.
      env: { PATH: process.env['PATH'], HOME: root, npm_config_registry: 'http://127.0.0.1:9/' },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm ci failed: http://127.0.0.1:9/ could not be')]);
    expect(stderr).toContain('127.0.0.1, which npm installs from, cannot be reached (ECONNREFUSED); still trying …');
    expect(stdout).not.toContain('Installing');
    // npm alone waits for 70 s between its tries, beside the time that it needs on this machine.
    expect(performance.now() - begin).toBeLessThan(60_000 + 10 * (begin - first));
    rmSync(root, { recursive: true, force: true });
  });
});

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
