import '../quick-start.js';

// What is loaded from here on is found and compiled quickly.
const { runOps } = await import('#ops');

// What operators do, from a terminal, against a running service.
process.exitCode = await runOps(process.argv.slice(2), process.env);
