/** An event's place in its stream. */
export interface EventPlace {
  readonly stream: string;
  /** From 0, without gaps, within the stream. */
  readonly revision: number;
}

/** `category-id`. A category has no dash, because it ends at the first one. */
export function streamName(category: string, id: string): string {
  return `${category}-${id}`;
}

/** The category of a stream: the part before the first dash. */
export function categoryOf(stream: string): string {
  return stream.slice(0, stream.indexOf('-'));
}

/** The id in a stream's name: the part after the first dash. */
export function idOf(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}

/** The name of an event, `stream@revision`, that a later event gives as its cause. */
export function causationOf({ stream, revision }: EventPlace): string {
  return `${stream}@${revision}`;
}

/** The place that such a name means; undefined for other text. An id may contain `@`. */
export function eventPlace(causation: string): EventPlace | undefined {
  const at = causation.lastIndexOf('@');
  return at < 0 ? undefined : { stream: causation.slice(0, at), revision: Number(causation.slice(at + 1)) };
}
