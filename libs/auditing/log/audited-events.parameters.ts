import { z } from 'zod';
import { integer, moment, optional, text, words } from '#http';
import type { Bound } from './part-of-log.js';

/** The largest position of any engine. */
const LARGEST = 2n ** 63n - 1n;

/** The part of a stream to show. */
export const PART_OF_STREAM = z.object({
  from: optional(integer('count')).describe('The revision of the first event; 0 if absent.'),
  limit: optional(integer('perPage')).describe('100 if absent.'),
});

/** The part of the log to read. */
export const PART_OF_LOG = z.object({
  from: optional(bound()).describe(
    'The position of the first event, or the first moment: ISO 8601, or digits. Before a moment all events are read.',
  ),
  to: optional(bound()).describe('The position of the last event, or the last moment; the end of the log if absent.'),
  actor: optional(text('line')).describe(
    'The whole actor, or its beginning before a `/`: `partner:acme` selects all of its keys. Or a role: `operator`, `auditor` or `user` selects all of them.',
  ),
  type: optional(words('filters', text('line'))).describe(
    'Types of events, with their version or without, as docs/events.md lists them.',
  ),
  last: optional(integer('perPage')).describe(
    'Only so many events, the last ones that fit, the newest first. It needs an actor or a type.',
  ),
});

/** A position in digits, or a moment. */
function bound(): z.ZodType<Bound> {
  const time = moment('00:00:00');
  return text('line').transform((input, context): Bound => {
    if (/^\d{1,19}$/.test(input) && BigInt(input) <= LARGEST) return { position: BigInt(input) };
    const at = time.safeParse(input);
    if (at.success) return { time: at.data };
    const message = `must be a position in digits, or a time: ${at.error.issues[0]?.message ?? ''}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}
