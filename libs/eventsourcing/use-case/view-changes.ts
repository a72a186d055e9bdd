import type { View } from '#kernel';

/** The one place that knows which views have changed. Every cache of a view subscribes here. */
export class ViewChanges {
  readonly #forgetting = new Map<string, (() => void)[]>();
  readonly #replacing = new Map<string, (() => void)[]>();
  /** The generation of each view that readers read. */
  readonly #live = new Map<string, number | null>();

  /** @param forget called before any read that waits for the change continues */
  subscribe({ name }: Pick<View, 'name'>, forget: () => void): void {
    this.#forgetting.set(name, [...(this.#forgetting.get(name) ?? []), forget]);
  }

  /**
   * For caches that know the version of each row that they remember: another generation of the view may have another row under
   * the same version, if one of them was damaged.
   * @param forget called before any read that waits for the change continues
   */
  whenReplaced({ name }: Pick<View, 'name'>, forget: () => void): void {
    this.#replacing.set(name, [...(this.#replacing.get(name) ?? []), forget]);
  }

  /** Notes which generation of each view is live; null if none is. */
  live(views: Iterable<{ readonly view: string; readonly generation: number | null }>): void {
    for (const { view, generation } of views) {
      if (this.#live.get(view) === generation) continue;
      this.#live.set(view, generation);
      for (const forget of this.#replacing.get(view) ?? []) forget();
    }
  }

  /** @param names of views whose rows have changed */
  tell(names: readonly string[]): void {
    for (const name of names) for (const forget of this.#forgetting.get(name) ?? []) forget();
  }
}
