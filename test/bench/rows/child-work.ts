import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs one of the files `*.child.ts` beside this one in a process of its own, and returns what it reports. */
export async function runChild<T>(name: string, args: readonly string[]): Promise<T> {
  const child = fork(fileURLToPath(new URL(`./${name}.child.js`, import.meta.url)), args, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${name} ended without a report`);
  });
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [T];
  await ended.catch(() => undefined);
  return report;
}
