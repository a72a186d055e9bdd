/**
 * Makes the tree ready to run: installs and builds what is missing, and nothing else. On a fresh clone, any Node from 20 runs
 * it, so it is plain JavaScript without packages.
 *
 * The results hold the records (npm's in node_modules/, ours in dist/): delete one of those folders, and the next run makes
 * it again.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { hasChecksum } from './check-node.mjs';
import { withLock } from './lock.mjs';
import { isUsable, VERSIONS } from './node-version.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const dist = join(root, 'dist');
const stamp = join(dist, '.built');

/** A few quick tries: with npm's own pauses (10 s and more), people without a network would wait for minutes. */
const RETRIES = ['--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
/** npm's codes for a registry or a proxy that it cannot reach. */
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;

/** Prints a line for people, on stderr, because stdout may be a report in a pipe. */
const say = (text) => process.stderr.write(`${text}\n`);
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The tree cannot be made ready. The message says what to do. */
export class NotReady extends Error {}

/**
 * Whether node_modules/ has what package-lock.json names. npm writes its record last, so an install that broke off has none.
 * Optional packages may be missing: they are for other machines.
 */
function installed() {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readJson(join(root, 'package-lock.json')).packages;
  const present = readJson(record).packages;
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === '') return true;
    const found = present[path];
    return found === undefined ? optional === true : found.version === version && found.integrity === integrity;
  });
}

function install() {
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new NotReady(
      'node_modules is a link to packages that differ from package-lock.json: run npm ci in the folder that it points to.',
    );
  }
  say('Installing (once, one to five minutes) …');
  // --include=dev: the build needs these packages even with NODE_ENV=production. --loglevel: `npm test --silent` would hide the
  // cause of a failure.
  const args = ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error', ...RETRIES];
  const registry = npmRuns(['config', 'get', 'registry']).stdout?.trim();
  const watch = watchRegistry(registry);
  const npm = npmRuns(args);
  watch?.kill('SIGKILL');
  if (npm.status === 0) return;
  const output = npm.error === undefined ? npm.stdout + npm.stderr : String(npm.error);
  say(output);
  if (!UNREACHABLE.test(output)) throw new NotReady('npm ci failed.');
  throw new NotReady(
    `npm ci failed: ${registry} could not be reached. The first start needs it, and no later one: check the network, or npm's own settings (npm config get registry, npm config get proxy), and start again.`,
  );
}

/** Runs the npm that started this process, otherwise the one on the path. */
function npmRuns(args) {
  const cli = process.env.npm_execpath;
  const options = {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: endingWithThis(),
  };
  return cli === undefined
    ? spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
    : spawnSync(process.execPath, [cli, ...args], options);
}

/** An environment whose Node programs end when this one does: it waits for its child, so it cannot pass on a signal. */
function endingWithThis() {
  const also = new URL('./end-with-parent.mjs', import.meta.url).href;
  return { ...process.env, NODE_OPTIONS: [process.env.NODE_OPTIONS, `--import=${also}`].filter(Boolean).join(' ') };
}

/** Starts a process that reports, while npm tries, that the registry cannot be reached. This process itself waits for npm. */
function watchRegistry(registry) {
  const { https_proxy, HTTPS_PROXY, npm_config_https_proxy, npm_config_proxy } = process.env;
  const target = npm_config_https_proxy || npm_config_proxy || https_proxy || HTTPS_PROXY || registry;
  if (!URL.canParse(target ?? '')) return undefined;
  return spawn(process.execPath, [join(root, 'scripts/registry-watch.mjs'), target], {
    stdio: ['ignore', 'ignore', 2],
  });
}

/** A Node of a version that Holdfast runs on: the running one, otherwise the one that npm installed for this machine. */
function findNode() {
  if (isUsable(process.version)) return process.execPath;
  const packages = readJson(join(root, 'package.json')).optionalDependencies;
  const name = Object.keys(packages).find((each) => existsSync(join(modules, each, 'package.json')));
  const machine = `${process.platform} ${process.arch}`;
  if (name === undefined) {
    throw new NotReady(
      `Holdfast needs Node ${VERSIONS}. npm installed none here (${machine}) and the machine's own is ${process.version}: install Node ${VERSIONS} and try again.`,
    );
  }
  const path = join(modules, name, readJson(join(modules, name, 'package.json')).bin.node);
  checkInstalled(path, `${name}@${packages[name]}`);
  const version = (spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? '').trim();
  if (!isUsable(version)) {
    throw new NotReady(
      `Holdfast needs Node ${VERSIONS}, and the one from npm does not run here (${machine}): install Node ${VERSIONS}, run "npm ci --omit=optional" and try again.`,
    );
  }
  return path;
}

/** @throws NotReady if a Node from npm is not the one that Holdfast was tested with */
function checkInstalled(path, name) {
  const checksum = readJson(join(root, 'scripts/node-checksums.json'))[name];
  if (checksum !== undefined && hasChecksum(path, checksum, join(modules, '.node-checked'))) return;
  throw new NotReady(
    `${path} is not the Node that Holdfast was tested with: scripts/node-checksums.json has ${checksum === undefined ? 'no checksum' : 'another checksum'} of ${name}. Delete node_modules/ and try again. If that does not help, do not run it: install Node ${VERSIONS}.`,
  );
}

/** Every file in the folder and below, or the file itself, as paths from the root with `/`. */
function files(path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isDirectory() ? readdirSync(join(root, path)).flatMap((name) => files(`${path}/${name}`)) : [path];
}

/** The inputs of the build: the sources, and npm's record, which stands for the packages. */
const INPUTS = [
  'apps',
  'libs',
  'test',
  'tsconfig.json',
  'scripts/bundle.mjs',
  'scripts/bundle-console.mjs',
  'scripts/commit.mjs',
  'scripts/compile.mjs',
  'package-lock.json',
  'node_modules/.package-lock.json',
];

/** Changes when an input is added, removed or written. It reads sizes and times, not contents, because every start needs it. */
export function fingerprint() {
  const hash = createHash('sha256');
  for (const file of INPUTS.flatMap(files)) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex');
}

const built = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();

function build(node) {
  say('Building …');
  const before = fingerprint();
  rmSync(stamp, { force: true });
  const runs = (...args) =>
    spawnSync(node, args, {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...endingWithThis(), PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter) },
    }).status === 0;
  if (!runs(join(root, 'scripts/compile.mjs'))) throw new NotReady('The build failed.');
  removeOrphans();
  for (const script of ['scripts/bundle.mjs', 'scripts/bundle-console.mjs', 'scripts/commit.mjs']) {
    if (!runs(join(root, script))) throw new NotReady('The build failed.');
  }
  // The fingerprint from before the build: the next run builds sources that were written meanwhile.
  writeFileSync(stamp, before);
}

/** Removes compiled files without a source, which the compiler leaves behind: otherwise deleted specs would still run. */
function removeOrphans() {
  for (const output of ['apps', 'libs', 'test'].flatMap((folder) => files(`dist/${folder}`))) {
    const source = output.replace(/^dist\//, '').replace(/\.js(\.map)?$/, '.ts');
    if (!existsSync(join(root, source))) rmSync(join(root, output));
  }
}

/**
 * Installs and builds what is missing. Returns the path of the Node that runs it.
 * @param builds false: the caller builds later
 * @throws NotReady
 */
export function prepare(builds = true) {
  if (builds ? !built() : !installed()) {
    withLock(join(root, '.prepare.lock'), () => {
      if (!installed()) install();
      if (builds && !built()) build(findNode());
    });
  }
  return findNode();
}
