import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLedger, type LedgerLine } from '#adapters/sandbox-gateway';
import { newDataDir } from './running-service.js';

const MAIN = resolve('dist/apps/sandbox-gateway/main.js');
/** Milliseconds. */
const START_WITHIN = 60_000;

/** The sandbox gateway in a process of its own. */
export class RunningSandbox {
  readonly #exit: Promise<unknown>;

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    readonly dataDir: string,
    private readonly output: { text: string },
  ) {
    this.#exit = once(child, 'exit');
  }

  /**
   * Starts it and waits until it listens. Without `dataDir` it gets a new folder.
   * @param prefix a command to run it under, such as strace
   */
  static async start(
    options: {
      readonly dataDir?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly prefix?: readonly string[];
    } = {},
  ): Promise<RunningSandbox> {
    const dataDir = options.dataDir ?? newDataDir();
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN];
    const [command = process.execPath, ...args] = [...(options.prefix ?? []), ...program];
    const child = spawn(command, args, {
      env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: dataDir, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { text: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
    const deadline = Date.now() + START_WITHIN;
    for (;;) {
      const url = /listens at (\S+)\. /.exec(output.text)?.[1];
      if (url !== undefined) return new RunningSandbox(child, url, dataDir, output);
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`the sandbox gateway did not start: ${output.text}`);
      }
      await pause(20);
    }
  }

  /** Everything that it printed. */
  get printed(): string {
    return this.output.text;
  }

  /** What it has done; it may be running. */
  get ledger(): readonly LedgerLine[] {
    return readLedger(join(this.dataDir, 'sandbox-gateway.jsonl'));
  }

  /** Stops it as an operator would, and waits; its exit code. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    await this.#exit;
    return this.child.exitCode;
  }

  /** `kill -9`. The data folder stays. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#exit;
  }
}
