/** A bounded queue whose owners take turns: one who waits with much delays nobody who waits with little. */
export class TurnQueue<T> {
  /** The items of each owner, the owner whose turn is next first. */
  readonly #owners = new Map<string, T[]>();
  #length = 0;

  /** @param bounds items `together`, and `ofOwner` of one owner */
  constructor(private readonly bounds: { readonly together: number; readonly ofOwner: number }) {}

  /** @returns whether there was room for it */
  add(owner: string, item: T): boolean {
    const own = this.#owners.get(owner);
    if (this.#length >= this.bounds.together || (own?.length ?? 0) >= this.bounds.ofOwner) return false;
    if (own === undefined) this.#owners.set(owner, [item]);
    else own.push(item);
    this.#length += 1;
    return true;
  }

  /** The next item, which leaves the queue; undefined if there is none. */
  take(): T | undefined {
    const [first] = this.#owners;
    if (first === undefined) return undefined;
    const [owner, own] = first;
    const item = own.shift();
    this.#length -= 1;
    this.#owners.delete(owner);
    if (own.length > 0) this.#owners.set(owner, own);
    return item;
  }

  /** Takes an item out before its turn. */
  remove(owner: string, item: T): void {
    const own = this.#owners.get(owner);
    const at = own?.indexOf(item) ?? -1;
    if (own === undefined || at === -1) return;
    own.splice(at, 1);
    this.#length -= 1;
    if (own.length === 0) this.#owners.delete(owner);
  }

  /** All items, which leave the queue. */
  clear(): readonly T[] {
    const all = [...this.#owners.values()].flat();
    this.#owners.clear();
    this.#length = 0;
    return all;
  }
}
