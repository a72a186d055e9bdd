import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load, LoadAnswer, LoadResult } from './visit.js';

const CLIENT = fileURLToPath(new URL('./load.client.js', import.meta.url));

/** The load generator, in a process of its own: one for all turns, so that it is equally warm for each server. */
export class LoadGenerator {
  #child: ChildProcess | undefined;

  /** One run at a time. Rejects when a request fails or gets a status other than 200. */
  async run(load: Load): Promise<LoadResult> {
    const child = (this.#child ??= fork(CLIENT));
    try {
      return await new Promise<LoadResult>((resolve, reject) => {
        child.once('message', (answer: LoadAnswer) => {
          if ('result' in answer) resolve(answer.result);
          else reject(new Error(answer.error));
        });
        child.once('exit', () => reject(new Error('the load generator ended')));
        child.send(load);
      });
    } catch (error) {
      // Its other connections go on.
      this.stop();
      throw error;
    } finally {
      for (const event of ['message', 'exit']) child.removeAllListeners(event);
    }
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
