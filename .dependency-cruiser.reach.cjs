/**
 * What may be reached from where by static imports, however long the way: what is loaded is what these entries need. (What
 * is imported when it is needed, and types, do not count.) CONTRIBUTING.md has it in words.
 */
const base = require('./.dependency-cruiser.cjs');

const MODEL = '^libs/[^/]+/model\\.ts$';
const PROJECTOR = '^libs/platform/projector/projector\\.thread\\.ts$';

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
    rule('projector-reaches-no-package', 'A thread loads what it runs.', PROJECTOR, {
      path: '(?:^|/)node_modules/',
      pathNot: '(?:^|/)node_modules/immutable/',
    }),
  ],
  options: {
    ...base.options,
    tsPreCompilationDeps: false,
    exclude: { ...base.options.exclude, dynamic: true },
  },
};
