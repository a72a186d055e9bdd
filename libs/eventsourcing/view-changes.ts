import type { View } from '#kernel';

/** The one place that knows which views have changed. Every cache of a view subscribes here. */
export class ViewChanges {
  readonly #forgetting = new Map<string, (() => void)[]>();

  /** @param forget called before any read that waits for the change continues */
  subscribe({ name }: Pick<View, 'name'>, forget: () => void): void {
    this.#forgetting.set(name, [...(this.#forgetting.get(name) ?? []), forget]);
  }

  /** @param names of views whose rows have changed */
  tell(names: readonly string[]): void {
    for (const name of names) for (const forget of this.#forgetting.get(name) ?? []) forget();
  }
}
