import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, type } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { measureRow, sell } from './measure.ts';
import { readOptions, USAGE, type Options } from './options.ts';
import { Cleanup, LoadGenerator, syncTime, withReport } from './ours.ts';
import type { Name, Peer } from './peer.ts';
import { PEERS } from './peers.ts';
import { startPostgres, type Postgres } from './postgres.ts';
import { ROWS, type RowId, type Run, type Sale } from './run.ts';
import { reportOf, summaryOf } from './table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BENCHMARKS = join(ROOT, 'BENCHMARKS.md');
const COMMAND = 'cd bench/peers && npm start -- --table FILE';

const cleanup = new Cleanup();
const interrupted = new AbortController();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (interrupted.signal.aborted) return;
    interrupted.abort();
    void cleanup.run().finally(() => process.exit(1));
  });
}

/** On stderr, because stdout may be piped. */
function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function run(options: Options): Promise<Run> {
  const folder = mkdtempSync(join(options.folder, 'holdfast-peers-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  // PostgreSQL may have to run as somebody else, who finds only its own folder in here.
  chmodSync(folder, 0o711);
  const load = new LoadGenerator();
  cleanup.add(() => load.stop());

  let postgres: Promise<Postgres> | undefined;
  const surroundings = {
    ...{ folder, cleanup, items: join(folder, 'items.ndjson'), count: options.items },
    postgres: () => (postgres ??= cleanup.begun(startPostgres(folder))),
  };
  const peers = new Map<Name, Peer>();
  const missing: Record<string, string> = {};
  for (const name of options.peers) {
    progress(`starting ${name}`);
    try {
      peers.set(name, await PEERS[name](surroundings));
    } catch (error) {
      // Without Holdfast, there is nothing to compare and no catalogue.
      if (interrupted.signal.aborted || name === 'holdfast') throw error;
      progress(`${name} did not start: ${textOf(error)}`);
      missing[name] = textOf(error).split('\n')[0] ?? '';
    }
  }
  const sync = syncTime(folder);
  const rows: Run['rows'][number][] = [];
  for (const row of Object.keys(ROWS) as RowId[]) {
    rows.push({ row, results: await measureRow(row, peers, { ...options, load, progress }) });
  }
  const sales: Sale[] = [];
  for (const [name, peer] of peers) sales.push(await sell(name, peer));
  const { turns, seconds, items } = options;
  return {
    at: new Date().toISOString(),
    machine: {
      processors: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      system: `${type()} ${release()} ${arch()}`,
      node: process.version,
    },
    versions: await versionsOf(postgres),
    options: { turns, seconds, items },
    sync,
    rows,
    sales,
    missing,
  };
}

async function versionsOf(postgres: Promise<Postgres> | undefined): Promise<Readonly<Record<string, string>>> {
  const file = readFileSync(new URL('package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(file) as { dependencies: Readonly<Record<string, string>> };
  return { ...(postgres === undefined ? {} : { PostgreSQL: (await postgres).version }), ...dependencies };
}

const readRun = (file: string): Run => JSON.parse(readFileSync(file, 'utf8')) as Run;

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  // The service is started from the top of the checkout.
  process.chdir(ROOT);
  if (options.table !== undefined) {
    const summary = summaryOf(readRun(options.table));
    writeFileSync(BENCHMARKS, await withReport(readFileSync(BENCHMARKS, 'utf8'), COMMAND, summary));
    return;
  }
  if (options.show !== undefined) {
    process.stdout.write(`${reportOf(readRun(options.show))}\n`);
    return;
  }
  const done = await run(options);
  process.stdout.write(options.json ? `${JSON.stringify(done, undefined, 2)}\n` : `\n${reportOf(done)}\n`);
}

try {
  await main();
} catch (error) {
  if (!interrupted.signal.aborted) progress(textOf(error));
  process.exitCode = 1;
} finally {
  if (!interrupted.signal.aborted) await cleanup.run();
}
