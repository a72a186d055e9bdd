/**
 * A cache of entries that together weigh at most about twice `generation`. It drops the entries that nobody asked for during a
 * whole generation, all at a time: dropping keys one by one would cost time that grows with the map.
 */
export class BoundedMap<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** What the young entries weigh together. */
  #weight = 0;

  /** @param weigh an entry's weight, always the same for the same entry; without it each weighs 1, so they are counted */
  constructor(
    private readonly generation: number,
    private readonly weigh: (value: V, key: K) => number = () => 1,
  ) {}

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    this.#forgetYoung(key);
    this.#young.set(key, value);
    this.#weight += this.weigh(value, key);
    if (this.#weight >= this.generation) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
  }

  delete(key: K): void {
    this.#forgetYoung(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#weight = 0;
  }

  #forgetYoung(key: K): void {
    const value = this.#young.get(key);
    if (value === undefined) return;
    this.#young.delete(key);
    this.#weight -= this.weigh(value, key);
  }
}
