import {
  type Checkpoint,
  type GenerationInfo,
  type GenerationRows,
  type Query,
  type RowChange,
  RowVersions,
  type SeenByView,
  ViewNotReady,
  type ViewReader,
  type ViewReaders,
  type ViewStore,
  type ViewWriter,
  type Where,
} from '#eventsourcing';
import type { Position, Scalar, View } from '#kernel';
import { checkedReader, hasFieldsOf } from '../../world/checked-reader.js';
import type { Life } from '../../world/life.js';
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
} from '../../world/view-data.js';
import type { MongoClientLine } from './mongo-client.js';

/** How long a reader trusts what it knows of the live generation, in milliseconds. */
const KNOWN_FOR = 1_000;

/** Views on the simulated MongoDB: rows come before their checkpoint, each in its own write. */
export class MongoViewStore implements ViewStore {
  constructor(private readonly line: MongoClientLine) {}

  async generations(view: View, log: string): Promise<readonly GenerationInfo[]> {
    const { views } = this.line.server;
    const found = await this.#write(() => {
      views.countPromotion(view);
      return { answer: [...views.of(view)], undo: () => undefined };
    });
    for (const { number } of found.filter((each) => each.log !== log || !hasFieldsOf(each.view, view)))
      await this.drop(view, number);
    views.dropObsolete(view);
    return this.#read(() =>
      views.of(view).map((each) => ({
        number: each.number,
        finished: each.finished,
        live: each === views.liveOf(view),
        checkpoint: each.stored.checkpoint,
      })),
    );
  }

  async begin(view: View, log: string): Promise<{ readonly number: number; readonly writer: ViewWriter }> {
    const { views } = this.line.server;
    const { number } = await this.#write(() => {
      const generation = views.begin(view, log);
      return { answer: generation, undo: () => views.drop(view, generation.number) };
    });
    return { number, writer: await this.open(view, number) };
  }

  async open(view: View, number: number): Promise<ViewWriter> {
    const generation = await this.#write(() => {
      const found = this.line.server.views.find(view, number);
      if (found === undefined) throw missing(view, number);
      found.writers += 1;
      // A later writer counts on: what was taken back is nobody's number.
      return { answer: { found, mine: found.writers }, undo: () => undefined };
    });
    return new MongoViewWriter(this.line, generation.found, generation.mine);
  }

  async promote(view: View, number: number): Promise<void> {
    const { views } = this.line.server;
    for (;;) {
      const seen = await this.#read(() => views.promotionsOf(view));
      const isPromoted = await this.#write(() => {
        // Another one was promoted meanwhile, or the request arrives again.
        if (views.promotionsOf(view) !== seen) return { answer: false, undo: () => undefined };
        const before = views.liveOf(view);
        views.promote(view, number);
        return { answer: true, undo: () => before && views.promote(view, before.number) };
      });
      if (isPromoted) return;
    }
  }

  async drop(view: View, number: number): Promise<void> {
    const { views } = this.line.server;
    for (;;) {
      const seen = await this.#read(() => views.promotionsOf(view));
      const isDropped = await this.#write(() => {
        if (views.promotionsOf(view) !== seen) return { answer: false, undo: () => undefined };
        views.drop(view, number);
        return { answer: true, undo: () => undefined };
      });
      if (isDropped) return;
    }
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #read<T>(read: () => T): Promise<T> {
    return this.line.answer(this.line.read(read));
  }

  #write<T>(write: () => { readonly answer: T; readonly undo: () => void }): Promise<T> {
    return this.line.answer(this.line.write(write));
  }
}

class MongoViewWriter implements ViewWriter {
  #closed = false;

  constructor(
    private readonly line: MongoClientLine,
    private readonly generation: GenerationData,
    private readonly mine: number,
  ) {}

  checkpoint(): Promise<Checkpoint | undefined> {
    return this.line.answer(this.line.read(() => this.generation.stored.checkpoint));
  }

  async load(keys: readonly string[]): ReturnType<ViewWriter['load']> {
    if (keys.length === 0) return new Map();
    return this.line.answer(this.line.read(() => this.generation.load(keys)));
  }

