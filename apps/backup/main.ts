import '../quick-start.js';

// Imports after quick-start use its cache and its bundle.
const { runOrderedBackup } = await import('#platform');

// Takes a backup of the service that has started it.
await runOrderedBackup(process.env);
