import { AS_STRING, type ErrorEntry } from '#http';
import { LISTS, MOST_SCHEDULED, SCHEDULED_IN_ALL } from '#kernel/bounds';
import type { BatchFault } from './batch.faults.js';

type Field = BatchFault['field'];
type CodeOf<F extends Field> = Extract<BatchFault, { field: F }>['code'];

const REQUIRED = 'is required';

/** The messages of the interface (7.4) and of ruling F2; a fault without one does not compile. */
const WORDS: { readonly [F in Field]: { readonly [C in CodeOf<F>]: readonly [message: string, detail?: string] } } = {
  deal_id: {
    missing: [REQUIRED],
    no_text: [AS_STRING],
    unknown: ['unknown deal', 'no deal has this id: GET /v1/deals lists those on sale'],
    not_sold: ["deal's status must be in-flight or approved"],
    of_another: ['does not match this batch', 'the batch is about another deal'],
  },
  batch_id: { processed: ['is already processed, cannot be cancelled'] },
  send_at: {
    missing: [REQUIRED],
    not_tomorrow: [
      'must be tomorrow',
      'a time of the next day in UTC, such as 2027-01-31T12:00:00Z, after its midnight',
    ],
    before_start: ["must be after deal's start time"],
    after_end: ["must be before deal's end time"],
  },
  user_ids: {
    missing: [REQUIRED],
    too_many: [`must be at most ${LISTS.recipients}`],
    invalid: ['are all invalid', 'each id is unknown, or its user is in another batch on that day'],
    scheduled: ['are all already scheduled for that day'],
    day_full: ['are too many for that day', `at most ${MOST_SCHEDULED} of your users are in batches of one day`],
    day_used_up: [
      'are too many for that day',
      `all batches that you have made for the day, cancelled ones included, have had ${SCHEDULED_IN_ALL.users} users; a batch counts as at least ${SCHEDULED_IN_ALL.leastOfBatch}`,
    ],
  },
  mode: { missing: [REQUIRED], unknown: ['must be either (suppress or augment)'] },
};

/** The entries for a batch's faults, in the order of interface 7.4 (ruling F1). */
export function entriesOf(faults: readonly BatchFault[]): readonly ErrorEntry[] {
  const fields = Object.keys(WORDS);
  return faults
    .toSorted((a, b) => fields.indexOf(a.field) - fields.indexOf(b.field))
    .map(({ field, code }) => {
      const words = WORDS[field] as Readonly<Record<string, readonly [string, string?]>>;
      const [message = '', detail] = words[code] ?? [];
      return { type: typeOf(field, code), message, field, resource: 'batch', ...(detail !== undefined && { detail }) };
    });
}

function typeOf(field: Field, code: BatchFault['code']): ErrorEntry['type'] {
  if (code === 'missing') return 'missing_field';
  return field === 'deal_id' && code === 'unknown' ? 'not_found' : 'invalid';
}
