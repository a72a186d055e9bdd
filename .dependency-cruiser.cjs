/**
 * The import rules of the tree (CONTRIBUTING.md has them in words; test/architecture/imports.spec.ts proves that each one
 * bites). Specs beside the code are free to import what they test with; everything else is held to this.
 */

const inside = (folder) => `^libs/${folder}/`;
/** A context: a folder of libs/ that is business, not ground. */
const CONTEXT = '^libs/(?!(?:kernel|eventsourcing|http|platform|adapters)/)([^/]+)/';
/** What others may know of its model. */
const MODEL_OF_CONTEXT = '^libs/(?!(?:kernel|eventsourcing|http|platform|adapters)/)[^/]+/model\\.ts$';
/** `x.events.ts`, or `events.ts` where there is one of a kind. */
const named = (kinds) => `${CONTEXT}.*\\b(?:${kinds})\\.ts$`;
/** A folder of libs/ with a door of its own; every adapter is one. */
const FOLDER = '^libs/(adapters/[^/]+|[^/]+)/';
/** Its doors, and narrower ones: of a folder in it that has an index.ts. */
const DOOR = `${FOLDER}(?:[^/]+/index|index|model|module)\\.ts$`;
/** Where a process, or a thread, is put together. */
const PROGRAMS = [
  '^libs/platform/(?:run|sandbox-gateway/index)\\.ts$',
  '^libs/platform/projector/projector\\.thread\\.ts$',
  '^libs/command-line/run-command-line\\.ts$',
];
const OURS = '^(?:apps|libs|test)/';
/** Linked worktrees and the spec's made-up trees have their packages elsewhere. */
const installed = (name) => `(?:^|/)node_modules/${name}/`;

const rule = (name, comment, from, to, scope = 'module') => ({ name, comment, severity: 'error', scope, from, to });

module.exports = {
  forbidden: [
    rule(
      'kernel-imports-nothing-of-ours',
      'The kernel is what everything is written in: it depends on nothing.',
      { path: inside('kernel') },
      { path: OURS, pathNot: inside('kernel') },
    ),
    rule(
      'eventsourcing-imports-only-the-kernel',
      'The engine knows no business and no adapter.',
      { path: inside('eventsourcing') },
      { path: OURS, pathNot: [inside('eventsourcing'), inside('kernel')] },
    ),
    rule(
      'model-is-pure',
      'Events, state, rules, deciders, rows and work lists are pure: the kernel, `immutable`, Node and their own context.',
      { path: named('events|state|rules|decider|row|work') },
      { pathNot: ['^libs/$1/', inside('kernel'), installed('immutable')], dependencyTypesNot: ['core'] },
    ),
    rule(
      'views-and-followers-are-pure',
      'So are views and followers, which know the events and deciders of other contexts, too: through their models.',
      { path: named('view|followers') },
      {
        pathNot: ['^libs/$1/', inside('kernel'), installed('immutable'), MODEL_OF_CONTEXT],
        dependencyTypesNot: ['core'],
      },
    ),
    rule(
      'views-take-types-alone',
      'What a view takes from another context is the types of its events.',
      { path: named('view') },
      { path: MODEL_OF_CONTEXT, pathNot: '^libs/$1/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'through-the-door',
      'A folder of libs/ is entered through its index.ts (or model.ts, module.ts, or the index.ts of a folder in it).',
      { path: FOLDER },
      { path: FOLDER, pathNot: ['^libs/$1/', DOOR] },
    ),
    rule(
      'through-the-door-from-outside',
      'Apps and tests, too, enter a folder of libs/ through its doors.',
      { path: '^(?:apps|test)/' },
      { path: FOLDER, pathNot: DOOR },
    ),
    rule(
      'modules-are-for-platform-and-tests',
      'Contexts meet through index.ts and model.ts; what wires them together is the platform, and tests look inside.',
      { path: ['^apps/', FOLDER], pathNot: inside('platform') },
      { path: `${FOLDER}module\\.ts$`, pathNot: '^libs/$1/' },
    ),
    rule(
      'no-cycle-between-folders',
      'Two folders that need each other are one.',
      { path: '^libs/[^/]+$' },
      { path: '^libs/[^/]+$', circular: true },
      'folder',
    ),
    rule('no-cycle-between-files', 'Files that need each other cannot be read one by one.', {}, { circular: true }),
    rule(
      'adapters-are-picked-by-the-platform',
      'One place picks adapters; everything else knows ports.',
      { path: '^(?:apps|libs)/', pathNot: [inside('platform'), inside('adapters')] },
      { path: inside('adapters'), pathNot: inside('adapters/machine') },
    ),
    rule(
      'the-machine-is-passed-in',
      'Whoever lives in time is given it (ports `Time` and `Randomness`): programs alone take that of this machine, and adapters where they are given none.',
      { path: '^(?:apps|libs)/', pathNot: [...PROGRAMS, inside('adapters')] },
      { path: inside('adapters/machine') },
    ),
    rule(
      'platform-is-on-top',
      'Only apps and tests stand above the platform.',
      { path: '^libs/', pathNot: inside('platform') },
      { path: inside('platform') },
    ),
    rule(
      'apps-are-on-top-of-all',
      'An app is a list of what runs; nothing needs it.',
      { path: '^libs/' },
      { path: '^apps/' },
    ),
    rule(
      'nest-stays-at-the-edge',
      'Nest is for controllers, handlers and modules; the rules of the business run without it.',
      {
        path: '^libs/',
        pathNot: [inside('http'), inside('platform'), '[./](?:controller|commands|queries|module)\\.ts$'],
      },
      { path: installed('@nestjs') },
    ),
    rule(
      'tests-stay-out-of-the-product',
      'What runs in production imports neither tests nor what only tests need.',
      { path: '^(?:apps|libs)/' },
      { path: ['^test/', '\\.spec\\.ts$'] },
    ),
    rule(
      'product-needs-no-development-package',
      'The product runs on `dependencies` alone.',
      { path: '^(?:apps|libs)/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    ),
    rule(
      'every-import-is-there',
      'An import that leads nowhere escapes every other rule.',
      {},
      { couldNotResolve: true },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^libs/.*\\.spec\\.ts$' },
    // Types are imports, too: a decider that needs the type of a controller depends on it.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
