import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { Bench } from './bench.js';
import { SharedServers } from '../support/shared-servers.js';
import { Cleanup } from './cleanup.js';
import { syncTime } from './measure/sync-time.js';
import { MEASUREMENTS } from './measurements.js';
import { readOptions, USAGE, type Options } from './options.js';
import { withTable } from './report/benchmarks-file.js';
import { tablesOf } from './report/table.js';
import type { Measured, Run } from './result.js';
import { specOf } from './rows.table.js';
import type { Cluster } from './servers/holdfast.js';

const BENCHMARKS = 'BENCHMARKS.md';
const GIGABYTE = 1_000_000_000;

const cleanups: Cleanup[] = [];
const interrupted = new AbortController();
/** Prints the rows that were measured so far: a run of an hour that is stopped is not lost. */
let print: (() => Promise<void>) | undefined;

function newCleanup(): Cleanup {
  const cleanup = new Cleanup();
  cleanups.push(cleanup);
  return cleanup;
}

async function stop(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup.run();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupted.signal.aborted) return;
    interrupted.abort();
    void stop()
      .then(() => print?.())
      .finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  });
}

/** On stderr, because stdout may be piped. */
function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Reports a row that fails, and lets the others run. */
async function orFailed(
  { progress }: Bench,
  measure: () => Promise<readonly Measured[]>,
): Promise<readonly Measured[]> {
  try {
    return await measure();
  } catch (error) {
    if (interrupted.signal.aborted) throw error;
    const failed = error instanceof Error ? error.message : String(error);
    progress(`failed: ${failed}`);
    return [{ failed }];
  }
}

/** Starts the servers of a cluster, or uses those that the environment names. */
async function clusterOf({ cluster }: Options): Promise<Cluster | undefined> {
  if (cluster === undefined) return undefined;
  const servers = await SharedServers.start();
  if (servers === undefined) throw new Error('--cluster needs EventStoreDB, MongoDB and Redis: see the message above');
  newCleanup().add(() => servers.stop());
  progress(`on ${servers.shown}`);
  return { ...cluster, servers };
}

async function run(options: Options): Promise<void> {
  mkdirSync(options.folder, { recursive: true });
  const folder = mkdtempSync(join(options.folder, 'bench-'));
  const cleanup = newCleanup();
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const cluster = await clusterOf(options);
  const bench = new Bench(options, folder, newCleanup, progress, cluster);
  cleanup.add(() => bench.stop());
  print = async () => {
    const done = resultOf(bench);
    if (done.lines.length === 0) return;
    const shown = options.json ? JSON.stringify(done, undefined, 2) : `\n${await tablesOf([done])}`;
    await new Promise<void>((written) => process.stdout.write(`${shown}\n`, () => written()));
  };
  for (const row of options.rows) {
    if (specOf(row).search === true && cluster !== undefined && cluster.servers.lacks.length > 0) {
      progress(`${row}: left out, because the stand-in for MongoDB is too slow for it`);
      continue;
    }
    progress(`${row}: ${specOf(row).title}`);
    const sync = syncTime(folder);
    const measured = await orFailed(bench, async () => MEASUREMENTS[row](bench, row));
    bench.lines.push(...measured.map((line) => ({ row, ...line, sync })));
  }
  await print();
  if (bench.lines.some(({ failed }) => failed !== undefined)) process.exitCode = 1;
}

function resultOf({ options, cluster, lines }: Bench): Run {
  const { turns, seconds, connections, scale } = options;
  const [processor] = cpus();
  return {
    at: new Date().toISOString(),
    machine: {
      processors: processor?.model ?? 'unknown',
      cores: cpus().length,
      memory: Math.round(totalmem() / GIGABYTE),
      system: `${type()} ${release()} ${arch()}`,
      node: process.version,
    },
    options: { turns, seconds, connections, scale },
    ...(cluster && { cluster: { apis: cluster.apis, servers: cluster.servers.shown } }),
    lines,
  };
}

function readRun(file: string): Run {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Run;
  } catch (cause) {
    const fix = `make it with: npm run --silent bench -- --json >${file}`;
    throw new Error(`${file} is not the JSON of a run; ${fix}`, { cause });
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  if (options.table.length > 0) {
    const runs = options.table.map(readRun);
    writeFileSync(BENCHMARKS, await withTable(readFileSync(BENCHMARKS, 'utf8'), runs));
    return;
  }
  if (options.show.length > 0) {
    process.stdout.write(`${await tablesOf(options.show.map(readRun))}\n`);
    return;
  }
  await run(options);
}

try {
  await main();
} catch (error) {
  // Whoever pressed Ctrl-C knows why the bench ended.
  if (!interrupted.signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  if (!interrupted.signal.aborted) await stop();
}
