import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = process.cwd();

/** Runs the rules over a tree and returns what they forbid, as `rule: from -> to`, sorted. */
function violations(tree: string): readonly string[] {
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const run = spawnSync(process.execPath, [cli, '--output-type', 'json', '{apps,libs,test}'], {
    cwd: tree,
    encoding: 'utf8',
    // All modules of the tree are told, not only what is forbidden.
    maxBuffer: 256 * 1024 * 1024,
  });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  const { summary } = JSON.parse(run.stdout) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[] };
  };
  return summary.violations
    .map(
      ({ rule, from, to }) =>
        `${rule.name}: ${from} -> ${to.replace(/^.*node_modules\/((?:@[^/]+\/)?[^/]+).*$/, '$1')}`,
    )
    .sort();
}

/** Of types alone, but for what is marked as a value. */
function importOf(name: string): string {
  return name.startsWith('value ') ? `import '${name.slice(6)}';` : `import type {} from '${name}';`;
}

/** A made-up tree: each file with what it imports. A context of its own per case, so that none disturbs another. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'apps/api/main.ts': ['#platform'],
  'libs/kernel/index.ts': ['./ids.js'],
  'libs/kernel/ids.ts': ['node:crypto'],
  'libs/eventsourcing/index.ts': ['#kernel', './loop.js'],
  'libs/eventsourcing/loop.ts': ['#kernel'],
  'libs/http/index.ts': ['#kernel', '@nestjs/common'],
  'libs/platform/index.ts': ['#adapters/embedded', '#sound/module', '#sound/model', '@nestjs/core'],
  'libs/adapters/embedded/index.ts': ['#eventsourcing', '#sound', './inner.js'],
  'libs/adapters/embedded/inner.ts': [],
  'libs/adapters/embedded/inner.spec.ts': ['@jest/globals', '#sound/model', '../../../test/contracts/suite.js'],
  'libs/sound/index.ts': [],
  'libs/sound/model.ts': ['./deal/deal.decider.js', './deal/deal.view.js'],
  'libs/sound/module.ts': ['./deal/deal.controller.js', '@nestjs/common'],
  'libs/sound/deal/deal.events.ts': ['#kernel'],
  'libs/sound/deal/deal.decider.ts': ['#kernel', 'immutable', 'node:util', './deal.events.js'],
  'libs/sound/deal/deal.view.ts': ['#kernel', './deal.events.js', './deal.rows.js'],
  'libs/sound/deal/deal.rows.ts': [],
  'libs/listing/all.view.ts': ['#kernel', '#sound'],
  'libs/sound/deal/deal.commands.ts': ['#eventsourcing', '@nestjs/cqrs', './deal.decider.js'],
  'libs/sound/deal/deal.controller.ts': ['#http', '@nestjs/common', './deal.commands.js'],
  'test/contracts/suite.ts': ['@jest/globals', '#sound/module', '#platform', '#adapters/embedded'],
};

const forbidden: readonly (readonly [rule: string, from: string, imports: string, to: string])[] = [
  ['kernel-imports-nothing-of-ours', 'libs/kernel/bad.ts', '#sound', 'libs/sound/index.ts'],
  ['kernel-imports-nothing-of-ours', 'libs/kernel/worse.ts', '#http', 'libs/http/index.ts'],
  ['eventsourcing-imports-only-the-kernel', 'libs/eventsourcing/bad.ts', '#sound', 'libs/sound/index.ts'],
  ['eventsourcing-imports-only-the-kernel', 'libs/eventsourcing/worse.ts', '#http', 'libs/http/index.ts'],
  ['model-is-pure', 'libs/a/x.events.ts', 'luxon', 'luxon'],
  ['model-is-pure', 'libs/a/x.state.ts', '#sound', 'libs/sound/index.ts'],
  ['model-is-pure', 'libs/a/x.decider.ts', '#eventsourcing', 'libs/eventsourcing/index.ts'],
  ['views-are-pure', 'libs/a/x.view.ts', '#http', 'libs/http/index.ts'],
  ['views-are-pure', 'libs/a/y.view.ts', 'zod', 'zod'],
  ['views-take-types-alone', 'libs/a/z.view.ts', 'value #sound', 'libs/sound/index.ts'],
  ['model-is-pure', 'libs/a/x.rows.ts', 'zod', 'zod'],
  ['through-the-door', 'libs/b/x.ts', '../sound/deal/deal.events.js', 'libs/sound/deal/deal.events.ts'],
  ['through-the-door', 'libs/b/y.ts', '../kernel/ids.js', 'libs/kernel/ids.ts'],
  ['through-the-door-from-outside', 'test/scenarios/x.ts', '../../libs/kernel/ids.js', 'libs/kernel/ids.ts'],
  [
    'through-the-door-from-outside',
    'test/scenarios/y.ts',
    '../../libs/adapters/embedded/inner.js',
    'libs/adapters/embedded/inner.ts',
  ],
  ['model-and-module-are-for-platform-and-tests', 'libs/c/x.ts', '#sound/model', 'libs/sound/model.ts'],
  ['model-and-module-are-for-platform-and-tests', 'libs/c/y.ts', '#sound/module', 'libs/sound/module.ts'],
  ['model-and-module-are-for-platform-and-tests', 'apps/worker/main.ts', '#sound/module', 'libs/sound/module.ts'],
  ['adapters-are-picked-by-the-platform', 'libs/d/x.ts', '#adapters/embedded', 'libs/adapters/embedded/index.ts'],
  ['adapters-are-picked-by-the-platform', 'apps/ops/main.ts', '#adapters/embedded', 'libs/adapters/embedded/index.ts'],
  ['platform-is-on-top', 'libs/e/x.ts', '#platform', 'libs/platform/index.ts'],
  ['apps-are-on-top-of-all', 'libs/platform/bad.ts', '../../apps/api/main.js', 'apps/api/main.ts'],
  ['nest-stays-at-the-edge', 'libs/f/x.ts', '@nestjs/common', '@nestjs/common'],
  ['nest-stays-at-the-edge', 'libs/eventsourcing/nest.ts', '@nestjs/cqrs', '@nestjs/cqrs'],
  ['tests-stay-out-of-the-product', 'libs/g/x.ts', '../../test/contracts/suite.js', 'test/contracts/suite.ts'],
  ['product-needs-no-development-package', 'libs/h/x.ts', 'fast-check', 'fast-check'],
  ['every-import-is-there', 'libs/i/x.ts', '#nowhere', '#nowhere'],
];

describe('the import rules', () => {
  let tree: string;
  let found: readonly string[];

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'holdfast-imports-'));
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json'])
      cpSync(join(root, file), join(tree, file));
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    const write = (file: string, imports: readonly string[]): void => {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), [...imports.map(importOf), 'export {};'].join('\n'));
    };
    for (const [file, imports] of Object.entries(allowed)) write(file, imports);
    for (const [, file, imports] of forbidden) write(file, [imports]);
    // Two files that need each other; and two contexts that do, though no two files of theirs form a circle.
    write('libs/round/one.ts', ['./two.js']);
    write('libs/round/two.ts', ['./one.js']);
    write('libs/left/index.ts', []);
    write('libs/left/x.ts', ['#right']);
    write('libs/right/index.ts', []);
    write('libs/right/x.ts', ['#left']);
    found = violations(tree);
  });

  afterAll(() => {
    rmSync(tree, { recursive: true, force: true });
  });

  it.each(forbidden)('%s: %s may not import %s', (rule, from, _, to) => {
    expect(found).toContain(`${rule}: ${from} -> ${to}`);
  });

  it('no-cycle-between-files: two files may not import each other', () => {
    expect(found).toContain('no-cycle-between-files: libs/round/one.ts -> libs/round/two.ts');
  });

  it('no-cycle-between-folders: two contexts may not need each other', () => {
    expect(found).toContain('no-cycle-between-folders: libs/left -> libs/right');
  });

  it('allow what the tree needs: nothing else is found in the made-up tree', () => {
    const wrong = new Set([...forbidden.map(([, file]) => file), 'libs/round/one.ts', 'libs/round/two.ts']);
    const files = found.filter((line) => !line.startsWith('no-cycle-between-folders'));
    expect(files.filter((line) => !wrong.has(line.replace(/^\S+ (\S+) -> .*$/, '$1')))).toEqual([]);
  });

  it('mean by #x what Node means: the same file, compiled', () => {
    const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as { imports: Record<string, string> };
    const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
      compilerOptions: { paths: Record<string, string[]> };
    };
    const sources = Object.entries(imports).map(([name, to]) => [
      name,
      [to.replace('/dist/', '/').replace(/js$/, 'ts')],
    ]);
    expect(compilerOptions.paths).toEqual(Object.fromEntries(sources));
  });

  it('hold for this tree', () => {
    expect(violations(root)).toEqual([]);
  });
});
