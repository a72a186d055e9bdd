/** An event's place in its stream. */
export interface EventPlace {
  readonly stream: string;
  /** From 0, without gaps, within the stream. */
  readonly revision: number;
}

/** `category-id`; a category holds no dash, for categories end at the first one. */
export function streamName(category: string, id: string): string {
  return `${category}-${id}`;
}

/** The category of a stream: what stands before its first dash. */
export function categoryOf(stream: string): string {
  return stream.slice(0, stream.indexOf('-'));
}

/** The id of the thing that a stream tells of: what stands behind its first dash. */
export function idOf(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}

/** The name under which a later event points back to this one: `stream@revision`. */
export function causationOf({ stream, revision }: EventPlace): string {
  return `${stream}@${revision}`;
}

/** The event that such a name points to; undefined for text of another form. An id may hold an `@`. */
export function eventPlace(causation: string): EventPlace | undefined {
  const at = causation.lastIndexOf('@');
  return at < 0 ? undefined : { stream: causation.slice(0, at), revision: Number(causation.slice(at + 1)) };
}
