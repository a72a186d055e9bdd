import type { Position, Scalar, View } from '#kernel';
import { BoundedMap } from '#eventsourcing/caches';
import type { Query, RowVersions, StoredRow, Time, ViewReader, Where } from '#eventsourcing/ports';
import { presentCaller } from '#eventsourcing/scheduling';
import type { ListRead, ListThread } from './list-thread.js';
import type { EmbeddedViewReader } from './view-reader.js';

/**
 * After a read of a caller that looked at too many rows here, for nothing: the caller's next reads go to the thread for this many
 * times as long. So such reads take at most a twentieth of this thread's time.
 */
const AFTER_A_VAIN_READ = 20;
/** Callers in each of the two generations of their memory. */
const CALLERS = 1_000;

/** When the reads of a caller may be tried here again, by the monotonic clock. One for all views. */
export type VainReads = BoundedMap<string, number>;
export const newVainReads = (): VainReads => new BoundedMap(CALLERS);

/**
 * Reads a view. A read with a limit that an index answers soon is answered here, in the thread that answers calls; another one in
 * the thread of lists (ruling I17).
 */
export class DividedViewReader<Row extends object> implements ViewReader<Row> {
  constructor(
    private readonly view: View<Row>,
    private readonly here: EmbeddedViewReader<Row>,
    private readonly lists: ListThread,
    private readonly vain: VainReads,
    private readonly time: Pick<Time, 'monotonic'>,
  ) {}

  get(key: string): Promise<StoredRow<Row> | undefined> {
    return this.here.get(key);
  }

  texts(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.here.texts(keys);
  }

  async find(query: Query): Promise<readonly StoredRow<Row>[]> {
    if (query.examine === undefined) return this.here.find(query);
    return (
      this.#here(() => this.here.findAtOnce(query)) ??
      (this.#there({ kind: 'find', query }) as Promise<readonly StoredRow<Row>[]>)
    );
  }

  async versions(query: Query): Promise<RowVersions> {
    if (query.examine === undefined) return this.here.versions(query);
    return (
      this.#here(() => this.here.versionsAtOnce(query)) ??
      (this.#there({ kind: 'versions', query }) as Promise<RowVersions>)
    );
  }

  async count(where: Where, examine?: number): Promise<number> {
    if (examine === undefined) return this.here.count(where);
    return (
      this.#here(() => this.here.countAtOnce(where, examine)) ??
      (this.#there({ kind: 'count', where, examine }) as Promise<number>)
    );
  }

  min(field: string, where: Where): Promise<Scalar | undefined> {
    return this.here.min(field, where);
  }

  position(): Promise<Position> {
    return this.here.position();
  }

  #here<Found>(read: () => Found | undefined): Found | undefined {
    const caller = presentCaller()?.name ?? '';
    const begun = this.time.monotonic();
    if (begun < (this.vain.get(caller) ?? 0)) return undefined;
    const found = read();
    if (found !== undefined) return found;
    const ended = this.time.monotonic();
    this.vain.set(caller, ended + AFTER_A_VAIN_READ * (ended - begun));
    return undefined;
  }

  #there(read: ListRead): Promise<unknown> {
    return this.lists.read(this.view, read);
  }
}
