/**
 * Checks and bundles the page of the console (libs/console/page) into dist/console: a script and a style, whose names have the hashes
 * of their contents, and `manifest.json`, which the service reads. The build runs it after the compiler.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'libs/console/page');
const out = join(root, 'dist/console');

function check() {
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', page, '--singleThreaded'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The script, with its packages. */
async function script() {
  const all = await rolldown({
    cwd: root,
    platform: 'browser',
    input: join(page, 'main.tsx'),
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    tsconfig: join(page, 'tsconfig.json'),
  });
  const { output } = await all.generate({ format: 'esm', minify: true, codeSplitting: false });
  await all.close();
  return output[0].code;
}

/** The style: the tokens that all pages of the service share, that of the plots, and the page’s own. */
async function style() {
  const { TOKENS } = await import(new URL('../dist/libs/http/tokens.js', import.meta.url));
  const files = [join(root, 'node_modules/uplot/dist/uPlot.min.css'), join(page, 'console.css')];
  const all = [TOKENS, ...files.map((file) => readFileSync(file, 'utf8'))].join('\n');
  return all
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1');
}

function write(name, text) {
  const [stem, extension] = name.split('.');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const file = `${stem}-${hash}.${extension}`;
  writeFileSync(join(out, file), text);
  return file;
}

check();
const made = { script: await script(), style: await style() };
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const names = { script: write('console.js', made.script), style: write('console.css', made.style) };
writeFileSync(join(out, 'manifest.json'), JSON.stringify({ ...names, files: Object.values(names) }));
