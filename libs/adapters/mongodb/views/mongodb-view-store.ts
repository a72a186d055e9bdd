import type { Collection, UpdateFilter } from 'mongodb';
import type { View } from '#kernel';
import { type GenerationInfo, obsoleteVersions, type Timer, type ViewStore, type ViewWriter } from '#eventsourcing';
import { awaitServer, awaitSlow } from '../await-server.js';
import { isDuplicate, isMissing } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';
import { layoutOf } from './row-document.js';
import {
  checkpointOf,
  type GenerationRecord,
  pathOf,
  rowsOf,
  type GenerationsDocument,
  keptGenerations,
  keptRecord,
  generationsName,
  generationsCollection,
} from './generations-document.js';
import { MongoDbViewWriter } from './view-writer.js';

/** Milliseconds between the drop of a generation and of its collection: readers learn of it within a second. */
const READ_FOR = 10_000;

/**
 * Views as MongoDB collections, one per generation. One process at a time uses it, the one that feeds the views. If two
 * overlap for a moment, the process that opened a generation last writes it.
 */
export class MongoDbViewStore implements ViewStore {
  private readonly standings: Collection<GenerationsDocument>;
  private readonly writers = new Set<MongoDbViewWriter>();
  private readonly removals = new Set<Timer>();
  /** By the name of a view's document: its count of promotions when this store was asked for the generations, and its own since. */
  private readonly asked = new Map<string, number | null>();

  constructor(private readonly mongo: MongoDb) {
    this.standings = generationsCollection(mongo);
  }

  async generations(view: View, log: string): Promise<readonly GenerationInfo[]> {
    await this.removeLeftOvers(view);
    const name = generationsName(view);
    // Counted like a promotion: one that was asked for before, or a drop, does nothing if it arrives only now.
    const standing = await awaitServer(
      this.standings.findOneAndUpdate({ _id: name }, { $inc: { promotions: 1 } }, { returnDocument: 'after' }),
    );
    this.asked.set(name, standing?.promotions ?? null);
    const found: GenerationInfo[] = [];
    for (const { number, record } of keptGenerations(standing)) {
      if (record.log !== log || record.layout !== layoutOf(view)) {
        await this.drop(view, number);
        continue;
      }
      const live = standing?.live === number;
      found.push({ number, finished: record.finished, live, checkpoint: checkpointOf(record) });
    }
    if (found.some(({ live }) => live)) await this.removeObsolete(view);
    return found;
  }

  async begin(view: View, log: string): Promise<{ readonly number: number; readonly writer: ViewWriter }> {
    const number = await this.take(view);
    const record: GenerationRecord = {
      log,
      layout: layoutOf(view),
      finished: false,
      writer: this.mongo.machine.randomness.uuid(),
      position: null,
      event: '',
      many: [],
    };
    // A request may arrive twice: the second one must not begin what has been built meanwhile again.
    const unbegun = { _id: generationsName(view), [pathOf(number)]: { $exists: false } };
    await awaitServer(this.standings.updateOne(unbegun, { $set: { [pathOf(number)]: record } }));
    return { number, writer: await this.writer(view, number, record) };
  }

  async open(view: View, generation: number): Promise<ViewWriter> {
    const standing = await awaitServer(
      this.standings.findOneAndUpdate(
        this.there(view, generation),
        { $set: { [pathOf(generation, 'writer')]: this.mongo.machine.randomness.uuid() } },
        { returnDocument: 'after' },
      ),
    );
    const record = standing?.generations?.[`g${generation}`];
    if (record === undefined) throw new Error(`the view ${view.name} has no generation ${generation}`);
    return this.writer(view, generation, record);
  }

  async promote(view: View, generation: number): Promise<void> {
    const standing = await this.standing(view);
    if (keptRecord(standing, generation)?.finished !== true) {
      throw new Error(`the view ${view.name} has no finished generation ${generation}`);
    }
    const count = this.promotionsOf(view, standing);
    await this.change(view, generation, standing, { $set: { live: generation }, $inc: { promotions: 1 } });
    const name = generationsName(view);
    if (this.asked.has(name)) this.asked.set(name, (count ?? 0) + 1);
  }

  async drop(view: View, generation: number): Promise<void> {
    const standing = await this.standing(view);
    if (keptRecord(standing, generation) === undefined) return;
    const dropped = {
      [pathOf(generation, 'dropped')]: this.mongo.machine.time.wall(),
      [pathOf(generation, 'writer')]: '',
      ...(standing?.live === generation ? { live: null } : {}),
    };
    await this.change(view, generation, standing, { $set: dropped });
    this.removeLater(view);
  }

  async close(): Promise<void> {
    for (const timer of this.removals) this.mongo.machine.time.cancel(timer);
    for (const writer of this.writers) await writer.close();
    this.writers.clear();
  }

