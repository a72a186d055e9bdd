import '../quick-start.js';

// Imports after quick-start use its cache and its bundle.
const { runCommandLine } = await import('#command-line');
const { local } = await import('./local.js');

// The operators' command line for a running service.
process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  name: 'npm run ops --',
  // The service's own code loads only if no service answers.
  openFolder: async (waiting) => (await import('#platform')).readFolder(process.env, waiting),
  files: () => import('#platform'),
  local,
});
