import type { Writer } from '#eventsourcing';
import { missing, ValidationFailed, type ErrorEntry } from '#http';
import { deal } from './deal.decider.js';
import { missingAttributes } from './deal.needs.js';
import { DEAL_BODY, readDealSlug } from './deal.schema.js';
import type { DealAfter } from './deal.state.js';
import { DEAL_TYPES } from './deal.types.js';

type Parameters = Readonly<Record<string, unknown>>;

/**
 * Adds what a deal still needs to the faults of its parameters, so that a caller learns all of them at once (ruling G4).
 * @param error of the reader; anything but faults is thrown again
 * @throws ValidationFailed
 */
export async function withMissingOfDeal(
  writer: Pick<Writer, 'read'>,
  slug: unknown,
  parameters: Parameters,
  error: unknown,
): Promise<never> {
  const id = idOf(slug);
  throw withMissing(id === undefined ? null : await writer.read(deal, id), parameters, error);
}

/**
 * The same for a deal that is known, or null for a new one. What is given but wrong is not missing.
 * @returns the error to throw
 */
export function withMissing(known: DealAfter | null, parameters: Parameters, error: unknown): unknown {
  if (!(error instanceof ValidationFailed)) return error;
  const given = Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ''),
  );
  const type = DEAL_TYPES.find((each) => each === given['type']) ?? known?.attributes.type;
  const isUnreadable = 'type' in given && type !== given['type'];
  const lacking = missingAttributes({ ...known?.attributes, ...given }, isUnreadable ? 'card-linked' : type);
  const named = new Set(error.entries.map(({ field }) => field));
  const more = lacking.filter((field) => !named.has(field)).map((field) => missing(field, 'deal'));
  return new ValidationFailed([...error.entries, ...more].sort((a, b) => placeOf(a) - placeOf(b)));
}

function idOf(slug: unknown): string | undefined {
  try {
    return readDealSlug(slug);
  } catch {
    return undefined;
  }
}

const ORDER = ['slug', ...Object.keys(DEAL_BODY.shape), 'state'];

/** Entries come in the order of the attributes; unknown ones are the last. */
function placeOf({ field = '' }: ErrorEntry): number {
  const place = ORDER.indexOf(field.split('.', 1)[0] ?? '');
  return place < 0 ? ORDER.length : place;
}
