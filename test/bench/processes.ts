import { fork, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load, LoadAnswer, LoadResult } from './load.js';

const START_WITHIN = 60_000;

/** A server under measurement. */
export interface Server {
  readonly pid: number;
  readonly port: number;
}

const fileBeside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The bare server, in a process of its own, which ends with the bench at the latest. */
export class Yardstick implements Server {
  private constructor(
    private readonly child: ChildProcess,
    readonly pid: number,
    readonly port: number,
  ) {}

  /** @param file the file with the server's answers */
  static async start(file: string): Promise<Yardstick> {
    const child = spawn(process.execPath, [fileBeside('./yardstick.js'), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    const port = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the yardstick did not start')), START_WITHIN);
      child.once('exit', () => reject(new Error('the yardstick ended')));
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        const found = /ready at \S+:(\d+)/.exec(printed)?.[1];
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(Number(found));
      });
    });
    return new Yardstick(child, child.pid ?? 0, port);
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}

/** The load generator, in a process of its own: one for all turns, so that it is equally warm for each server. */
export class LoadGenerator {
  readonly #child = fork(fileBeside('./load.client.js'));
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
