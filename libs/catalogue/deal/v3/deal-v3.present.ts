import type { Keyring } from '#eventsourcing';
import type { Site } from '#http';
import type { FoundDeal } from '../deal.queries.js';
import { DEAL_FIELDS } from './deal-fields.js';
import { shown, type Chosen } from './fields.js';

/** A deal in the v3 shape (interface 2.3, ruling B4). Computes only the chosen fields. */
export function presentDealV3(
  found: FoundDeal,
  fields: Chosen,
  { keyring, site }: { readonly keyring: Pick<Keyring, 'hash'>; readonly site: Site },
): object {
  const addressId = (dealId: string, location: number): string => keyring.hash('address', `${dealId}:${location}`);
  return shown(DEAL_FIELDS, { ...found, publicUrl: site.publicUrl, addressId }, fields);
}
