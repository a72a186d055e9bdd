import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const children = new Set<ChildProcess>();
const folders = new Set<string>();

/** A program of the project in a process of its own. */
export class Program {
  readonly #exit: Promise<unknown>;
  #printed = '';

  private constructor(readonly child: ChildProcess) {
    children.add(child);
    child.once('exit', () => children.delete(child));
    child.stdout?.on('data', (chunk: Buffer) => (this.#printed += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.#printed += chunk.toString()));
    this.#exit = once(child, 'exit');
  }

  /**
   * Starts it.
   * @param main its file under dist/
   * @param env its whole environment except PATH
   * @param prefix a command to run it under, such as strace
   */
  static start(main: string, env: Readonly<Record<string, string>>, prefix: readonly string[] = []): Program {
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', resolve('dist', main)];
    const [command = process.execPath, ...args] = [...prefix, ...program];
    const options = { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] as const };
    return new Program(spawn(command, args, { ...options, stdio: [...options.stdio] }));
  }

  /** Everything that it printed: standard output and logs. */
  get printed(): string {
    return this.#printed;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Waits until it has printed a line that matches, and `then` holds.
   * @returns what the first group matched
   * @throws Error with its output when it ends first, or when that takes longer than this many milliseconds
   */
  async waitFor(
    line: RegExp,
    within: number,
    then: (matched: string) => Promise<boolean> = async () => true,
  ): Promise<string> {
    const deadline = Date.now() + within;
    for (;;) {
      const matched = line.exec(this.#printed)?.[1];
      if (matched !== undefined && (await then(matched))) return matched;
      if (!this.running || Date.now() > deadline) {
        this.child.kill('SIGKILL');
        throw new Error(`the program did not start: ${this.#printed}`);
      }
      await pause(20);
    }
  }

  /** Sends a signal, and waits until it has ended. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.ended();
  }

  /** Waits until it has ended by itself. */
  async ended(): Promise<number | null> {
    if (this.running) await this.#exit;
    return this.child.exitCode;
  }
}

export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  folders.add(folder);
  return folder;
}

/** Ends the programs and removes the folders that a failed test has left. For a spec's `afterAll`. */
export async function discardLeftovers(): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
