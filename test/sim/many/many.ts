import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Plan } from '../run.js';
import { type ToldWorld, untold } from './told-world.js';

/**
 * A world makes much that is soon garbage: in a larger young generation less of it survives. One thread collects it, because
 * every processor has a world of its own.
 */
const MEMORY = ['--max-semi-space-size=64', '--min-semi-space-size=32', '--single-threaded-gc'];

/** So many worlds run in one process: what Node keeps of a world for longer than that ends with it. */
const WORLDS_OF_A_PROCESS = 50;

/** One process that runs worlds; another one takes its place when it ends. */
class Runner {
  #child: ChildProcess | undefined;
  #worlds = 0;

  async run(plan: Plan): Promise<ToldWorld> {
    if (this.#worlds === WORLDS_OF_A_PROCESS) await this.end();
    this.#worlds += 1;
    const began = performance.now();
    const child = (this.#child ??= fork(join(import.meta.dirname, 'child.js'), [], {
      execArgv: [...process.execArgv, ...MEMORY],
      serialization: 'advanced',
    }));
    const ending = new AbortController();
    const told = once(child, 'message', ending).then(([world]) => world as ToldWorld);
    const ended = once(child, 'exit', ending).then(([code, signal]) => {
      this.#child = undefined;
      this.#worlds = 0;
      return untold(plan, performance.now() - began, `its process ended: ${String(signal ?? `exit code ${code}`)}`);
    });
    const first = Promise.race([told, ended]);
    for (const each of [told, ended]) each.catch(() => undefined);
    child.send(plan);
    try {
      return await first;
    } finally {
      ending.abort();
    }
  }

  /** Ends it. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#worlds = 0;
    if (child === undefined) return;
    this.#child = undefined;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
}

/**
 * Runs worlds in several processes, each of which takes the next plan when it is done.
 * @param next the next plan; undefined: there are no more
 * @param tell told of each world
 */
export async function runMany(
  jobs: number,
  next: () => Plan | undefined,
  tell: (world: ToldWorld) => void,
): Promise<void> {
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const runner = new Runner();
      for (let plan = next(); plan !== undefined; plan = next()) tell(await runner.run(plan));
      await runner.end();
    }),
  );
}
