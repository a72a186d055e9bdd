import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from './cleanup.js';
import { LoadGenerator } from './load/load-generator.js';
import type { Options } from './options.js';
import { profiled } from './profile/profiled.js';
import type { Line, Measured } from './result.js';
import type { RowId } from './rows.table.js';
import { startHoldfast, type Cluster, type Holdfast } from './servers/holdfast.js';
import { ratioOf, sideOf, takeTurns, type Contender } from './turns.js';

/** Measures one row, as one line or several. */
export type Measurement = (bench: Bench, row: RowId) => Promise<readonly Measured[]>;

/** What measurements share: the options of the run, its folder, the load generators, and the services under measurement. */
export class Bench {
  readonly load: LoadGenerator;
  /** Loads beside the other one. */
  readonly beside: LoadGenerator;
  /** What was measured so far. */
  readonly lines: Line[] = [];
  /** The services of the last rows: the next row may use them too. */
  #place: { readonly name: string; readonly cleanup: Cleanup; readonly of: Promise<unknown> } | undefined;

  constructor(
    readonly options: Options,
    /** The folder of this run, which is removed at its end. */
    readonly folder: string,
    /** Ended at the end of the run at the latest. */
    readonly newCleanup: () => Cleanup,
    readonly progress: (line: string) => void,
    /** What services run on; undefined: the embedded engines. */
    readonly cluster?: Cluster,
  ) {
    this.load = new LoadGenerator();
    this.beside = new LoadGenerator();
  }

  /** A size that a row names, at the scale of this run. */
  sized(number: number): number {
    return Math.max(1, Math.round(number * this.options.scale));
  }

  newFolder(): string {
    return mkdtempSync(join(this.folder, 'data-'));
  }

  /**
   * The services and data that rows share, such as a catalogue of 100 000 deals. Only the last such place is kept: services
   * that do nothing need memory too.
   */
  async place<T>(name: string, make: (cleanup: Cleanup) => Promise<T>): Promise<T> {
    if (this.#place?.name !== name) {
      await this.#place?.cleanup.run();
      this.progress(`preparing: ${name}`);
      const cleanup = this.newCleanup();
      this.#place = { name, cleanup, of: make(cleanup) };
    }
    return this.#place.of as Promise<T>;
  }

  start(cleanup: Cleanup, dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Holdfast> {
    const { cluster, folder, options } = this;
    return cleanup.begun(startHoldfast(dataDir, folder, { inspected: options.profile, env, cluster }));
  }

  /** The same as one process on the embedded engines. */
  startEmbedded(cleanup: Cleanup, dataDir: string): Promise<Holdfast> {
    return cleanup.begun(startHoldfast(dataDir, this.folder));
  }

  /** Does some work of a row; with `--profile`, also writes and shows what it costs. */
  profiled<T>(row: string, holdfast: Holdfast, work: () => Promise<T>): Promise<T> {
    return profiled(this, row, holdfast, work);
  }

  /** Measures Holdfast against its yardsticks, turn by turn. The figure is the ratio to the first of them. */
  async compare(
    row: string,
    ours: Contender & { readonly server: Holdfast },
    yardsticks: readonly Contender[],
  ): Promise<Measured> {
    const { options, load } = this;
    const { turns, warmUps, seconds, connections } = options;
    const all = [ours, ...yardsticks];
    const progress = (line: string): void => this.progress(`${row}: ${line}`);
    const length = { load, seconds, connections, turns, warmUps, progress };
    const taken = await takeTurns(all, length);
    if (options.profile) {
      await this.profiled(row, ours.server, () => takeTurns([ours], { ...length, turns: 1, warmUps: 0 }));
    }
    const [own = [], ...others] = taken;
    const ratios = others.map((turns) => ratioOf(own, turns, ({ rate }) => rate));
    const [figure = { median: NaN, lowest: NaN, highest: NaN }] = ratios;
    const names = yardsticks.map(({ name }) => name);
    return {
      figure,
      connections,
      sides: all.map(({ name }, index) => sideOf(name, taken[index] ?? [])),
      ...(ratios.length > 1
        ? { shown: Object.fromEntries(ratios.slice(1).map((ratio, index) => [`of ${names[index + 1]}`, ratio.median])) }
        : {}),
    };
  }

  /** Ends the load generators. */
  stop(): void {
    this.load.stop();
    this.beside.stop();
  }
}
