import type { Writer } from '#eventsourcing';
import type { Recorded } from '#kernel';

/** A part of one stream. */
export interface PartOfStream {
  readonly events: readonly Recorded[];
  /** The revision where the next part begins; undefined if there are no more events now. */
  readonly next: number | undefined;
}

/** Reads so many events of a stream from a revision on; fewer if they have much data. */
export async function partOfStream(writer: Writer, stream: string, from: number, limit: number): Promise<PartOfStream> {
  // One more shows whether there is more.
  const found = await writer.events(stream, { from, most: limit + 1 });
  const events = found.slice(0, limit);
  const last = events.at(-1);
  if (last === undefined) return { events, next: undefined };
  const more = found.length > limit || (await writer.events(stream, { from: last.revision + 1, most: 1 })).length > 0;
  return { events, next: more ? last.revision + 1 : undefined };
}

/** Whether the log has any event of a stream. */
export async function isStream(writer: Writer, stream: string): Promise<boolean> {
  return (await writer.events(stream, { from: 0, most: 1 })).length > 0;
}
