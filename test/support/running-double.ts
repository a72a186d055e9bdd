import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** The double in a process of its own, which can be killed and frozen. */
export class RunningDouble {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Starts it and waits until it listens. */
  static async start(...options: string[]): Promise<RunningDouble> {
    const main = resolve('dist/test/support/eventstoredb/main.js');
    const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown];
    const url = /ready at (\S+)/.exec(String(line))?.[1];
    if (url === undefined) throw new Error('the double did not start');
    return new RunningDouble(child, url);
  }

  async kill(): Promise<void> {
    if (this.child.signalCode === null && this.child.kill('SIGKILL')) await once(this.child, 'exit');
  }
}
