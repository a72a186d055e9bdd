import { runOps } from '#ops';

// What operators do, from a terminal, against a running service.
process.exitCode = await runOps(process.argv.slice(2), process.env);
