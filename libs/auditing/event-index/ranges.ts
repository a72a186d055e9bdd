import type { Position } from '#kernel';
import type { MarkedBlock } from './marked-blocks.js';
import { endOfGroup, groupOf, positionAt } from './marks.js';

/** A part of the log. */
export interface Range {
  /** The position of an event. */
  readonly first: Position;
  readonly last: Position;
}

/** A range ends before it is so many times as wide as what is near: whoever needs only its end does not read much more. */
const WIDEST = 8n;

/**
 * What to read of a block for its marks, ascending.
 * @param within the part of the log that is asked for; its beginning is 0n or the position of an event
 * @param nearby ranges that are no farther apart are read as one
 */
export function rangesOf({ block, offsets }: MarkedBlock, within: Range, nearby: Position): readonly Range[] {
  const ranges: Range[] = [];
  for (const offset of offsets) {
    const [mark, end] = [positionAt(block, offset), positionAt(block, endOfGroup(groupOf(offset)))];
    const range = { first: larger(mark, within.first), last: smaller(end, within.last) };
    if (range.first > range.last) continue;
    const before = ranges.at(-1);
    const isNear = before !== undefined && range.first - before.last <= nearby;
    if (isNear && range.last - before.first < WIDEST * nearby) ranges.splice(-1, 1, { ...before, last: range.last });
    else ranges.push(range);
  }
  return ranges;
}

const larger = (one: Position, other: Position): Position => (one > other ? one : other);
const smaller = (one: Position, other: Position): Position => (one < other ? one : other);
