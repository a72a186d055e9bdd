/** What was true of things, and when: the values of each key in the order of time. */
export class Past<T> {
  readonly #values = new Map<string, { readonly at: number; readonly value: T }[]>();

  /** From this time on, in milliseconds of the world, the key has this value. */
  set(key: string, at: number, value: T): void {
    const values = this.#values.get(key) ?? [];
    values.push({ at, value });
    this.#values.set(key, values);
  }

  /** The newest value. */
  last(key: string): T | undefined {
    return this.#values.get(key)?.at(-1)?.value;
  }

  /** Every value that the key had at some time within; undefined for the time before its first. */
  within(key: string, from: number, to: number): readonly (T | undefined)[] {
    const values = this.#values.get(key) ?? [];
    const first = values.findLastIndex(({ at }) => at <= from);
    const before = first === -1 ? [undefined] : [];
    return [
      ...before,
      ...values
        .slice(Math.max(0, first))
        .filter(({ at }) => at <= to)
        .map(({ value }) => value),
    ];
  }
}
