import { spawn, type ChildProcess } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ofOneProcess, type Server } from './server.js';

const START_WITHIN = 240_000;

/** A yardstick, in a process of its own: one of the files `*.child.ts` beside this one. */
export class ChildServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly server: Server,
  ) {}

  /**
   * Starts it, and waits until it prints its port.
   * @param name of its file, without `.child.ts`
   * @param answers the file that says what it answers
   * @param folder where its log goes
   */
  static async start(name: string, answers: string, folder: string): Promise<ChildServer> {
    const file = fileURLToPath(new URL(`./${name}.child.js`, import.meta.url));
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn(process.execPath, [file, answers], { stdio: ['ignore', 'pipe', log] });
    let printed = '';
    const port = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the server ${name} did not start`)), START_WITHIN);
      child.once('exit', () => reject(new Error(`the server ${name} ended`)));
      child.stdout?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        const found = /ready at \S+:(\d+)/.exec(printed)?.[1];
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(Number(found));
      });
    });
    return new ChildServer(child, ofOneProcess(child.pid ?? 0, port));
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}
