import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load, LoadAnswer, LoadResult } from './visit.js';

/** The load generator, in a process of its own: one for all turns, so that it is equally warm for each server. */
export class LoadGenerator {
  readonly #child = fork(fileURLToPath(new URL('./load.client.js', import.meta.url)));
  #answer = Promise.withResolvers<LoadResult>();

  constructor() {
    this.#child.on('message', (answer: LoadAnswer) => {
      if ('result' in answer) this.#answer.resolve(answer.result);
      else this.#answer.reject(new Error(`the load generator: ${answer.error}`));
    });
    this.#child.on('exit', () => this.#answer.reject(new Error('the load generator ended')));
  }

  /** One run at a time. Rejects when a request fails or gets a status other than 200. */
  run(load: Load): Promise<LoadResult> {
    this.#answer = Promise.withResolvers();
    this.#child.send(load);
    return this.#answer.promise;
  }

  stop(): void {
    this.#child.removeAllListeners();
    this.#child.kill('SIGKILL');
  }
}
