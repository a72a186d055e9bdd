import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Attempt } from './append-watch.js';
import type { Answer, ApiOptions, Question, ApiMessage, Sent } from './api.child.js';

/** The command loop of an API in a process of its own. */
export class Api {
  readonly attempts: Attempt[] = [];
  readonly #asked = new Map<string, (answer: Answer) => void>();
  #number = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message: ApiMessage) => {
      if (message.kind === 'sends') this.attempts.push(message);
      if (message.kind !== 'answer') return;
      const key = `${message.number}/${message.index}`;
      this.#asked.get(key)?.(message.answer);
      this.#asked.delete(key);
    });
  }

  static async start(options: ApiOptions): Promise<Api> {
    const child = fork(resolve('dist/test/campaigns/lines/api.child.js'), [JSON.stringify(options)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const api = new Api(child);
    const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if ((first as ApiMessage | undefined)?.kind !== 'ready') throw new Error('an API did not start');
    return api;
  }

  /** Sends commands that arrive together; each has its own answer. */
  ask(...commands: readonly Sent[]): readonly Promise<Answer>[] {
    const number = (this.#number += 1);
    const answers = commands.map(
      (_, index) => new Promise<Answer>((resolve) => this.#asked.set(`${number}/${index}`, resolve)),
    );
    this.child.send({ kind: 'ask', number, commands } satisfies Question);
    return answers;
  }

  /** Whether its process is still running. */
  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.kill('SIGKILL')) await once(this.child, 'exit');
  }
}
