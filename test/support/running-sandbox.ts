import { join } from 'node:path';
import { readLedger, type LedgerLine } from '#adapters/sandbox-gateway';
import { newDataDir, Program } from './program.js';

/** Milliseconds. */
const START_WITHIN = 240_000;

/** The sandbox gateway in a process of its own. */
export class RunningSandbox {
  private constructor(
    private readonly program: Program,
    readonly url: string,
    readonly dataDir: string,
  ) {}

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
    const env = { PORT: '0', DATA_DIR: dataDir, ...options.env };
    const program = Program.start('apps/sandbox-gateway/main.js', env, options.prefix);
    return new RunningSandbox(program, await program.waitFor(/listens at (\S+)\. /, START_WITHIN), dataDir);
  }

  get child(): Program['child'] {
    return this.program.child;
  }

  /** Everything that it printed. */
  get printed(): string {
    return this.program.printed;
  }

  /** What it has done; it may be running. */
  get ledger(): readonly LedgerLine[] {
    return readLedger(join(this.dataDir, 'sandbox-gateway.jsonl'));
  }

  /** Stops it as an operator would, and waits. @returns its exit code */
  stop(): Promise<number | null> {
    return this.program.end('SIGTERM');
  }

  /** `kill -9`. The data folder stays. */
  async kill(): Promise<void> {
    await this.program.end('SIGKILL');
  }
}
