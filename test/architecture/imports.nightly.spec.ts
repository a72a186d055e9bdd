import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = process.cwd();

/** The rules for single imports, and the rules for everything that an entry reaches. */
const RULES = '.dependency-cruiser.cjs';
const REACH = '.dependency-cruiser.reach.cjs';

interface Cruised {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
}

function cruise(tree: string, config: string): Cruised {
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const run = spawnSync(process.execPath, [cli, '--config', config, '--output-type', 'json', '{apps,libs,test}'], {
    cwd: tree,
    encoding: 'utf8',
    // The output lists every module of the tree, not only the violations.
    maxBuffer: 256 * 1024 * 1024,
  });
  if (!run.stdout.startsWith('{')) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Cruised;
}

/** The violations, as `rule: from -> to`, sorted. */
function violationsOf({ summary }: Cruised): readonly string[] {
  return summary.violations
    .map(
      ({ rule, from, to }) =>
        `${rule.name}: ${from} -> ${to.replace(/^.*node_modules\/((?:@[^/]+\/)?[^/]+).*$/, '$1')}`,
    )
    .sort();
}

/** An import of types alone, unless the name begins with `value ` or with `later ` (imported on demand). */
function importOf(name: string): string {
  if (name.startsWith('later ')) return `void import('${name.slice(6)}');`;
  return name.startsWith('value ') ? `import '${name.slice(6)}';` : `import type {} from '${name}';`;
}

/** The rooms of the engine, the lowest first: each imports only rooms before it. */
const ROOMS = [
  'ports',
  'caches',
  'scheduling',
  'crypto',
  'findings',
  'events',
  'snapshots',
  'command-loop',
  'work',
  'use-case',
  'projections',
];

