import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** One process that starts the service again and again, and is refused each time: most of a start is loading. */
export class RefusedStarts {
  #child: ChildProcess | undefined;
  #printed = '';

  /**
   * The text of the refusal of a start in this environment.
   * @throws Error when the start prints anything, or ends the process
   */
  async saidIn(environment: Readonly<Record<string, string>>): Promise<string> {
    const child = (this.#child ??= this.#begin());
    child.send(environment);
    const settled = new AbortController();
    const [message] = (await Promise.race([once(child, 'message', settled), once(child, 'exit', settled)])) as [
      unknown,
    ];
    settled.abort();
    if (this.#printed !== '' || typeof message !== 'string') throw new Error(`the start printed: ${this.#printed}`);
    return message;
  }

  async end(): Promise<void> {
    if (this.#child?.kill('SIGKILL') === true) await once(this.#child, 'exit');
  }

  #begin(): ChildProcess {
    const child = fork(resolve('dist/test/support/refused-starts.child.js'), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { PATH: process.env['PATH'] },
      silent: true,
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#printed += chunk.toString()));
    return child;
  }
}
