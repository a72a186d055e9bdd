import { z } from 'zod';
import { instant, isOtherNumber, oneOfWords, optional, text, trimmed, words } from '#http';
import { LISTS } from '#kernel/bounds';
import { BATCH_MODES } from '../schedule/schedule.events.js';
import type { BatchFault, NamedDeal } from './batch.faults.js';
import { BATCH_STATES } from './batch.row.js';
import type { WantedBatch } from './create-batch.commands.js';

/** The guard of a batch that exists. */
export const GUARD = z.object({ deal_id: text('id').describe('The deal that the batch is about.') });

/** What narrows a list of batches. */
export const FILTERS = z.object({
  deal_id: optional(text('id')).describe('Lists only batches about this deal.'),
  status: optional(oneOfWords(BATCH_STATES)),
});

/** The parameters of a new batch. */
export const NEW_BATCH = z.object({
  deal_id: text('id').describe('A deal that is in-flight or approved.'),
  user_ids: words('recipients', text('id')).describe(
    'Ids that name none of your users, or a user of another batch on that day, are left out, as long as one remains.',
  ),
  mode: oneOfWords(BATCH_MODES).describe('`suppress`: these users get no daily update on that day.'),
  send_at: instant().describe('A time tomorrow, in UTC, after its first midnight and while the deal is on sale.'),
});

/** The body of an example. The caller replaces what is in `<…>`. */
export const BATCH_EXAMPLE = {
  deal_id: 'rowing-on-the-charles',
  user_ids: ['<user_id>'],
  mode: 'augment',
  send_at: '<tomorrow>T12:00:00Z',
};

/** The deal that a caller names to guard a batch. */
export function readGuard({ deal_id: given }: Readonly<Record<string, unknown>>): NamedDeal {
  if (isAbsent(given)) return { code: 'missing' };
  return isOtherNumber(given) ? { code: 'no_text' } : idOf(given);
}

/** Reads the parameters of a new batch. It throws nothing: the answer has the faults of its content, too (ruling F1). */
export function readNewBatch(parameters: Readonly<Record<string, unknown>>): WantedBatch {
  const faults: BatchFault[] = [];
  const given = (field: 'deal_id' | 'send_at' | 'user_ids' | 'mode'): boolean => {
    if (!isAbsent(parameters[field])) return true;
    faults.push({ field, code: 'missing' });
    return false;
  };
  const dealId = given('deal_id') ? dealIn(parameters['deal_id'], faults) : undefined;
  const sendAt = given('send_at') ? instant().safeParse(parameters['send_at']).data : undefined;
  if (sendAt === undefined && !isAbsent(parameters['send_at'])) faults.push({ field: 'send_at', code: 'not_tomorrow' });
  const userIds = given('user_ids') ? readIds(parameters['user_ids'], faults) : undefined;
  const mode = given('mode') ? NEW_BATCH.shape.mode.safeParse(parameters['mode']).data : undefined;
  if (mode === undefined && !isAbsent(parameters['mode'])) faults.push({ field: 'mode', code: 'unknown' });
  return { dealId, sendAt, userIds, mode, faults };
}

/** The id of a deal; undefined for a number that is no String (ruling I1). */
function dealIn(given: unknown, faults: BatchFault[]): string | undefined {
  if (!isOtherNumber(given)) return idOf(given);
  faults.push({ field: 'deal_id', code: 'no_text' });
  return undefined;
}

/** The ids; undefined for too many. What is no id names nobody, and counts as an unknown one. */
function readIds(given: unknown, faults: BatchFault[]): readonly string[] | undefined {
  const parts =
    typeof given === 'string' ? given.split(',', LISTS.recipients + 1) : Array.isArray(given) ? given : [given];
  if (parts.length <= LISTS.recipients) return parts.map((part) => idOf(trimmed(part)));
  faults.push({ field: 'user_ids', code: 'too_many' });
  return undefined;
}

/** An id; the empty text, which names nothing, for anything else. */
function idOf(given: unknown): string {
  const read = text('id').safeParse(given);
  return read.success ? read.data : '';
}

function isAbsent(given: unknown): boolean {
  return given === undefined || given === null || given === '' || (Array.isArray(given) && given.length === 0);
}