/** A made-up tree: each file with its imports. Each case has a context of its own, so that no case disturbs another. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'apps/api/main.ts': ['#platform'],
  'libs/kernel/index.ts': ['./ids.js'],
  'libs/kernel/ids.ts': ['node:crypto'],
  'libs/files/index.ts': ['#kernel', 'node:fs'],
  'libs/eventsourcing/index.ts': ['#kernel', './ports/index.js', './projections/inner.js'],
  'libs/eventsourcing/errors.ts': ['#kernel'],
  'libs/eventsourcing/ports/index.ts': ['#kernel', './inner.js'],
  ...Object.fromEntries(
    ROOMS.map((room, at): [string, readonly string[]] => [
      `libs/eventsourcing/${room}/inner.ts`,
      ['#files', '#kernel', '../errors.js', ...ROOMS.slice(0, at).map((below) => `../${below}/inner.js`)],
    ]),
  ),
  'libs/ownership/index.ts': ['#kernel', '#eventsourcing', './clock/index.js', '#purchasing/ports'],
  'libs/ownership/clock/index.ts': ['#eventsourcing'],
  'libs/purchasing/ports/index.ts': [],
  'libs/http/index.ts': ['#kernel', '@nestjs/common'],
  'libs/platform/engines.ts': ['#adapters/embedded', '#sound/module', '#sound/model', '@nestjs/core', 'later mongodb'],
  'libs/platform/model.ts': ['value #sound/model', 'value #eventsourcing'],
  'libs/platform/run.ts': ['#adapters/machine', '#ownership'],
  'libs/command-line/run-command-line.ts': ['#adapters/machine'],
  'libs/adapters/machine/index.ts': ['#eventsourcing'],
  'libs/adapters/embedded/index.ts': ['#adapters/machine', '#eventsourcing', '#sound', './inner.js'],
  'libs/adapters/embedded/inner.ts': ['#eventsourcing/ports', '#ownership/clock'],
  'libs/adapters/embedded/inner.spec.ts': ['@jest/globals', '#sound/model', '../../../test/contracts/suite.js'],
  'libs/sound/index.ts': [],
  'libs/sound/model.ts': ['value ./deal/deal.decider.js', './deal/deal.view.js', './followers.js'],
  'libs/sound/module.ts': ['./deal/deal.controller.js', '@nestjs/common'],
  'libs/sound/deal/deal.events.ts': ['#kernel'],
  'libs/sound/deal/deal.decider.ts': ['#kernel', 'immutable', 'node:util', './deal.events.js'],
  'libs/sound/deal/deal.view.ts': ['#kernel', './deal.events.js', './deal.row.js'],
  'libs/sound/deal/deal.row.ts': [],
  'libs/sound/followers.ts': ['#kernel', './deal/deal.decider.js'],
  'libs/listing/model.ts': ['value ./all.view.js', 'value ./all.followers.js', 'zod'],
  'libs/listing/all.view.ts': ['#kernel', '#sound/model', 'value immutable'],
  'libs/listing/all.followers.ts': ['#kernel', 'value #sound/model'],
  'libs/listing/index.ts': ['#sound/model'],
  'libs/sound/deal/deal.commands.ts': ['#eventsourcing', '@nestjs/cqrs', './deal.decider.js'],
  'libs/sound/deal/deal.controller.ts': ['#http', '@nestjs/common', './deal.commands.js'],
  'test/contracts/suite.ts': ['@jest/globals', '#sound/module', '#platform', '#adapters/embedded'],
};

const forbidden: readonly (readonly [rule: string, from: string, imports: string, to: string])[] = [
  ['kernel-imports-nothing-of-ours', 'libs/kernel/bad.ts', '#sound', 'libs/sound/index.ts'],
  ['kernel-imports-nothing-of-ours', 'libs/kernel/worse.ts', '#http', 'libs/http/index.ts'],
  ['files-import-only-the-kernel', 'libs/files/bad.ts', '#eventsourcing', 'libs/eventsourcing/index.ts'],
  ['files-import-only-the-kernel', 'libs/files/worse.ts', '#sound', 'libs/sound/index.ts'],
  [
    'erasures-import-only-kernel-and-files',
    'libs/erasures-file/bad.ts',
    '#eventsourcing',
    'libs/eventsourcing/index.ts',
  ],
  ['backups-import-only-the-engine', 'libs/backup/bad.ts', '#http', 'libs/http/index.ts'],
  ['metrics-import-only-the-engine', 'libs/metrics/bad.ts', '#http', 'libs/http/index.ts'],
  ['eventsourcing-imports-only-kernel-and-files', 'libs/eventsourcing/bad.ts', '#sound', 'libs/sound/index.ts'],
  ['eventsourcing-imports-only-kernel-and-files', 'libs/eventsourcing/worse.ts', '#http', 'libs/http/index.ts'],
  ['ownership-imports-only-the-engine', 'libs/ownership/bad.ts', '#http', 'libs/http/index.ts'],
  ['ownership-imports-only-the-engine', 'libs/ownership/worse.ts', '#sound', 'libs/sound/index.ts'],
  ['clocks-need-no-log', 'libs/ownership/clock/bad.ts', '../index.js', 'libs/ownership/index.ts'],
  ['ownership-is-checked-by-the-platform', 'libs/owned/x.ts', '#ownership', 'libs/ownership/index.ts'],
  ['adapters-compare-clocks-alone', 'libs/adapters/embedded/bad.ts', '#ownership', 'libs/ownership/index.ts'],
  ...ROOMS.slice(1).map((above, at): [string, string, string, string] => {
    const room = ROOMS[at] ?? '';
    const to = `eventsourcing/${above}/inner`;
    return [`${room}-imports-rooms-below`, `libs/eventsourcing/${room}/bad.ts`, `../../${to}.js`, `libs/${to}.ts`];
  }),
  [
    'projections-imports-rooms-below',
    'libs/eventsourcing/projections/bad.ts',
    '../index.js',
    'libs/eventsourcing/index.ts',
  ],
  [
    'projections-imports-rooms-below',
    'libs/eventsourcing/projections/worse.ts',
    '../another/inner.js',
    'libs/eventsourcing/another/inner.ts',
  ],
  [
    'every-room-has-its-place',
    'libs/eventsourcing/another/inner.ts',
    '../ports/inner.js',
    'libs/eventsourcing/ports/inner.ts',
  ],
  ['every-room-has-its-place', 'libs/eventsourcing/loose.ts', './ports/inner.js', 'libs/eventsourcing/ports/inner.ts'],
  ['model-is-pure', 'libs/a/x.events.ts', 'luxon', 'luxon'],
  ['model-is-pure', 'libs/a/x.state.ts', '#sound', 'libs/sound/index.ts'],
  ['model-is-pure', 'libs/a/x.decider.ts', '#eventsourcing', 'libs/eventsourcing/index.ts'],
  ['model-is-pure', 'libs/a/x.row.ts', 'zod', 'zod'],
  ['model-is-pure', 'libs/a/x.rules.ts', '#http', 'libs/http/index.ts'],
  ['views-and-followers-are-pure', 'libs/a/x.view.ts', '#http', 'libs/http/index.ts'],
  ['views-and-followers-are-pure', 'libs/a/y.view.ts', 'zod', 'zod'],
  ['views-and-followers-are-pure', 'libs/a/x.work.ts', '#sound', 'libs/sound/index.ts'],
  ['views-and-followers-are-pure', 'libs/a/x.followers.ts', '#sound', 'libs/sound/index.ts'],
  ['views-and-followers-are-pure', 'libs/a/followers.ts', '#eventsourcing', 'libs/eventsourcing/index.ts'],
  ['views-take-types-alone', 'libs/a/z.view.ts', 'value #sound/model', 'libs/sound/model.ts'],
  ['views-take-types-alone', 'libs/a/z.work.ts', 'value #sound/model', 'libs/sound/model.ts'],
  ['through-the-door', 'libs/b/x.ts', '../sound/deal/deal.events.js', 'libs/sound/deal/deal.events.ts'],
  ['through-the-door', 'libs/b/y.ts', '../kernel/ids.js', 'libs/kernel/ids.ts'],
  ['through-the-door-from-outside', 'test/scenarios/x.ts', '../../libs/kernel/ids.js', 'libs/kernel/ids.ts'],
  [
    'through-the-door-from-outside',
    'test/scenarios/y.ts',
    '../../libs/adapters/embedded/inner.js',
    'libs/adapters/embedded/inner.ts',
  ],
  ['modules-are-for-platform-and-tests', 'libs/c/y.ts', '#sound/module', 'libs/sound/module.ts'],
  ['modules-are-for-platform-and-tests', 'apps/worker/main.ts', '#sound/module', 'libs/sound/module.ts'],
  ['adapters-are-picked-by-the-platform', 'libs/d/x.ts', '#adapters/embedded', 'libs/adapters/embedded/index.ts'],
  ['adapters-are-picked-by-the-platform', 'apps/ops/main.ts', '#adapters/embedded', 'libs/adapters/embedded/index.ts'],
  ['the-machine-is-passed-in', 'libs/d/y.ts', '#adapters/machine', 'libs/adapters/machine/index.ts'],
  ['the-machine-is-passed-in', 'libs/http/bad.ts', '#adapters/machine', 'libs/adapters/machine/index.ts'],
  ['the-machine-is-passed-in', 'libs/platform/worse.ts', '#adapters/machine', 'libs/adapters/machine/index.ts'],
  ['the-machine-is-passed-in', 'apps/worker/bad.ts', '#adapters/machine', 'libs/adapters/machine/index.ts'],
  [
    'the-outside-is-one-parameter',
    'libs/platform/service/parts.ts',
    '#adapters/embedded',
    'libs/adapters/embedded/index.ts',
  ],
  ['platform-is-on-top', 'libs/e/x.ts', '#platform', 'libs/platform/index.ts'],
  ['apps-are-on-top-of-all', 'libs/platform/bad.ts', '../../apps/api/main.js', 'apps/api/main.ts'],
  ['nest-stays-at-the-edge', 'libs/f/x.ts', '@nestjs/common', '@nestjs/common'],
  ['nest-stays-at-the-edge', 'libs/eventsourcing/nest.ts', '@nestjs/cqrs', '@nestjs/cqrs'],
  ['use-cases-know-no-http', 'libs/f/x.commands.ts', '#http', 'libs/http/index.ts'],
  ['use-cases-know-no-http', 'libs/f/x.queries.ts', 'value #http', 'libs/http/index.ts'],
  ['use-cases-know-no-http', 'libs/purchasing/checkout/order.ts', '#http', 'libs/http/index.ts'],
  ['tests-stay-out-of-the-product', 'libs/g/x.ts', '../../test/contracts/suite.js', 'test/contracts/suite.ts'],
  ['product-needs-no-development-package', 'libs/h/x.ts', 'fast-check', 'fast-check'],
  ['every-import-is-there', 'libs/i/x.ts', '#nowhere', '#nowhere'],
];

/** Entries that reach what they must not, with the path of imports that leads there. */
const reached: readonly (readonly [
  rule: string,
  to: string,
  way: readonly (readonly [file: string, imports: string])[],
])[] = [
  [
    'models-reach-no-package',
    'zod',
    [
      ['libs/j/model.ts', 'value ./deal/deal.decider.js'],
      ['libs/j/deal/deal.decider.ts', 'value ./helper.js'],
      ['libs/j/deal/helper.ts', 'value zod'],
    ],
  ],
  [
    'models-reach-models-alone',
    'libs/eventsourcing/index.ts',
    [
      ['libs/k/model.ts', 'value ./deal/deal.decider.js'],
      ['libs/k/deal/deal.decider.ts', 'value ./helper.js'],
      ['libs/k/deal/helper.ts', 'value #eventsourcing'],
    ],
  ],
  [
    'threads-reach-no-package',
    'luxon',
    [
      ['libs/platform/projector/projector.thread.ts', 'value ../locations.js'],
      ['libs/platform/locations.ts', 'value #l'],
      ['libs/l/index.ts', 'value luxon'],
    ],
  ],
  [
    'threads-take-narrow-doors',
    'libs/eventsourcing/index.ts',
    [
      ['libs/adapters/embedded/writer.thread.ts', 'value ./file.js'],
      ['libs/adapters/embedded/file.ts', 'value #eventsourcing'],
    ],
  ],
  [
    'adapters-load-when-configured',
    'libs/adapters/remote/index.ts',
    [
      ['libs/platform/index.ts', 'value ./engines/engines.js'],
      ['libs/platform/engines/engines.ts', 'value #adapters/remote'],
      ['libs/adapters/remote/index.ts', 'value mongodb'],
    ],
  ],
  ['libraries-load-when-needed', 'mongodb', [['libs/platform/index.ts', 'value ./engines/engines.js']]],
];

