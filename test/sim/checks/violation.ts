import { causationOf, type Recorded } from '#kernel';

/** Something that must never be true. The words before the colon name the invariant. */
export class Violation extends Error {
  override name = 'Violation';

  constructor(invariant: string, where: string, found: string) {
    super(`${invariant}: ${where}: ${found}`);
  }
}

/** An event in words: its place in the log, in its stream, and its type. */
export function placeOf(event: Pick<Recorded, 'stream' | 'revision' | 'position' | 'type'>): string {
  return `position ${event.position}, ${causationOf(event)} ${event.type}`;
}
