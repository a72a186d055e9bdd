import type { Recorded } from '#kernel';
import { findingOf, type Finding } from './finding.js';

/**
 * What the events of a stream, as they were read from a revision on, say against it: the first must have that revision, and
 * each the one after its neighbour's. Retention and deletion leave gaps, and give no error.
 */
export function gapIn(
  stream: string,
  from: number,
  events: readonly Pick<Recorded, 'revision'>[],
): Finding | undefined {
  const at = events.findIndex(({ revision }, index) => revision !== from + index);
  if (at === -1) return undefined;
  const [expected, found] = [from + at, events[at]?.revision ?? from];
  const finding = findingOf(
    `${stream} has lost events: revision ${expected} is to be read there, and ${found} is what comes. Somebody deleted or ` +
      'truncated the stream, or set $maxCount, $maxAge or $tb on it. Accepting it loses what the missing events say: units ' +
      'that they sold are sold again, redemption codes that they gave out are given out again, and charges stand without them.',
    ['gap', expected, found],
    stream,
  );
  return { ...finding, from: expected, below: found };
}
