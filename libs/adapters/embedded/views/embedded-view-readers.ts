import type { View } from '#kernel';
import { thisMachine } from '#adapters/machine';
import type { GenerationRows, Time, Timer, ViewDamage, ViewReader, ViewReaders } from '#eventsourcing/ports';
import { makePrivateFolder } from '../private-folder.js';
import { DividedViewReader, newVainReads } from './divided-view-reader.js';
import { EmbeddedGenerationRows } from './generation-rows.js';
import { ListThread } from './list-thread.js';
import { EmbeddedViewReader } from './view-reader.js';

/**
 * How long a read transaction stays open for further reads, in milliseconds. That makes reading one row about a fifth
 * faster; but while it is open, the write-ahead log cannot start again.
 */
const HELD_FOR = 10;

/** Reads the views of a folder while another thread writes them. */
export class EmbeddedViewReaders implements ViewReaders {
  private readonly readers = new Map<View, { here: EmbeddedViewReader<object>; divided: DividedViewReader<object> }>();
  private readonly lists: ListThread;
  private readonly vain = newVainReads();
  private renewal: Timer | undefined;
  onDamage: ((damage: ViewDamage) => void) | undefined;

  private constructor(
    private readonly folder: string,
    private readonly time: Time,
    private readonly atOnce: number | undefined,
  ) {
    const answered = (): void => this.refresh();
    this.lists = new ListThread(folder, time, { answered, damaged: (damage) => this.onDamage?.(damage) });
  }

  /**
   * Opens the folder and makes a missing one.
   * @param atOnce rows that a read with a limit may look at in this thread; a spec gives less than the usual number
   */
  static open(folder: string, { time } = thisMachine, atOnce?: number): EmbeddedViewReaders {
    makePrivateFolder(folder);
    return new EmbeddedViewReaders(folder, time, atOnce);
  }

  reader<Row extends object>(view: View<Row>): ViewReader<Row> {
    let readers = this.readers.get(view);
    if (readers === undefined) {
      const on = {
        held: () => this.renewSoon(),
        damaged: (damage: ViewDamage) => this.onDamage?.(damage),
      };
      const here = new EmbeddedViewReader<object>(this.folder, view, on, this.atOnce);
      const divided = new DividedViewReader<object>(view, here, this.lists, this.vain, this.time);
      readers = { here, divided };
      this.readers.set(view, readers);
    }
    // The view is the key of the reader, so the rows have its type.
    return readers.divided as ViewReader as ViewReader<Row>;
  }

  generation(view: View, number: number): GenerationRows {
    return new EmbeddedGenerationRows(this.folder, view, number);
  }

  refresh(): void {
    this.time.cancel(this.renewal);
    this.renewal = undefined;
    for (const { here } of this.readers.values()) here.release();
  }

  async close(): Promise<void> {
    this.time.cancel(this.renewal);
    for (const { here } of this.readers.values()) here.close();
    await this.lists.close();
  }

  private renewSoon(): void {
    this.renewal ??= this.time.after(HELD_FOR, () => this.refresh()).unref();
  }
}
