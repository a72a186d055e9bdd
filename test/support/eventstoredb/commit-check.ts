/** The revision to expect of a stream; ANY and STREAM_EXISTS are EventStoreDB's names. */
export type Expected = number | 'any' | 'exists';
export const NO_STREAM = -1;
/** The revision of a tombstone, and the `$tb` of a soft-deleted stream: the largest possible one. */
export const TOMBSTONE = 2 ** 63;

/** What an append is judged by. */
export interface Written {
  /** The stream's last revision, readable or hidden. */
  readonly last: number;
  readonly softDeleted: boolean;
  readonly hasMetadata: boolean;
  /** Where in this stream the server remembers the id, if its first write was to this stream. */
  rememberedAt(id: string): number | undefined;
  idAt(revision: number): string | undefined;
}

export type Verdict = 'write' | 'deleted' | 'conflict' | { readonly repeatOf: number };

/**
 * EventStoreDB's verdict on an append. With an explicit revision it recognises a repeat by the ids in their places, for ever;
 * with ANY and STREAM_EXISTS by the ids that it remembers, and only if it remembers the first one.
 */
export function verdictOn(stream: Written, expected: Expected, ids: readonly string[]): Verdict {
  if (stream.last === TOMBSTONE) return 'deleted';
  if (typeof expected !== 'number') {
    if (expected === 'exists' && stream.softDeleted) return 'deleted';
    if (expected === 'exists' && stream.last === NO_STREAM && !stream.hasMetadata) return 'conflict';
    const places = ids.map((id) => stream.rememberedAt(id));
    const unknown = places.indexOf(undefined);
    if (unknown === 0 || places.length === 0) return 'write';
    return unknown > 0 ? 'conflict' : { repeatOf: Number(places.at(-1)) };
  }
  if (expected >= stream.last) return expected === stream.last ? 'write' : 'conflict';
  const other = ids.findIndex((id, index) => {
    const revision = expected + 1 + index;
    return stream.rememberedAt(id) !== revision && stream.idAt(revision) !== id;
  });
  if (other === -1 && ids.length > 0) return { repeatOf: expected + ids.length };
  return other === 0 && expected === NO_STREAM && stream.softDeleted ? 'write' : 'conflict';
}
