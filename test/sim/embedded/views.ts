import {
  type Checkpoint,
  type GenerationInfo,
  type GenerationRows,
  type Query,
  type RowChange,
  RowVersions,
  type SeenByView,
  ViewNotReady,
  ViewDamaged,
  type ViewDamage,
  type ViewReader,
  type ViewReaders,
  type ViewStore,
  type ViewWriter,
  type Where,
} from '#eventsourcing';
import type { Position, Scalar, View } from '#kernel';
import type { Owner } from '../core/scheduler.js';
import type { Seeded } from '../core/seeded.js';
import { checkedReader, hasFieldsOf } from '../world/checked-reader.js';
import type { Crash } from '../world/disk.js';
import {
  countRows,
  findRows,
  type GenerationData,
  generationRowsOf,
  getRow,
  leastOf,
  missing,
  type Stored,
  textsOf,
  versionsOf,
  ViewsData,
} from '../world/view-data.js';
import type { World } from '../world/world.js';

/** So many writes of a view are at most lost when the machine loses its power: the files are synced now and then. */
const UNSYNCED = 30;

/** The views' files of a whole service: they survive its end, but for the last writes when the power fails. */
export class ViewFiles {
  readonly data = new ViewsData();
  /** Generations whose files cannot be read any more. */
  readonly #damaged = new Set<GenerationData>();
  readonly #before = new Map<GenerationData, Stored[]>();

  constructor(private readonly random: Seeded) {}

  /** Takes note of what a generation held before a write. */
  noteWrite(generation: GenerationData): void {
    const before = this.#before.get(generation) ?? [];
    before.push(generation.stored);
    if (before.length > UNSYNCED) before.splice(0, UNSYNCED / 2);
    this.#before.set(generation, before);
  }

  synced(generation: GenerationData): void {
    this.#before.delete(generation);
  }

  /** From now on the file of a generation cannot be read. */
  damage(generation: GenerationData): void {
    this.#damaged.add(generation);
  }

  isDamaged(generation: GenerationData): boolean {
    return this.#damaged.has(generation);
  }

  /** How far the finished generations that were built from a log have come. */
  seen(log: string): readonly SeenByView[] {
    return this.data.generations.flatMap((each) => {
      const { checkpoint } = each.stored;
      const isReadable = each.finished && !this.isDamaged(each);
      return isReadable && checkpoint?.log === log ? [{ view: each.view.name, checkpoint }] : [];
    });
  }

  /** The files of a view are gone. */
  lose(): void {
    if (this.data.generations.length === 0) return;
    const view = this.random.one(this.data.generations.map((each) => each.view));
    for (const { number } of this.data.of(view)) this.data.drop(view, number);
  }

  /** The process has ended without warning. A build that was under way proves nothing any more. */
  crash(how: Crash): void {
    for (const generation of this.data.generations) {
      const before = this.#before.get(generation) ?? [];
      if (how === 'power' && before.length > 0) {
        const at = this.random.whole(0, before.length);
        generation.stored = before[at] ?? generation.stored;
      }
    }
    this.#before.clear();
  }
}

/** The writing side of the views' files. */
export class SimulatedViewStore implements ViewStore {
  readonly #building = new Set<GenerationData>();

  constructor(
    private readonly world: World,
    private readonly owner: Owner,
    private readonly files: ViewFiles,
  ) {}

  async generations(view: View, log: string): Promise<readonly GenerationInfo[]> {
    const { data } = this.files;
    const live = data.liveOf(view);
    for (const each of data.of(view)) {
      const isHalfBuilt = !each.finished && !this.#building.has(each);
      if (each.log !== log || !hasFieldsOf(each.view, view) || isHalfBuilt || this.files.isDamaged(each))
        data.drop(view, each.number);
    }
    data.dropObsolete(view);
    return data.of(view).map((each) => ({
      number: each.number,
      finished: each.finished,
      live: each === live,
      checkpoint: each.stored.checkpoint,
    }));
  }

