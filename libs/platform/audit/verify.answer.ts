import { z } from 'zod';

/** A line of a verification: a finding, or how far it is. The last line has `end`. */
export const LINE_OF_VERIFICATION = z.union([
  z.strictObject({
    finding: z.strictObject({
      kind: z.string().describe('What sort of contradiction it is.'),
      where: z.string().nullable().describe('The event `stream@revision`, the stream, or the row `view > key`.'),
      position: z.string().nullable().describe('The position in the log, in digits.'),
      what: z.string(),
      means: z.string().describe('What it means, and what to do.'),
    }),
  }),
  z.strictObject({ progress: z.strictObject({ events: z.int(), of: z.int(), findings: z.int() }) }),
  z.strictObject({
    end: z.strictObject({
      position: z.string().describe('The log was checked up to here, in digits.'),
      events: z.int(),
      streams: z.int(),
      decisions: z.int().describe('What decisions lead to in other streams.'),
      followers: z.int().describe('How often an event was compared with its decision.'),
      snapshots: z.int(),
      rows: z.int().describe('Rows of views.'),
      sums: z.int().describe('Events whose arithmetic was checked.'),
      charges: z.int().describe('Charges that were compared with the gateway’s ledger.'),
      ledger_lines: z.int().nullable().describe('Lines of that ledger; null if it was not asked.'),
      findings: z.int(),
      seconds: z.number(),
      not_compared: z.array(z.strictObject({ view: z.string(), reason: z.string() })),
    }),
  }),
]);
