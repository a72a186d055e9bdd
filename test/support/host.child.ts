import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ENDED, type Order } from './hosts.js';

/**
 * A process that runs one program after another. Each gets an environment of its own; when it ends itself, the process goes
 * on without it, unless the program has left something open.
 */

/** Milliseconds without a program after which it ends. */
const IDLE = 20_000;
/** Milliseconds between two looks at what a program has left open, and their largest number. */
const LOOK_EVERY = 10;
const LOOKS = 100;
/** What stays: both streams, the channel, and timers that do not keep a process alive. */
const OURS = ['PipeWrap', 'Timeout'];

const { exit } = process;
const EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'warning', 'uncaughtException', 'exit'] as const;
const ours = new Map(EVENTS.map((event) => [event, process.listeners(event as 'warning')]));
const { warn, error: tell } = console;
// Reading it alone is not safe beside threads.
const umask = process.umask(0o022);
process.umask(umask);
let runs = 0;
/** The number of the last program that has ended. */
let over = 0;
/** The number of the program that runs this code; undefined in signal handlers. */
const ownRun = new AsyncLocalStorage<number>();
let idle = setTimeout(exit, IDLE, 0);

async function ended(code: number): Promise<void> {
  for (const [event, known] of ours) {
    for (const listener of process.listeners(event as 'warning')) {
      if (known.includes(listener)) continue;
      process.removeListener(event, listener);
      // A program writes its last lines when its process ends.
      if (event === 'exit') Reflect.apply(listener, process, [code]);
    }
  }
  Object.assign(console, { warn, error: tell });
  for (let looks = 0; process.getActiveResourcesInfo().some((each) => !OURS.includes(each)); looks += 1) {
    if (looks === LOOKS) exit(code);
    await pause(LOOK_EVERY);
  }
  idle = setTimeout(exit, IDLE, 0);
  // It comes after everything that the program has printed.
  for (const stream of [process.stdout, process.stderr]) stream.write(`${ENDED}${code}\n`);
}

process.exit = (code) => {
  const run = ownRun.getStore() ?? runs;
  // What an earlier program has left behind cannot end this one, and a program ends only once.
  if (run === runs && run !== over) {
    over = run;
    void ownRun.exit(() => ended(Number(code ?? 0)));
  }
  return undefined as never;
};

process.on('message', ({ main, env, args }: Order) => {
  clearTimeout(idle);
  // The first program has named the folder of compiled code for its threads, in a file that is loaded once (quick-start.ts).
  for (const name of Object.keys(process.env))
    if (name !== 'NODE_COMPILE_CACHE') Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  process.argv.splice(1, Infinity, main, ...(args ?? []));
  process.exitCode = undefined;
  process.umask(umask);
  // Only this file is loaded anew.
  runs += 1;
  ownRun
    .run(runs, async () => {
      await import(`${pathToFileURL(main).href}?run=${runs}`);
      if (args !== undefined) process.exit(process.exitCode);
    })
    .catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      exit(1);
    });
});
process.on('disconnect', () => exit(0));
