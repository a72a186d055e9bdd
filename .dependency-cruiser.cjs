/**
 * The import rules of the tree. CONTRIBUTING.md has them in words; test/architecture/imports.nightly.spec.ts proves that each rule
 * finds a violation. Specs beside the code may import anything; all other files must keep the rules.
 */

const inside = (folder) => `^libs/${folder}/`;
/** A context: a folder of libs/ that holds business rules. */
const CONTEXT =
  '^libs/(?!(?:kernel|files|erasures-file|backup|eventsourcing|metrics|ownership|http|platform|adapters|command-line)/)([^/]+)/';
/** The entry to a context's model. */
const MODEL_OF_CONTEXT =
  '^libs/(?!(?:kernel|files|erasures-file|backup|eventsourcing|metrics|ownership|http|platform|adapters|command-line)/)[^/]+/model\\.ts$';
/** `x.events.ts`, or `events.ts` if there is only one. */
const named = (kinds) => `${CONTEXT}.*\\b(?:${kinds})\\.ts$`;
/** A folder of libs/ with its own entry; every adapter is one. */
const FOLDER = '^libs/(adapters/[^/]+|[^/]+)/';
/** Its entries, and narrower ones: the index.ts of a folder in it. */
const DOOR = `${FOLDER}(?:[^/]+/index|index|model|module)\\.ts$`;
/** The files that put a process or a thread together. */
const PROGRAMS = [
  '^libs/platform/(?:run|read-folder|backup/run-[a-z]+|sandbox-gateway/index|doctor/index)\\.ts$',
  '^libs/platform/(?:projector/projector|audit/audit|doctor/folder)\\.thread\\.ts$',
  '^libs/command-line/run-command-line\\.ts$',
];
/** The rooms of the engine, the folders of libs/eventsourcing: the lowest first. Each imports only rooms before it. */
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
  'verify',
];
const room = (name) => inside(`eventsourcing/${name}`);
/** What every room may import. */
const ENGINE_ERRORS = '^libs/eventsourcing/errors\\.ts$';
const OURS = '^(?:apps|libs|test)/';
/** A package. Linked worktrees and the spec's sample trees have their packages in another place. */
const installed = (name) => `(?:^|/)node_modules/${name}/`;

const rule = (name, comment, from, to, scope = 'module') => ({ name, comment, severity: 'error', scope, from, to });

