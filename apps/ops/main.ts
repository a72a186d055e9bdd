import '../compile-cache.js';

// What is loaded from here on comes from the cache.
const { runOps } = await import('#ops');

// What operators do, from a terminal, against a running service.
process.exitCode = await runOps(process.argv.slice(2), process.env);
