/** What is known of a person's key: its bytes, or that it is destroyed. */
export type KnownKey = Buffer | 'destroyed';

/**
 * The keys used last, between `half` and twice as many. Two generations: when the young one is full it becomes the old one,
 * and the one before is dropped whole (evicting one by one from a Map grows slow with its deleted entries).
 */
export class KeyCache {
  #young = new Map<string, KnownKey>();
  #old = new Map<string, KnownKey>();

  constructor(private readonly half: number) {}

  get(person: string): KnownKey | undefined {
    const young = this.#young.get(person);
    if (young !== undefined) return young;
    const old = this.#old.get(person);
    if (old !== undefined) this.set(person, old);
    return old;
  }

  set(person: string, key: KnownKey): void {
    if (this.#young.size >= this.half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(person, key);
  }

  /** A key is in no generation after this. */
  delete(person: string): void {
    this.#young.delete(person);
    this.#old.delete(person);
  }
}
