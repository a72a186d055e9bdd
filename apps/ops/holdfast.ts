import '../quick-start.js';

// Imports after quick-start use its cache and its bundle.
const { runCommandLine } = await import('#command-line');
const { local } = await import('./local.js');

// The same command line as the executable `holdfast` (scripts/holdfast.mjs).
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  name: 'holdfast',
  // The service's own code loads only if no service answers.
  openFolder: async (waiting) => (await import('#platform')).readFolder(process.env, waiting),
  files: () => import('#platform'),
  local,
});
