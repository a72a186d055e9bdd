import type { Reads, ServerEvent } from './server.js';

/** How long the search for a lost note may take, in milliseconds. */
const SEARCH_WITHIN = 120_000;

/** The stream whose metadata is the note of the lease at a place: the first, second, … */
export function leaseStream(prefix: string, place: number): string {
  return `$$${prefix}holdfast_lease${place === 1 ? '' : `-${place}`}`;
}

/** A note, as the server has it. */
export interface FoundNote {
  readonly place: number;
  readonly event: ServerEvent;
}

/** The last note at any place, which `$all` has even where no stream does; undefined if none was written yet. */
export async function lastNote(server: Pick<Reads, 'readBack'>, prefix: string): Promise<FoundNote | undefined> {
  const first = leaseStream(prefix, 1);
  const [event] = await server.readBack(undefined, 1, [first], SEARCH_WITHIN);
  if (event === undefined) return undefined;
  const [, digits] = /^-([1-9]\d*)$/.exec(event.stream.slice(first.length)) ?? [];
  return { place: Number(digits ?? 1), event };
}