module.exports = {
  forbidden: [
    rule(
      'kernel-imports-nothing-of-ours',
      'Everything depends on the kernel; it depends on nothing.',
      { path: inside('kernel') },
      { path: OURS, pathNot: inside('kernel') },
    ),
    rule(
      'files-import-only-the-kernel',
      'What reads and writes files knows nothing of what is in them.',
      { path: inside('files') },
      { path: OURS, pathNot: [inside('files'), inside('kernel')] },
    ),
    rule(
      'erasures-import-only-kernel-and-files',
      'The file of erasures outlives logs, keys and backups.',
      { path: inside('erasures-file') },
      { path: OURS, pathNot: [inside('erasures-file'), inside('files'), inside('kernel')] },
    ),
    rule(
      'backups-import-only-the-engine',
      'The format of a backup knows no business rules, no adapter and no program.',
      { path: inside('backup') },
      {
        path: OURS,
        pathNot: [
          inside('backup'),
          inside('erasures-file'),
          inside('eventsourcing'),
          inside('files'),
          inside('kernel'),
        ],
      },
    ),
    rule(
      'eventsourcing-imports-only-kernel-and-files',
      'The engine knows no business rules and no adapter.',
      { path: inside('eventsourcing') },
      { path: OURS, pathNot: [inside('eventsourcing'), inside('files'), inside('kernel')] },
    ),
    rule(
      'metrics-import-only-the-engine',
      'What is measured comes through parameters: metrics know no business rules, no adapter and no program.',
      { path: inside('metrics') },
      { path: OURS, pathNot: [inside('metrics'), inside('eventsourcing'), inside('kernel')] },
    ),
    rule(
      'ownership-imports-only-the-engine',
      'Whether the log is ours is found out from the log, the keys and the port of the gateway alone.',
      { path: inside('ownership') },
      {
        path: OURS,
        pathNot: [
          inside('ownership'),
          inside('eventsourcing'),
          inside('files'),
          inside('kernel'),
          '^libs/purchasing/ports/',
        ],
      },
    ),
    rule(
      'clocks-need-no-log',
      'Adapters compare clocks before there is a log: `#ownership/clock` loads nothing else of the ownership.',
      { path: inside('ownership/clock') },
      { path: inside('ownership'), pathNot: inside('ownership/clock') },
    ),
    rule(
      'ownership-is-checked-by-the-platform',
      'Use cases do not ask whose log it is: the command loop asks its guard for them.',
      { path: '^libs/', pathNot: [inside('ownership'), inside('platform'), inside('adapters')] },
      { path: inside('ownership') },
    ),
    rule(
      'adapters-compare-clocks-alone',
      'Of the ownership, an adapter needs only the comparison of clocks.',
      { path: inside('adapters') },
      { path: inside('ownership'), pathNot: inside('ownership/clock') },
    ),
    ...ROOMS.map((name, at) =>
      rule(
        `${name}-imports-rooms-below`,
        'A room of the engine imports only the rooms below it (libs/eventsourcing/README.md).',
        { path: room(name) },
        { path: inside('eventsourcing'), pathNot: [...ROOMS.slice(0, at + 1).map(room), ENGINE_ERRORS] },
      ),
    ),
    rule(
      'every-room-has-its-place',
      'A file of the engine is in a room of ROOMS. Beside the rooms are only the entry, and errors that import no room.',
      { path: inside('eventsourcing'), pathNot: [...ROOMS.map(room), '^libs/eventsourcing/index\\.ts$'] },
      { path: inside('eventsourcing') },
    ),
    rule(
      'model-is-pure',
      'Events, state, rules, deciders and rows are pure: they import only the kernel, `immutable`, Node and their own context.',
      { path: named('events|state|rules|decider|row') },
      { pathNot: ['^libs/$1/', inside('kernel'), installed('immutable')], dependencyTypesNot: ['core'] },
    ),
    rule(
      'views-and-followers-are-pure',
      'Views, work lists and followers are pure too. They may also import events and deciders of other contexts, through their models.',
      { path: named('view|work|followers') },
      {
        pathNot: ['^libs/$1/', inside('kernel'), installed('immutable'), MODEL_OF_CONTEXT],
        dependencyTypesNot: ['core'],
      },
    ),
    rule(
      'views-take-types-alone',
      'A view or work list imports only types from another context: those of its events.',
      { path: named('view|work') },
      { path: MODEL_OF_CONTEXT, pathNot: '^libs/$1/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'through-the-door',
      'Import a folder of libs/ only through its index.ts, model.ts, module.ts, or the index.ts of a folder in it.',
      { path: FOLDER },
      { path: FOLDER, pathNot: ['^libs/$1/', DOOR] },
    ),
    rule(
      'through-the-door-from-outside',
      'Apps and tests too import a folder of libs/ only through its entries.',
      { path: '^(?:apps|test)/' },
      { path: FOLDER, pathNot: DOOR },
    ),
    rule(
      'modules-are-for-platform-and-tests',
      'Contexts import each other through index.ts and model.ts. Only the platform and tests import modules.',
      { path: ['^apps/', FOLDER], pathNot: inside('platform') },
      { path: `${FOLDER}module\\.ts$`, pathNot: '^libs/$1/' },
    ),
    rule(
      'no-cycle-between-folders',
      'Two folders that need each other are really one folder.',
      { path: '^libs/[^/]+$' },
      { path: '^libs/[^/]+$', circular: true },
      'folder',
    ),
    rule('no-cycle-between-files', 'Nobody can read files one by one if they need each other.', {}, { circular: true }),
    rule(
      'adapters-are-picked-by-the-platform',
      'Only the platform picks adapters; everything else knows only ports.',
      { path: '^(?:apps|libs)/', pathNot: [inside('platform'), inside('adapters')] },
      { path: inside('adapters'), pathNot: inside('adapters/machine') },
    ),
    rule(
      'the-machine-is-passed-in',
      'Code receives time and randomness through the ports `Time` and `Randomness`. Only programs take those of this machine, and adapters that receive none.',
      { path: '^(?:apps|libs)/', pathNot: [...PROGRAMS, inside('adapters')] },
      { path: inside('adapters/machine') },
    ),
    rule(
      'the-outside-is-one-parameter',
      'What a process is built on comes through `Surroundings`, which simulations replace: the parts that it is put together from open no adapter. The doctor is no part of a process: it looks at the outside itself.',
      {
        path: inside('platform'),
        pathNot: [
          ...PROGRAMS,
          '^libs/platform/(?:backup|engines|folder|mail|doctor)\\b',
          '^libs/platform/surroundings\\.ts$',
        ],
      },
      { path: inside('adapters'), pathNot: inside('adapters/machine') },
    ),
    rule(
      'platform-is-on-top',
      'Only apps and tests import the platform.',
      { path: '^libs/', pathNot: inside('platform') },
      { path: inside('platform') },
    ),
    rule(
      'apps-are-on-top-of-all',
      'An app only starts a program; nothing imports it.',
      { path: '^libs/' },
      { path: '^apps/' },
    ),
    rule(
      'nest-stays-at-the-edge',
      'Nest is for controllers, handlers and modules; business rules run without it.',
      {
        path: '^libs/',
        pathNot: [inside('http'), inside('platform'), '[./](?:controller|commands|queries|module)\\.ts$'],
      },
      { path: installed('@nestjs') },
    ),
    rule(
      'use-cases-know-no-http',
      'Commands and queries take values: parameters are read, and faults are put into words, by whoever calls them.',
      {
        path: [
          '^libs/.*[./](?:commands|queries)\\.ts$',
          '^libs/purchasing/checkout/(?:charging|check-order|order|outcome|parties|sections)\\.ts$',
        ],
      },
      { path: inside('http') },
    ),
    rule(
      'the-page-of-the-console-is-alone',
      'The page of the console runs in a browser: it imports what the build puts into it, and nothing of the service.',
      { path: inside('console/page') },
      { pathNot: [inside('console/page'), installed('(?:preact|@preact/signals|uplot)')] },
    ),
    rule(
      'the-service-loads-no-page',
      'The service sends what the build has made of the page of the console, and runs nothing of it.',
      { path: OURS, pathNot: inside('console/page') },
      { path: [inside('console/page'), installed('(?:preact|@preact/[^/]+|uplot)')] },
    ),
    rule(
      'tests-stay-out-of-the-product',
      'Production code imports neither tests nor specs.',
      { path: '^(?:apps|libs)/' },
      { path: ['^test/', '\\.spec\\.ts$'] },
    ),
    rule(
      'product-needs-no-development-package',
      'Production code needs only `dependencies`.',
      { path: '^(?:apps|libs)/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    ),
    rule(
      'every-import-is-there',
      'An import that cannot be resolved escapes every other rule.',
      {},
      { couldNotResolve: true },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^libs/.*\\.spec\\.ts$' },
    // Type imports count too: a decider that needs a controller's type depends on the controller.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
