import type { Keyring } from '#eventsourcing';
import type { PublicUrl } from '#http';
import type { FoundDeal } from '../deal.queries.js';
import { DEAL_FIELDS } from './deal-fields.js';
import { shown, type Chosen } from './fields.js';

/** A deal in the v3 shape (interface 2.3, ruling B4). Computes only the chosen fields. */
export function presentDealV3(
  found: FoundDeal,
  fields: Chosen,
  { keyring, publicUrl }: { readonly keyring: Pick<Keyring, 'hash'>; readonly publicUrl: PublicUrl },
): object {
  const addressId = (dealId: string, location: number): string => keyring.hash('address', `${dealId}:${location}`);
  return shown(DEAL_FIELDS, { ...found, publicUrl: publicUrl.href, addressId }, fields);
}