  async write(changes: readonly RowChange[], checkpoint: Checkpoint): Promise<void> {
    if (checkpoint.log !== this.generation.log) throw new Error('the checkpoint names another log');
    if (changes.length > 0) {
      const { faults } = this.line.server.world;
      const isPart = changes.length > 1 && faults.strikes('mongodb: rows are written in part');
      if (isPart) await this.#put(changes.slice(0, changes.length >> 1), undefined);
      await this.#put(changes, undefined);
    }
    await this.#put([], checkpoint);
  }

  async finish(): Promise<void> {
    await this.line.answer(
      this.line.write(() => {
        this.#assertMine();
        this.generation.finished = true;
        return { answer: undefined, undo: () => (this.generation.finished = false) };
      }),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.resolve();
  }

  #put(changes: readonly RowChange[], checkpoint: Checkpoint | undefined): Promise<void> {
    const { generation, line } = this;
    return line.answer(
      line.write(() => {
        this.#assertMine();
        const before = generation.stored;
        const { log } = generation;
        generation.write(changes, checkpoint ?? before.checkpoint ?? { log, position: 0n, event: '' });
        if (before.checkpoint === undefined && checkpoint === undefined)
          generation.stored = { ...generation.stored, checkpoint: undefined };
        const after = generation.stored;
        const undo = (): void => {
          if (generation.stored === after) generation.stored = before;
        };
        return { answer: undefined, undo };
      }),
    );
  }

  #assertMine(): void {
    if (this.#closed) throw new Error('the writer is closed');
    const { generation } = this;
    if (
      generation.writers === this.mine &&
      this.line.server.views.find(generation.view, generation.number) === generation
    )
      return;
    throw new Error(`generation ${generation.number} was dropped, or is written by somebody else now`);
  }
}

interface Known {
  readonly live: Promise<{ readonly generation: GenerationData; readonly position: Position } | undefined>;
  readonly until: number;
}

/** How far the views that were built from a log have come, at the server. */
export function seenByViews(line: MongoClientLine, log: string): Promise<readonly SeenByView[]> {
  return line.answer(
    line.read(() =>
      line.server.views.generations.flatMap(({ view: { name }, stored: { checkpoint } }) =>
        checkpoint?.log === log ? [{ view: name, checkpoint }] : [],
      ),
    ),
  );
}

/** Reads the views of the simulated MongoDB, each time at the server. */
export class MongoViewReaders implements ViewReaders {
  onDamage = undefined;
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly line: MongoClientLine,
    private readonly life: Life,
  ) {}

  reader<Row extends object, F extends string>(view: View<Row, F>): ViewReader<Row, F> {
    const plain = view as unknown as View;
    const read = async <T>(of: (stored: Stored) => T): Promise<T> => {
      const live = await this.#live(plain);
      if (live === undefined) throw new ViewNotReady(view.name);
      return this.line.answer(this.line.read(() => of(live.generation.stored)));
    };
    const reader: ViewReader = {
      get: (key: string) => read((stored) => getRow(stored, key)),
      texts: (keys: readonly string[]) => read((stored) => textsOf(stored, keys)),
      find: (query: Query) => read((stored) => findRows(stored, query)),
      versions: (query: Query) => read((stored) => RowVersions.of(versionsOf(stored, query))),
      count: (where: Where) => read((stored) => countRows(stored, where)),
      min: (field: string, where: Where): Promise<Scalar | undefined> =>
        read((stored) => leastOf(stored, field, where)),
      position: async (): Promise<Position> => (await this.#live(plain))?.position ?? 0n,
    };
    return checkedReader(plain, reader) as unknown as ViewReader<Row, F>;
  }

  generation(view: View, number: number): GenerationRows {
    const { line } = this;
    return generationRowsOf(view, () => line.answer(line.read(() => line.server.views.find(view, number))));
  }

  refresh(): void {
    this.#known.clear();
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #live(view: View): Known['live'] {
    const name = `${view.name}.v${view.version}`;
    const now = this.life.machine.time.monotonic();
    const known = this.#known.get(name);
    if (known !== undefined && known.until >= now) return known.live;
    const { views } = this.line.server;
    const live = this.line.answer(
      this.line.read(() => {
        const generation = views.liveOf(view);
        return generation && { generation, position: generation.stored.checkpoint?.position ?? 0n };
      }),
    );
    const asked = { live, until: now + KNOWN_FOR };
    this.#known.set(name, asked);
    live.catch(() => {
      if (this.#known.get(name) === asked) this.#known.delete(name);
    });
    return live;
  }
}
