/**
 * Bundles what programs and threads load, with its packages, into a few files in dist/bundle: a start needs most of its time
 * to load some 1500 files one by one. The build runs it after the compiler; `apps/quick-start.ts` uses what it writes.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const compiled = (file) => import(new URL(`../dist/libs/platform/snapshots/${file}`, import.meta.url));
const { foldDigest } = await compiled('fold-digest.js');
const { KEPT_FOLDS } = await compiled('kept-folds.js');

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist');
const libs = join(dist, 'libs');
const bundle = join(dist, 'bundle');
const list = join(bundle, 'bundle.json');

/** What apps import. */
const PROGRAMS = ['platform', 'platform/sandbox-gateway', 'command-line'];
/** The packages that every start loads. Others stay in node_modules, with their native code: only some starts or calls load them. */
const AT_EVERY_START =
  /^(@fastify\/rate-limit|@nestjs\/.+|commander|csv-stringify|fastify|immutable|localized-address-format|luxon|pino|rxjs|uqr|zod)$/;

const threads = readdirSync(libs, { recursive: true }).filter((file) => file.endsWith('.thread.js'));
/** The names that programs import, and their files in the bundle. All lie in one folder, where `./x.thread.js` finds a thread. */
const programs = Object.fromEntries(PROGRAMS.map((name) => [`#${name}`, `${name.replaceAll('/', '.')}.js`]));

const isOurs = (id) => id.startsWith(libs + sep);
/** Has what snapshots are named by: in the bundle, that belongs to exactly the code that is in it. */
const DIGESTS = join(libs, 'platform', 'snapshots', 'bundled-digests.js');
const digests = () =>
  Object.fromEntries(
    Object.entries(KEPT_FOLDS).map(([category, entries]) => [category, foldDigest(dirname(dist), entries)]),
  );
/** Stands in for `node:http`. An `import` of that reads all of its exports, and one of them loads Node's client of web sockets. */
const HTTP = '\0http';

const ours = {
  name: 'ours',
  async resolveId(id, importer, options) {
    if (importer === HTTP) return { id, external: true };
    if (id === 'http' || id === 'node:http') return HTTP;
    if (importer === undefined || /^[./#]/.test(id)) return null;
    if (isOurs(importer) && !AT_EVERY_START.test(id)) return { id, external: true };
    // Nest imports packages that nobody has installed, and copes.
    return (await this.resolve(id, importer, { ...options, skipSelf: true })) ?? { id, external: true };
  },
  /** Passes on the compiler's source maps. A file that finds another one beside itself goes on to find it, but for threads. */
  load(id) {
    if (id === HTTP) return `module.exports = require('node:http');`;
    if (!isOurs(id)) return null;
    if (id === DIGESTS) return `export const bundledDigests = ${JSON.stringify(digests())};`;
    const place = JSON.stringify(relative(bundle, id).replaceAll(sep, '/'));
    const code = readFileSync(id, 'utf8').replaceAll(
      /(?<!\.thread\.js['"], )import\.meta\.url/g,
      `new URL(${place}, import.meta.url).href`,
    );
    return { code, map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
  },
};

/** Reads everything that programs and threads load. */
export const readAll = () =>
  rolldown({
    cwd: dirname(dist),
    platform: 'node',
    input: {
      ...Object.fromEntries(
        PROGRAMS.map((name) => [basename(programs[`#${name}`], '.js'), join(libs, name, 'index.js')]),
      ),
      ...Object.fromEntries(threads.map((file) => [basename(file, '.js'), join(libs, file)])),
    },
    plugins: [ours],
    treeshake: false,
    optimization: { inlineConst: false },
  });

/** Files are joined, and nothing in them is left out: Rolldown would drop calls that only throw. A spec compares all of them. */
export const OUTPUT = {
  format: 'esm',
  sourcemap: true,
  minify: false,
  // Nest, errors and logs use the names of classes.
  keepNames: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
};

async function write() {
  // A service that runs while somebody builds may still load a file of its own bundle: those of the last build stay.
  const earlier = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).files : [];
  for (const file of existsSync(bundle) ? readdirSync(bundle) : [])
    if (!earlier.includes(file)) rmSync(join(bundle, file));
  const all = await readAll();
  const { output } = await all.write({ ...OUTPUT, dir: bundle });
  await all.close();
  // Written last: while it is older than what the compiler wrote, nobody uses the bundle.
  writeFileSync(list, JSON.stringify({ programs, files: output.map(({ fileName }) => fileName) }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await write();
