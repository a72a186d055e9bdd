import type { Position } from '#kernel';

/** Positions of a block are those that differ only in their last so many bits. */
const BITS = 15;
/** Positions of a group, in which only the first event of a term has a mark. */
const GROUP = 32;
/** A mark has so many digits of this radix: they hold the offset of every position in a block. */
const DIGITS = 3;
const RADIX = 32;

/** The block that a position is in. */
export const blockOf = (position: Position): number => Number(position >> BigInt(BITS));

/** A position within its block, from 0. */
export const offsetOf = (position: Position): number => Number(BigInt.asUintN(BITS, position));

/** The position at an offset of a block. */
export const positionAt = (block: number, offset: number): Position => (BigInt(block) << BigInt(BITS)) + BigInt(offset);

/** The group of an offset, from 0 in each block. */
export const groupOf = (offset: number): number => Math.floor(offset / GROUP);

/** The last offset of a group. */
export const endOfGroup = (group: number): number => (group + 1) * GROUP - 1;

/**
 * The marks with one more at the end, unless the group of the offset has one, or is before the last one that has: then they are the
 * same text. Only the last mark is read.
 */
export function withMark(marks: string, offset: number): string {
  const last = marks === '' ? -1 : groupOf(markAt(marks, marks.length - DIGITS));
  return groupOf(offset) <= last ? marks : marks + offset.toString(RADIX).padStart(DIGITS, '0');
}

/** The offsets of the marks, which ascend. */
export function offsetsOf(marks: string): readonly number[] {
  return Array.from({ length: marks.length / DIGITS }, (_, at) => markAt(marks, at * DIGITS));
}

const markAt = (marks: string, at: number): number => Number.parseInt(marks.slice(at, at + DIGITS), RADIX);
