import { traced, type OpenWork, type Tracer } from '#eventsourcing';

/** Shows the work of due rows in traces, each in one of its own: the call that wrote the row is over. */
export function tracedWork(lists: readonly OpenWork[], tracer: Tracer): readonly OpenWork[] {
  return lists.map((list) => ({
    ...list,
    run: (key, row) => traced(tracer, `work ${list.name}`, { parent: undefined }, () => list.run(key, row)),
  }));
}
