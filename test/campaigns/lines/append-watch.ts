import type { EventStoreDbDouble } from '../../support/eventstoredb/server.js';

/** An append as it reached the server. */
export interface Arrived {
  readonly expected: number;
  readonly commandIds: readonly string[];
  /** The API that sent it. */
  readonly actor: string;
  /** Whether it wrote; a repeat of what was there did not. */
  readonly wrote: boolean;
}

/** Counts at the double: the appends to a stream, in the order in which they were carried out. */
export function watchAppends({ store }: EventStoreDbDouble): (stream: string) => readonly Arrived[] {
  const arrived = new Map<string, Arrived[]>();
  const append = store.append.bind(store);
  store.append = (stream, expected, events) => {
    const before = store.all.length;
    const outcome = append(stream, expected, events);
    const metadata = events.flatMap((event): { command_id?: string; actor?: string }[] =>
      event.metadata === '' ? [] : [JSON.parse(Buffer.from(event.metadata, 'base64').toString()) as object],
    );
    const commandIds = [...new Set(metadata.flatMap(({ command_id }) => command_id ?? []))];
    const actor = metadata[0]?.actor ?? '';
    const all = arrived.get(stream) ?? [];
    arrived.set(stream, all);
    all.push({ expected: Number(expected), commandIds, actor, wrote: store.all.length > before });
    return outcome;
  };
  return (stream) => arrived.get(stream) ?? [];
}
