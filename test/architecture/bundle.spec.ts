import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { RunningService } from '../support/running-service.js';
import { tempFolder } from '../support/temp-folder.js';

const folder = tempFolder();
afterAll(() => folder.remove());

/** Writes down each file that a program or one of its threads loads, and at the end Node's own client of web sockets. */
const WATCH = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + '\\n');
    return next(url, context);
  },
});
process.on('exit', () => {
  for (const each of process.moduleLoadList) if (each.endsWith('/undici')) appendFileSync(process.env.LOADED, each + '\\n');
});
`;

/** The environment in which Node notes what it loads, and what it has noted: the paths from the root. */
function watched(name: string): {
  readonly env: Record<string, string>;
  lines(): readonly string[];
  loaded(): readonly string[];
} {
  const [script, noted] = [join(folder.path, 'watch.mjs'), join(folder.path, name)];
  writeFileSync(script, WATCH);
  writeFileSync(noted, '');
  const root = pathToFileURL(process.cwd()).href;
  const lines = (): string[] => readFileSync(noted, 'utf8').split('\n');
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(script).href}`, LOADED: noted },
    lines,
    loaded: () =>
      lines()
        .filter((url) => url.startsWith(`${root}/`))
        .map((url) => url.slice(root.length + 1)),
  };
}

describe('what a program loads', () => {
  it('a start of the service loads its bundle and little else, and so do its threads', async () => {
    const { env, lines, loaded } = watched('service');
    const service = await RunningService.start({ env });
    await service.discard();
    expect(loaded().filter((path) => path.startsWith('dist/libs/'))).toEqual([]);
    expect(loaded()).toEqual(expect.arrayContaining(['dist/bundle/platform.js']));
    for (const thread of ['writer', 'state', 'projector'])
      expect(loaded()).toEqual(expect.arrayContaining([`dist/bundle/${thread}.thread.js`]));
    expect(new Set(loaded()).size).toBeLessThan(100);
    expect(lines().filter((line) => line.includes('undici'))).toEqual([]);
    expect(lines().filter((line) => line.includes('opentelemetry'))).toEqual([]);
  });

  it('G9: it loads OpenTelemetry only if a collector is configured, and no thread does', async () => {
    const { env, lines } = watched('traced');
    const service = await RunningService.start({ env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } });
    await service.discard();
    expect(lines().filter((line) => line.includes('/@opentelemetry/sdk-trace/dist/index'))).toHaveLength(1);
  });

  it.each(['worker', 'sandbox-gateway', 'ops'])('%s loads its bundle', (program) => {
    const { env, loaded } = watched(program);
    const main = resolve('dist/apps', program, 'main.js');
    // Each of them refuses this.
    const wrong = { PORT: 'none', SANDBOX_GATEWAY_PORT: 'none', HOLDFAST_URL: 'none' };
    const { status } = spawnSync(process.execPath, [main, 'none'], {
      env: { PATH: process.env['PATH'], DATA_DIR: join(folder.path, program), ...wrong, ...env },
    });
    expect(status).not.toBe(0);
    expect(loaded().filter((path) => path.startsWith('dist/libs/'))).toEqual([]);
    expect(loaded().some((path) => path.startsWith('dist/bundle/'))).toBe(true);
  });
});