  private async standing(view: View): Promise<GenerationsDocument | null> {
    return awaitServer(this.standings.findOne({ _id: generationsName(view) }));
  }

  /** The count of promotions that this store goes by; without having been asked for the generations, what stands. */
  private promotionsOf(view: View, standing: GenerationsDocument | null): number | null {
    const asked = this.asked.get(generationsName(view));
    return asked === undefined ? (standing?.promotions ?? null) : asked;
  }

  /**
   * Changes which generation is live, or drops one, unless one was promoted since this store was asked for the generations, or
   * another projector has asked for them. A request may arrive twice or late, and a process may stand still before it sends one:
   * it must not undo later promotions, nor make untrue what another projector knows.
   * @throws Error if so; the projector must ask for the generations again
   */
  private async change(
    view: View,
    generation: number,
    seen: GenerationsDocument | null,
    update: UpdateFilter<GenerationsDocument>,
  ): Promise<void> {
    const unmoved: Record<string, unknown> = { live: seen?.live ?? null, promotions: this.promotionsOf(view, seen) };
    const { matchedCount } = await awaitServer(
      this.standings.updateOne({ ...this.there(view, generation), ...unmoved }, update),
    );
    if (matchedCount === 1) return;
    throw new Error(`another process has asked for the generations of the view ${view.name}, or changed them`);
  }

  private there(view: View, generation: number): Record<string, unknown> {
    return {
      _id: generationsName(view),
      [pathOf(generation)]: { $exists: true },
      [pathOf(generation, 'dropped')]: { $exists: false },
    };
  }

  private async writer(view: View, number: number, record: GenerationRecord): Promise<MongoDbViewWriter> {
    const rows = rowsOf(this.mongo, view, number);
    const { standings, mongo } = this;
    const { time } = mongo.machine;
    const writer = new MongoDbViewWriter({ standings, rows, view, name: generationsName(view), number, record, time });
    await writer.begin();
    this.writers.add(writer);
    return writer;
  }

  /** The next number; no number is given twice. */
  private async take(view: View): Promise<number> {
    try {
      const standing = await awaitServer(
        this.standings.findOneAndUpdate(
          { _id: generationsName(view) },
          { $inc: { last: 1 }, $setOnInsert: { live: null } },
          { upsert: true, returnDocument: 'after' },
        ),
      );
      return standing?.last ?? 1;
    } catch (error) {
      // Another store made the document at the same moment.
      if (isDuplicate(error)) return this.take(view);
      throw error;
    }
  }

  private removeLater(view: View): void {
    const timer = this.mongo.machine.time.after(READ_FOR + 1_000, () => {
      this.removals.delete(timer);
      // The next request for the generations makes up for a failure.
      void this.removeLeftOvers(view).catch(() => undefined);
    });
    this.removals.add(timer.unref());
  }

  /** Removes the collections of generations that were dropped a while ago, and of those that no document names. */
  private async removeLeftOvers(view: View): Promise<void> {
    const standing = await this.standing(view);
    if (standing === null) return;
    const prefix = `${standing._id}.g`;
    const collections = await awaitServer(this.mongo.collections(prefix));
    const numbers = collections.map((name) => name.slice(prefix.length)).filter((number) => /^\d+$/.test(number));
    for (const number of numbers.filter((number) => standing.generations?.[`g${number}`] === undefined)) {
      await this.remove(view, Number(number));
    }
    for (const [name, { dropped }] of Object.entries(standing.generations ?? {})) {
      if (dropped === undefined || dropped > this.mongo.machine.time.wall() - READ_FOR) continue;
      const number = Number(name.slice(1));
      await this.remove(view, number);
      await awaitServer(this.standings.updateOne({ _id: standing._id }, { $unset: { [pathOf(number)]: 1 } }));
    }
  }

  /** Removes the versions that no build needs any more: collection by collection, and then the document that names them. */
  private async removeObsolete(view: View): Promise<void> {
    const stem = `${view.name}.v`;
    const documents = await awaitServer(this.standings.find({}, { projection: { _id: 1 } }).toArray());
    const versions = documents
      .filter(({ _id }) => _id.startsWith(stem) && /^\d+$/.test(_id.slice(stem.length)))
      .map(({ _id }) => Number(_id.slice(stem.length)));
    for (const version of obsoleteVersions(versions, view.version)) {
      const prefix = `${stem}${version}.g`;
      for (const name of await awaitServer(this.mongo.collections(prefix)))
        await this.remove({ ...view, version }, Number(name.slice(prefix.length)));
      await awaitServer(this.standings.deleteOne({ _id: `${stem}${version}` }));
    }
  }

  private async remove(view: View, generation: number): Promise<void> {
    try {
      await awaitSlow(() => rowsOf(this.mongo, view, generation).drop());
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}
