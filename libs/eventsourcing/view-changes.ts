import type { View } from '#kernel';

/** The one place that hears which views have changed; whatever is remembered of a view asks here to be told. */
export class ViewChanges {
  readonly #forgetting = new Map<string, (() => void)[]>();

  /** @param forget is called before any read that waits for the change goes on */
  subscribe({ name }: Pick<View, 'name'>, forget: () => void): void {
    this.#forgetting.set(name, [...(this.#forgetting.get(name) ?? []), forget]);
  }

  /** @param names of views whose rows have changed */
  tell(names: readonly string[]): void {
    for (const name of names) for (const forget of this.#forgetting.get(name) ?? []) forget();
  }
}
