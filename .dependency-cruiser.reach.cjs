/**
 * Rules about everything that an entry reaches by static imports, directly or indirectly, so that it loads only what it needs.
 * Dynamic imports and types do not count. CONTRIBUTING.md has the rules in words.
 */
const base = require('./.dependency-cruiser.cjs');

const MODEL = '^libs/[^/]+/model\\.ts$';
const SERVICE = '^libs/platform/index\\.ts$';
/** The threads of a service. That of the doctor, a command, checks a folder as a start does. */
const THREAD = '^libs/(?!platform/doctor/).*\\.thread\\.ts$';

const rule = (name, comment, path, to) => ({
  name,
  comment,
  severity: 'error',
  from: { path },
  to: { ...to, reachable: true },
});

module.exports = {
  forbidden: [
    rule('models-reach-no-package', 'Deciders and folds need only the package `immutable`.', MODEL, {
      path: '(?:^|/)node_modules/',
      pathNot: '(?:^|/)node_modules/immutable/',
    }),
    rule(
      'models-reach-models-alone',
      'A model reaches neither files nor the engine nor HTTP nor an adapter.',
      '^libs/(?!platform/)[^/]+/model\\.ts$',
      { path: '^libs/(?:files|eventsourcing|http|platform|adapters)/' },
    ),
    rule('threads-reach-no-package', 'A thread loads only what it runs.', THREAD, {
      path: '(?:^|/)node_modules/',
      pathNot: '(?:^|/)node_modules/immutable/',
    }),
    rule(
      'threads-take-narrow-doors',
      'Only the main thread loads the whole engine and whole adapters. Every thread may load this machine’s time.',
      THREAD,
      { path: ['^libs/eventsourcing/index\\.ts$', '^libs/adapters/(?!machine/)[^/]+/index\\.ts$', '^libs/http/'] },
    ),
    rule('adapters-load-when-configured', 'A start without settings loads only the embedded adapters.', SERVICE, {
      path: '^libs/adapters/',
      pathNot: ['^libs/adapters/(?:embedded|machine)/', '^libs/adapters/sandbox-gateway/[^/]+\\.ts$'],
    }),
    rule('libraries-load-when-needed', 'A start loads no package that only some calls or engines need.', SERVICE, {
      path: [
        '@bull-board',
        '@eventstore',
        '@grpc/grpc-js',
        '@prometheus-io',
        'bullmq',
        'bwip-js',
        'ioredis',
        'maxmind',
        'mongodb',
        'nodemailer',
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
