/** A value, and what it weighed when it was set. */
interface Entry<V> {
  readonly value: V;
  readonly weight: number;
}

/**
 * A cache of entries that together weigh at most about twice `generation`. It drops the entries that nobody asked for during a
 * whole generation, all at a time: dropping keys one by one would cost time that grows with the map. Set a known key again
 * instead of deleting it first: V8 looks for a key among all its deleted entries too, until it makes the map anew.
 */
export class BoundedMap<K, V> {
  #young = new Map<K, Entry<V>>();
  #old = new Map<K, Entry<V>>();

  /** What the young entries weigh together. */
  #weight = 0;

  /** @param weigh an entry's weight when it is set; without it each weighs 1, so they are counted */
  constructor(
    private readonly generation: number,
    private readonly weigh: (value: V, key: K) => number = () => 1,
  ) {}

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old !== undefined) this.#put(key, old);
    return old?.value;
  }

  set(key: K, value: V): void {
    this.#put(key, { value, weight: this.weigh(value, key) });
  }

  delete(key: K): void {
    this.#weight -= this.#young.get(key)?.weight ?? 0;
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#weight = 0;
  }

  #put(key: K, entry: Entry<V>): void {
    this.#weight += entry.weight - (this.#young.get(key)?.weight ?? 0);
    this.#young.set(key, entry);
    if (this.#weight >= this.generation) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
  }
}
