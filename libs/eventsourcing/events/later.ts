import type { Position } from '#kernel';

/** The later of two positions; either may be missing. */
export function later(one: Position, other: Position | undefined): Position;
export function later(one: Position | undefined, other: Position | undefined): Position | undefined;
export function later(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}
