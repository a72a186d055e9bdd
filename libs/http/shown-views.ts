import type { View } from '#kernel';

/** Finds what items show of a view, directly or in a cache of the view. */
export interface ViewFinder<Value> {
  readonly view: Pick<View, 'name'>;
  find(key: string): Promise<Value | undefined>;
}

/** Finders by the names that the makers of items call them. */
export type Finders = Readonly<Record<string, ViewFinder<unknown>>>;

/** No finder. */
export type NoFinders = Readonly<Record<string, never>>;

/**
 * All views that the items of a list show. Whoever makes an item gets these finders and no other way to read, so an item shows
 * no view whose changes it would miss.
 */
export interface ShownViews<Row extends object, Along extends Finders, Besides extends Finders> {
  /** The view of the list: an item is right for one version of its row. */
  readonly rows: View<Row>;
  /** Views in which an item's part changes only by events that change its row too: a version of the row has one of the part. */
  readonly along: Along;
  /** Views that change by themselves: each change forgets all items. */
  readonly besides: Besides;
}

/** The views, each once. */
export function viewsOf({ rows, along, besides }: ShownViews<object, Finders, Finders>): readonly Pick<View, 'name'>[] {
  return [rows, ...[along, besides].flatMap((finders) => Object.values(finders)).map(({ view }) => view)];
}
