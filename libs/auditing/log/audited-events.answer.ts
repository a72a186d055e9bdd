import { z } from 'zod';
import { success } from '#http';
import { AUDITED_EVENT } from '../event/event.answer.js';

/** A part of a stream (ruling G7). */
export const EVENTS_OF_STREAM = success({
  stream: z.string(),
  events: z.array(AUDITED_EVENT).describe('In order. Fewer than `limit` if they have much data, or at the end.'),
  next: z.int().nullable().describe('The revision to go on `from`; null if there are no more events now.'),
});

/** A line of the log's answer: an event, or how far the log was read. The last line has `end` (ruling G7). */
export const LINE_OF_LOG = z.union([
  AUDITED_EVENT,
  z.strictObject({
    progress: z.strictObject({ position: z.string(), events: z.int(), read: z.int() }),
  }),
  z.strictObject({
    end: z.strictObject({
      position: z.string().describe('The log was read up to here, in digits.'),
      events: z.int().describe('How many lines are events.'),
      read: z.int().describe('How many events were read for that.'),
    }),
  }),
]);