/** Splits a pattern with several words in one group into one pattern per word: each word must match something. */
function eachWord(pattern: string): readonly string[] {
  const group = /\(\?:(\w+(?:\|\w+)+)\)/.exec(pattern);
  if (group === null) return [pattern];
  const [all, words = ''] = group;
  return words.split('|').flatMap((word) => eachWord(pattern.replace(all, word)));
}

/** All path patterns in the rules of a file, each with the name of its rule. */
function patternsOf(config: string): readonly (readonly [rule: string, pattern: string])[] {
  interface Side {
    readonly path?: string | readonly string[];
    readonly pathNot?: string | readonly string[];
  }
  const { forbidden: rules } = createRequire(import.meta.url)(join(root, config)) as {
    forbidden: readonly { readonly name: string; readonly from: Side; readonly to: Side }[];
  };
  return rules.flatMap(({ name, from, to }) =>
    [from.path, from.pathNot, to.path, to.pathNot]
      .flat()
      .filter((pattern) => pattern !== undefined)
      // What stands for a part of the importing file's path stands for any.
      .flatMap((pattern) => eachWord(pattern.replaceAll('$1', '[^/]+')))
      .map((pattern) => [name, pattern] as const),
  );
}

describe('the import rules', () => {
  let tree: string;
  let found: readonly string[];
  let foundByReach: readonly string[];
  let ours: Cruised;

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'holdfast-imports-'));
    for (const file of [RULES, REACH, 'tsconfig.json', 'package.json']) cpSync(join(root, file), join(tree, file));
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    const write = (file: string, imports: readonly string[]): void => {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), [...imports.map(importOf), 'export {};'].join('\n'));
    };
    for (const [file, imports] of Object.entries(allowed)) write(file, imports);
    for (const [, file, imports] of forbidden) write(file, [imports]);
    for (const [, , way] of reached) for (const [file, imports] of way) write(file, [imports]);
    // Two files that import each other; and two contexts that do, although no two of their files form a circle.
    write('libs/round/one.ts', ['./two.js']);
    write('libs/round/two.ts', ['./one.js']);
    write('libs/left/index.ts', []);
    write('libs/left/x.ts', ['#right']);
    write('libs/right/index.ts', []);
    write('libs/right/x.ts', ['#left']);
    write('libs/platform/projector/later.thread.ts', ['later zod', 'zod', 'value #eventsourcing/ports']);
    found = violationsOf(cruise(tree, RULES));
    foundByReach = violationsOf(cruise(tree, REACH));
    ours = cruise(root, RULES);
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

  it('no-cycle-between-folders: two contexts may not import each other', () => {
    expect(found).toContain('no-cycle-between-folders: libs/left -> libs/right');
  });

  it('allow what the tree needs: they find nothing else in the made-up tree', () => {
    const wrong = new Set([...forbidden.map(([, file]) => file), 'libs/round/one.ts', 'libs/round/two.ts']);
    const files = found.filter((line) => !line.startsWith('no-cycle-between-folders'));
    expect(files.filter((line) => !wrong.has(line.replace(/^\S+ (\S+) -> .*$/, '$1')))).toEqual([]);
  });

  it('resolve #x as Node does: to the same file, compiled', () => {
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

  it.each(reached)('%s: no entry may reach %s', (rule, to, way) => {
    const [entry] = way;
    expect(foundByReach).toContain(`${rule}: ${entry?.[0] ?? ''} -> ${to}`);
  });

  it('allow what models and threads need: they find nothing else in the made-up tree', () => {
    expect(foundByReach).toHaveLength(reached.length);
  });

  // `npm test` checks beside the specs what this tree reaches.
  it('hold for this tree', () => {
    expect(violationsOf(ours)).toEqual([]);
  });

  it('match something: each path pattern matches a file, a folder or a package', () => {
    const files = ours.modules.flatMap(({ source, dependencies }) => [
      source,
      ...dependencies.map((each) => each.resolved),
    ]);
    const there = [...new Set(files.flatMap((file) => [file, dirname(file)]))];
    const idle = [RULES, REACH].flatMap(patternsOf).filter(([, pattern]) => {
      const expression = new RegExp(pattern);
      return !there.some((file) => expression.test(file));
    });
    expect(idle).toEqual([]);
  });
});
