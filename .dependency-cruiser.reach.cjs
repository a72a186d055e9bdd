/**
 * What may be reached from where by static imports, however long the way: what is loaded is what these entries need. (What
 * is imported when it is needed, and types, do not count.) CONTRIBUTING.md has it in words.
 */
const base = require('./.dependency-cruiser.cjs');

const MODEL = '^libs/[^/]+/model\\.ts$';
const SERVICE = '^libs/platform/index\\.ts$';
const THREAD = '^libs/.*\\.thread\\.ts$';

const rule = (name, comment, path, to) => ({
  name,
  comment,
  severity: 'error',
  from: { path },
  to: { ...to, reachable: true },
});

module.exports = {
  forbidden: [
    rule('models-reach-no-package', 'What decides and folds needs `immutable` alone.', MODEL, {
      path: '(?:^|/)node_modules/',
      pathNot: '(?:^|/)node_modules/immutable/',
    }),
    rule(
      'models-reach-models-alone',
      'No way leads from a model to the engine, to HTTP or to an adapter.',
      '^libs/(?!platform/)[^/]+/model\\.ts$',
      { path: '^libs/(?:eventsourcing|http|platform|adapters)/' },
    ),
    rule('threads-reach-no-package', 'A thread loads what it runs.', THREAD, {
      path: '(?:^|/)node_modules/',
      pathNot: '(?:^|/)node_modules/immutable/',
    }),
    rule(
      'threads-take-narrow-doors',
      'The engine as a whole, and an adapter as a whole, are for the thread that answers; all take time from this machine.',
      THREAD,
      { path: ['^libs/eventsourcing/index\\.ts$', '^libs/adapters/(?!machine/)[^/]+/index\\.ts$', '^libs/http/'] },
    ),
    rule('adapters-load-when-configured', 'A start loads the adapters of a service without settings alone.', SERVICE, {
      path: '^libs/adapters/',
      pathNot: ['^libs/adapters/(?:embedded|machine)/', '^libs/adapters/sandbox-gateway/[^/]+\\.ts$'],
    }),
    rule('libraries-load-when-needed', 'Nor what only some answers, terminals or engines need.', SERVICE, {
      path: [
        '@bull-board',
        '@eventstore',
        '@grpc/grpc-js',
        'bullmq',
        'bwip-js',
        'ioredis',
        'maxmind',
        'mongodb',
        'pino-pretty',
      ].map((name) => `(?:^|/)node_modules/${name}/`),
    }),
  ],
  options: {
    ...base.options,
    tsPreCompilationDeps: false,
    exclude: { ...base.options.exclude, dynamic: true },
  },
};
