import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { giveBack, hostFor, readToEnd, type Host } from './hosts.js';

const children = new Set<ChildProcess>();
const folders = new Set<string>();
/** Milliseconds. */
const PRINTS_WITHIN = 30_000;

/** A program of the project in a process of its own. */
export class Program {
  readonly #ended: Promise<unknown>;
  #printed = '';
  /** Its exit code, once it has ended and its host goes on without it. */
  #left: number | undefined;

  private constructor(
    readonly child: ChildProcess,
    host?: Host,
  ) {
    children.add(child);
    const exit = once(child, 'exit').finally(() => children.delete(child));
    const reads = [child.stdout, child.stderr].map((stream) => readToEnd(stream, (text) => (this.#printed += text)));
    this.#ended =
      host === undefined
        ? exit
        : Promise.race([exit, Promise.all(reads).then(([code = 0]) => this.#leave(host, code, exit))]);
  }

  /**
   * Starts it.
   * @param main its file under dist/
   * @param env its whole environment except PATH
   * @param prefix a command to run it under, such as strace
   * @param log an open file for its standard error, instead of `printed`
   * @param root the folder of the checkout that has it
   */
  static start(
    main: string,
    env: Readonly<Record<string, string>>,
    prefix: readonly string[] = [],
    log?: number,
    root = '.',
  ): Program {
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', resolve(root, 'dist', main)];
    const [command = process.execPath, ...args] = [...prefix, ...program];
    const options = { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', log ?? 'pipe'] as const };
    return new Program(spawn(command, args, { ...options, stdio: [...options.stdio] }));
  }

  /**
   * Starts it in a process that may have run other programs, which ended in order. A program with settings for Node itself gets a
   * process of its own: Node reads them once.
   */
  static startInHost(main: string, env: Readonly<Record<string, string>>): Program {
    if (Object.keys(env).some((name) => name.startsWith('NODE_'))) return Program.start(main, env);
    const host = hostFor({ main: resolve('dist', main), env: { PATH: process.env['PATH'], ...env } });
    return new Program(host.child, host);
  }

  /** Everything that it printed: standard output and logs. */
  get printed(): string {
    return this.#printed;
  }

  get running(): boolean {
    return this.#left === undefined && this.child.exitCode === null && this.child.signalCode === null;
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
        if (this.running) this.child.kill('SIGKILL');
        throw new Error(`the program did not start: ${this.#printed}`);
      }
      await pause(20);
    }
  }

  /** Waits until it has printed this text. A log is written beside the work that it tells of, so its lines may come later. */
  async prints(text: string): Promise<void> {
    const deadline = Date.now() + PRINTS_WITHIN;
    while (!this.#printed.includes(text)) {
      if (Date.now() > deadline) throw new Error(`the program did not print ${text}, but: ${this.#printed}`);
      await pause(20);
    }
  }

  /** Sends a signal, and waits until it has ended. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.running) this.child.kill(signal);
    return this.ended();
  }

  /** Waits until it has ended by itself. @returns its exit code; null: a signal ended it */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#left ?? this.child.exitCode;
  }

  async #leave(host: Host, code: number, exit: Promise<unknown>): Promise<void> {
    this.#left = code;
    // Nothing goes on of a program that refused to start, or that had begun and was well.
    const begun = / ready at /.test(this.#printed) && !/"level":"(error|fatal)"/.test(this.#printed);
    if (code !== 0 || begun) {
      children.delete(this.child);
      giveBack(host);
    } else {
      this.child.kill('SIGKILL');
      await exit;
    }
  }
}

/** @param place the folder to make it in; `ON_DISK` for a test of what reaches the disk */
export function newDataDir(place = tmpdir()): string {
  const folder = mkdtempSync(join(place, 'holdfast-test-'));
  folders.add(folder);
  return folder;
}

/** Ends the programs and removes the folders that a failed test has left. For a spec's `afterAll`. */
export async function discardLeftovers(): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const folder of folders) removeDataDir(folder);
}

/** Removes a data folder, and the file of erasures beside it. */
export function removeDataDir(folder: string): void {
  for (const path of [folder, `${folder}.erasures`]) rmSync(path, { recursive: true, force: true });
}
