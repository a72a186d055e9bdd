import type { Recorded } from '#kernel';
import { codec, views } from '#platform/model';
import type { ViewRow } from './data-folder.js';

/**
 * The rows that every view must have, computed with the view's own functions alone: each event of the log in turn, into a plain
 * map. By the view's name, in the order of the rows' keys.
 */
export function naiveFold(log: readonly Recorded[]): ReadonlyMap<string, readonly ViewRow[]> {
  const events = log.filter(({ type }) => codec.knows(type)).map((event) => codec.decode(event));
  return new Map(
    views.map((view) => {
      const rows = new Map<string, { readonly row: object; readonly position: number }>();
      for (const event of events) {
        if (!view.types.has(event.type)) continue;
        for (const key of view.keys(event)) {
          const before = rows.get(key)?.row;
          const row = view.apply(before, event, key);
          if (row === before) continue;
          if (row === undefined) rows.delete(key);
          else rows.set(key, { row, position: Number(event.position) });
        }
      }
      const sorted = [...rows].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      return [
        view.name,
        sorted.map(([key, { row, position }]) => ({ key, position, row: JSON.parse(JSON.stringify(row)) as unknown })),
      ];
    }),
  );
}