/** Bundles again, counts the parts of the syntax in each file before and after, and looks for it, whole, in the bundle. */
const COMPARE = (root: string): string => `
import { readFileSync, existsSync } from 'node:fs';
import ts from ${JSON.stringify(`${root}/node_modules/typescript/lib/typescript.js`)};
import { OUTPUT, readAll } from ${JSON.stringify(`${root}/scripts/bundle.mjs`)};
const KINDS = new Set(['Call', 'New', 'Await', 'Yield', 'Conditional', 'Binary', 'Delete', 'PrefixUnary', 'PostfixUnary', 'ElementAccess']
  .map((kind) => kind + 'Expression')
  .concat(['If', 'Try', 'Throw', 'Return', 'For', 'ForOf', 'ForIn', 'While', 'Switch', 'Break', 'Continue', 'Expression'].map((kind) => kind + 'Statement'))
  .concat(['CaseClause', 'NumericLiteral', 'RegularExpressionLiteral']).map((kind) => ts.SyntaxKind[kind]));
function counted(code) {
  const counts = {};
  const count = (node) => {
    // Directives such as 'use strict' go: modules are strict.
    if (ts.isExpressionStatement(node) && ts.isStringLiteral(node.expression)) return;
    if (KINDS.has(node.kind)) counts[node.kind] = (counts[node.kind] ?? 0) + 1;
    ts.forEachChild(node, count);
  };
  count(ts.createSourceFile('a.js', code, ts.ScriptTarget.Latest));
  return counts;
}
const all = await readAll();
const { output } = await all.generate(OUTPUT);
// The names of other files of the bundle are known last.
const nameless = (text) => text.replace(/import\\("\\.\\/[^"]*"\\)/g, 'import()');
let files = 0;
const missing = [];
for (const chunk of output.filter(({ type }) => type === 'chunk')) {
  const whole = nameless(chunk.code);
  for (const [file, { code }] of Object.entries(chunk.modules)) {
    if (code === null || !/\\.[cm]?js$/.test(file) || !existsSync(file)) continue;
    files += 1;
    if (!whole.includes(nameless(code).trim())) missing.push([file, 'changed when joined']);
    const after = counted(code);
    for (const [kind, count] of Object.entries(counted(readFileSync(file, 'utf8'))))
      if ((after[kind] ?? 0) < count) missing.push([file, ts.SyntaxKind[kind], count, after[kind]]);
  }
}
process.stdout.write(JSON.stringify({ files, missing }), () => process.exit());
`;

it('a bundle leaves out no part of its files', () => {
  const script = join(folder.path, 'compare.mjs');
  writeFileSync(script, COMPARE(pathToFileURL(process.cwd()).href));
  const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', maxBuffer: 1 << 26 });
  expect(stderr).toBe('');
  const { files, missing } = JSON.parse(stdout) as { files: number; missing: unknown[] };
  expect(missing).toEqual([]);
  expect(files).toBeGreaterThan(1_000);
});

describe('a program', () => {
  const root = join(folder.path, 'tree');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const written = (path: string, seconds: number): void => utimesSync(join(root, path), seconds, seconds);
  const runs = (): string =>
    spawnSync(process.execPath, [join(root, 'dist/apps/x/main.js')], { encoding: 'utf8' }).stdout;

  it('runs from its bundle, unless the compiler has written since, or there is none', () => {
    write('package.json', '{ "type": "module", "imports": { "#*": "./dist/libs/*/index.js" } }');
    write('dist/libs/thing/index.js', `export const from = 'its files';`);
    write('dist/apps/x/main.js', `import '../quick-start.js'; process.stdout.write((await import('#thing')).from);`);
    cpSync(resolve('dist/apps/quick-start.js'), join(root, 'dist/apps/quick-start.js'));
    expect(runs()).toBe('its files');
    write('dist/bundle/thing.js', `export const from = 'its bundle';`);
    write('dist/bundle/bundle.json', '{ "programs": { "#thing": "thing.js" }, "files": ["thing.js"] }');
    write('dist/.tsbuildinfo', '');
    written('dist/.tsbuildinfo', 1_000);
    expect(runs()).toBe('its bundle');
    written('dist/bundle/bundle.json', 999);
    expect(runs()).toBe('its files');
    rmSync(join(root, 'dist/bundle'), { recursive: true });
    expect(runs()).toBe('its files');
  });

  it('keeps compiled code beside the build, and so do its threads', () => {
    const tell = `process.stdout.write(String(process.getBuiltinModule('node:module').getCompileCacheDir()) + '\\n');`;
    cpSync(resolve('dist/apps/quick-start.js'), join(root, 'dist/apps/quick-start.js'));
    write('dist/apps/x/tell.js', tell);
    write(
      'dist/apps/x/main.js',
      `import '../quick-start.js';
       import { Worker } from 'node:worker_threads';
       ${tell} new Worker(new URL('./tell.js', import.meta.url));`,
    );
    const folder: unknown = expect.stringContaining(join(root, 'dist/.compile-cache'));
    expect(runs().trim().split('\n')).toEqual([folder, folder]);
  });
});
