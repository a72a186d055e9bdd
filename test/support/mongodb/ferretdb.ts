import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const sources = join(root, 'test/support/ferretdb');
const MODULE = 'github.com/FerretDB/FerretDB';
/** Changes to FerretDB's own code, in the version that go.sum fixes: file, text, and its replacement. */
const CHANGES = [
  // It ends the whole process some time after a refused query, because it finds that the query was never closed.
  ['internal/util/resource/resource.go', 'panic(msg)', '_ = msg'],
  // It keeps a connection of its pool for each update of one command, and waits for ever when none is left.
  ['internal/handler/msg_update.go', 'defer closer.Close()\n', ''],
  ['internal/handler/msg_update.go', '"update", iter, &u)\n', '"update", iter, &u)\n\t\tcloser.Close()\n'],
  // It asks for an id in other words than its index has, so it reads every document of the collection to find one.
  ['internal/backends/sqlite/metadata/metadata.go', `"->'$._id'"`, `"->'_id'"`],
  // It reads every document of the collection unless one id is the only condition.
  [
    'internal/backends/sqlite/collection.go',
    'if params.Filter.Len() == 1 {',
    'if params.Filter != nil && params.Filter.Has("_id") {',
  ],
  [
    'internal/backends/sqlite/collection.go',
    'switch v.(type) {',
    'whereClause, args = whereIDIn(v)\n\t\tswitch v.(type) {',
  ],
] as const;
/** A file of ours that is added to its own. */
const ADDED = 'internal/backends/sqlite/ids.go';
const ADDED_FROM = 'sqlite/ids.go';
/** Leaves out what is not used: that takes less time to build. */
const TAGS = 'ferretdb_no_postgresql';
/** Milliseconds after which a build counts as interrupted. */
const LONGEST_BUILD = 10 * 60_000;

/**
 * The path of a FerretDB of test/support/ferretdb, built on the first call, which takes a minute or more and needs Go; undefined
 * if that fails. All clones of this user share it, under a name that changes with its sources. Workers that ask at the same time
 * wait for the one that builds.
 */
export async function builtFerretDb(): Promise<string | undefined> {
  const hash = createHash('sha256');
  for (const name of ['main.go', 'go.mod', 'go.sum', ADDED_FROM]) hash.update(readFileSync(join(sources, name)));
  hash.update(JSON.stringify([CHANGES, TAGS, process.platform, process.arch]));
  const name = `ferretdb-${hash.digest('hex').slice(0, 16)}`;
  const binary = join(cacheFolder(), name);
  const [lock, failed] = [`${binary}.lock`, join(root, 'dist', `${name}.failed`)];
  for (;;) {
    if (existsSync(binary)) return binary;
    // A run an hour later may have a network.
    if (ageOf(failed) < 60 * 60_000) return undefined;
    if (take(lock)) break;
    if (ageOf(lock) > LONGEST_BUILD) rmSync(lock, { recursive: true, force: true });
    await sleep(200);
  }
  try {
    return build(binary, failed) ? binary : undefined;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** The user's cache folder; dist/ if that is not writable. */
function cacheFolder(): string {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast');
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return join(root, 'dist');
  }
}

function build(binary: string, failed: string): boolean {
  if (spawnSync('go', ['version']).status !== 0) return false;
  process.stderr.write('Building FerretDB for the tests of the MongoDB adapter (once, a minute or more) …\n');
  const downloaded = go('mod', 'download', '-json', MODULE);
  const made =
    downloaded.status === 0 ? buildFrom(JSON.parse(downloaded.stdout) as { readonly Dir: string }, binary) : downloaded;
  if (made.status !== 0) {
    process.stderr.write(`FerretDB cannot be built: ${made.stderr || made.stdout}\n`);
    mkdirSync(failed, { recursive: true });
    return false;
  }
  renameSync(`${binary}.new`, binary);
  return true;
}

/** Builds with a copy of FerretDB with these changes. */
function buildFrom({ Dir: downloaded }: { readonly Dir: string }, binary: string): SpawnSyncReturns<string> {
  const copy = `${binary}.source`;
  for (const part of ['build', 'ferretdb', 'internal']) copyFiles(join(downloaded, part), join(copy, part));
  copyFileSync(join(downloaded, 'go.mod'), join(copy, 'go.mod'));
  for (const [file, text, instead] of CHANGES) {
    const before = readFileSync(join(copy, file), 'utf8');
    if (!before.includes(text)) throw new Error(`${file} of FerretDB is not the one that is changed here`);
    rmSync(join(copy, file));
    writeFileSync(join(copy, file), before.replace(text, instead));
  }
  copyFileSync(join(sources, ADDED_FROM), join(copy, ADDED));
  copyFileSync(join(sources, 'go.sum'), `${binary}.sum`);
  writeFileSync(`${binary}.mod`, `${readFileSync(join(sources, 'go.mod'), 'utf8')}\nreplace ${MODULE} => ${copy}\n`);
  const made = go('build', '-tags', TAGS, '-modfile', `${binary}.mod`, '-o', `${binary}.new`, '.');
  rmSync(copy, { recursive: true });
  return made;
}

/** Into folders of our own: those of Go's cache may not be writable, and a copy would keep that. */
function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFiles(source, target);
    else copyFileSync(source, target);
  }
}

function go(...args: readonly string[]): SpawnSyncReturns<string> {
  // Without the parts in C, which need another compiler.
  return spawnSync('go', args, { cwd: sources, encoding: 'utf8', env: { ...process.env, CGO_ENABLED: '0' } });
}

/** Creating a folder is atomic. */
function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ageOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? Infinity : Date.now() - stats.mtimeMs;
}
