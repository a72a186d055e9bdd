import '../quick-start.js';

// What is loaded from here on is found and compiled quickly.
const { runCommandLine } = await import('#command-line');

// What operators do, from a terminal, against a running service.
process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
