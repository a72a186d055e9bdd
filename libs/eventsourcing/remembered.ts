import type { View } from '#kernel';
import { BoundedMap } from './bounded-map.js';
import type { ViewChanges } from './view-changes.js';

/** What is remembered between two changes, and what is being looked for. */
interface Memory<Value> {
  readonly known: BoundedMap<string, Value>;
  readonly pending: Map<string, Promise<Value | undefined>>;
}

/** What was found in a view, remembered until a row of that view changes. Absence is never remembered, nor is a failure. */
export class Remembered<Value> {
  #memory: Memory<Value>;

  /** @param most values that are remembered, in each of the map's two generations */
  constructor(
    changes: ViewChanges,
    view: Pick<View, 'name'>,
    private readonly most: number,
  ) {
    this.#memory = this.#blank();
    changes.subscribe(view, () => (this.#memory = this.#blank()));
  }

  /** @param look finds the value in the view; who asks for a key that is being looked for waits for the same answer */
  async find(key: string, look: () => Promise<Value | undefined>): Promise<Value | undefined> {
    // What is found while the view changes goes into the memory that is forgotten with the change.
    const memory = this.#memory;
    return memory.known.get(key) ?? memory.pending.get(key) ?? ask(memory, key, look);
  }

  #blank(): Memory<Value> {
    return { known: new BoundedMap(this.most), pending: new Map() };
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
