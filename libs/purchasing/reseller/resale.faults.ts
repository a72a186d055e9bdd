import type { ErrorEntry } from '#http';
import { RESALE_FIELDS, type ResaleFault, type ResaleField } from './resale.js';
import { resourceOf } from './resale.parameters.js';

/** The entries of an order's faults, in the order of the interface; a fault of the deal is the last one. */
export function resaleEntries(
  faults: readonly ResaleFault[],
  unreadable: readonly ErrorEntry[],
): readonly ErrorEntry[] {
  const read = unreadable.map((entry) => ({ ...entry, resource: resourceOf(entry.field) }));
  return [...read, ...faults.map(entryOf)].sort((a, b) => placeOf(a) - placeOf(b));
}

function entryOf(fault: ResaleFault): ErrorEntry {
  switch (fault.code) {
    case 'missing': {
      const { field } = fault;
      return { type: 'missing_field', message: `${field} is required`, field, resource: resourceOf(field) };
    }
    case 'more_than_one':
      return {
        type: 'invalid',
        message: 'must be 1 for a card-linked deal',
        field: 'quantity',
        resource: 'purchase',
      };
    case 'unknown_deal':
      return {
        type: 'not_found',
        message: 'deal not found',
        resource: 'deal',
        detail: 'no deal has this deal_id: GET /api/v3/deals lists those on sale',
      };
  }
}

function placeOf({ field }: ErrorEntry): number {
  return field === undefined ? RESALE_FIELDS.length : RESALE_FIELDS.indexOf(field as ResaleField);
}
