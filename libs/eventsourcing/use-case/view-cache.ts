import type { View } from '#kernel';
import { BoundedMap } from '../caches/bounded-map.js';
import type { StoredRow } from '../ports/view-store.js';
import type { Reader } from './reader.js';
import type { ViewChanges } from './view-changes.js';

/** The known values, and the look-ups under way, between two changes of the view. */
interface Memory<Value> {
  readonly known: BoundedMap<string, Value>;
  readonly pending: Map<string, Promise<Value | undefined>>;
}

/** Caches values found in a view until a row of that view changes. It never caches absence or failures. */
export class ViewCache<Value> {
  #memory: Memory<Value>;

  /**
   * @param most values in each of the map's two generations, or what they weigh together
   * @param weigh a value's weight
   */
  constructor(
    changes: ViewChanges,
    view: Pick<View, 'name'>,
    private readonly most: number,
    private readonly weigh?: (value: Value) => number,
  ) {
    this.#memory = this.#blank();
    changes.subscribe(view, () => (this.#memory = this.#blank()));
  }

  /** @param look finds the value in the view; callers that ask for the same key meanwhile wait for the same answer */
  async find(key: string, look: () => Promise<Value | undefined>): Promise<Value | undefined> {
    // A value found during a change goes into the old memory, which the change drops.
    const memory = this.#memory;
    return memory.known.get(key) ?? memory.pending.get(key) ?? ask(memory, key, look);
  }

  #blank(): Memory<Value> {
    return { known: new BoundedMap(this.most, this.weigh), pending: new Map() };
  }
}

/** Rows of a view by their keys, remembered until one of them changes. */
export class RowCache<Row extends object> {
  readonly #cache: ViewCache<StoredRow<Row>>;

  /** @param most rows that are remembered, in each of the map's two generations */
  constructor(
    private readonly reader: Pick<Reader, 'of'>,
    changes: ViewChanges,
    private readonly view: View<Row>,
    most: number,
  ) {
    this.#cache = new ViewCache(changes, view, most);
  }

  async find(key: string): Promise<Row | undefined> {
    return (await this.stored(key))?.row;
  }

  /** The row with its position. */
  stored(key: string): Promise<StoredRow<Row> | undefined> {
    return this.#cache.find(key, () => this.reader.of(this.view).get(key));
  }
}

async function ask<Value>(
  { known, pending }: Memory<Value>,
  key: string,
  look: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  const looking = look();
  pending.set(key, looking);
  try {
    const found = await looking;
    if (found !== undefined) known.set(key, found);
    return found;
  } finally {
    pending.delete(key);
  }
}