  async begin(view: View, log: string): Promise<{ readonly number: number; readonly writer: ViewWriter }> {
    const generation = this.files.data.begin(view, log);
    this.#building.add(generation);
    return { number: generation.number, writer: this.#writer(generation) };
  }

  async open(view: View, number: number): Promise<ViewWriter> {
    const generation = this.files.data.find(view, number);
    if (generation === undefined) throw missing(view, number);
    return this.#writer(generation);
  }

  async promote(view: View, number: number): Promise<void> {
    await this.#moment();
    this.files.data.promote(view, number);
  }

  async drop(view: View, number: number): Promise<void> {
    this.files.data.drop(view, number);
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #writer(generation: GenerationData): ViewWriter {
    const mine = (generation.writers += 1);
    const assertMine = (): void => {
      if (generation.writers !== mine) throw new Error('another writer has opened the generation');
    };
    const assertIntact = (): void => {
      if (this.world.faults.strikes('disk: a file of a view is damaged')) this.files.damage(generation);
      if (this.files.isDamaged(generation)) throw new ViewDamaged(damageWords(generation));
    };
    return {
      checkpoint: () => Promise.resolve(generation.stored.checkpoint),
      load: async (keys) => {
        await Promise.resolve();
        assertIntact();
        return generation.load(keys);
      },
      write: async (changes: readonly RowChange[], checkpoint: Checkpoint) => {
        await this.#moment();
        assertMine();
        assertIntact();
        this.files.noteWrite(generation);
        generation.write(changes, checkpoint);
      },
      finish: async () => {
        await this.#moment();
        generation.finished = true;
        this.files.synced(generation);
        this.#building.delete(generation);
      },
      close: () => Promise.resolve(),
    };
  }

  /** The time of a write without a sync. */
  #moment(): Promise<void> {
    return new Promise((resolve) => {
      this.world.scheduler.after(0.1, resolve, this.owner);
    });
  }
}

/** The reading side: it sees what was written when it last looked. */
export class SimulatedViewReaders implements ViewReaders {
  onDamage: ((damage: ViewDamage) => void) | undefined;
  readonly #held = new Map<string, Stored | undefined>();

  constructor(private readonly files: ViewFiles) {}

  reader<Row extends object, F extends string>(view: View<Row, F>): ViewReader<Row, F> {
    const plain = view as unknown as View;
    const held = (): Stored => {
      const stored = this.#hold(plain);
      if (stored === undefined) throw new ViewNotReady(view.name);
      return stored;
    };
    const reader: ViewReader = {
      get: async (key: string) => getRow(held(), key),
      texts: async (keys: readonly string[]) => textsOf(held(), keys),
      find: async (query: Query) => findRows(held(), query),
      versions: async (query: Query) => RowVersions.of(versionsOf(held(), query)),
      count: async (where: Where) => countRows(held(), where),
      min: async (field: string, where: Where): Promise<Scalar | undefined> => leastOf(held(), field, where),
      position: async (): Promise<Position> => this.#hold(plain)?.checkpoint?.position ?? 0n,
    };
    return checkedReader(plain, reader) as unknown as ViewReader<Row, F>;
  }

  generation(view: View, number: number): GenerationRows {
    return generationRowsOf(view, async () => this.files.data.find(view, number));
  }

  refresh(): void {
    this.#held.clear();
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #hold(view: View): Stored | undefined {
    const name = `${view.name}.v${view.version}`;
    if (!this.#held.has(name)) {
      const live = this.files.data.liveOf(view);
      if (live === undefined) return undefined;
      if (this.files.isDamaged(live)) {
        this.onDamage?.({ view: view.name, generation: live.number, reason: damageWords(live) });
        return undefined;
      }
      this.#held.set(name, live.stored);
    }
    return this.#held.get(name);
  }
}

function damageWords({ view: { name }, number }: GenerationData): string {
  return `the file of generation ${number} of ${name} is damaged`;
}
