import { z } from 'zod';
import { MOMENT } from '#http';

/** What auditors see of an event, wherever they see it (ruling G7). */
export const EVENT_FIELDS = {
  position: z.string().describe('The event’s position in the log, in digits.'),
  stream: z.string(),
  revision: z.int(),
  type: z
    .string()
    .describe('The event’s type, such as `purchase-charged.v1`; the number is the version of the form of `data`.'),
  words: z.string().describe('What happened, in one line. It has no personal data.'),
  time: MOMENT.describe('The time of the decision by the clock of the service. `position` gives the order.'),
  actor: z.string(),
  cause: z.string().nullable().describe('The event that led to this one; null for the event of a command.'),
  command_id: z.string(),
  correlation: z.string(),
  data: z
    .record(z.string(), z.unknown())
    .describe('The data as the log holds it, with its times as ISO 8601 in UTC. Personal data is sealed.'),
};

/** An event as the log holds it (ruling G7). */
export const AUDITED_EVENT = z
  .strictObject(EVENT_FIELDS)
  .meta({ id: 'AuditedEvent', description: 'An event as the log holds it.' });
