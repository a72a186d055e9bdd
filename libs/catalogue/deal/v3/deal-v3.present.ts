import type { Keyring } from '#eventsourcing';
import { type PublicUrl, type Presenters, newestOf } from '#http';
import type { Shape } from '../deal-items.js';
import type { FoundDeal } from '../deal.queries.js';
import { DEAL_FIELDS } from './deal-fields.js';
import { namesOfChosen, shown, type Chosen } from './fields.js';

/** What presenting needs besides the deal. */
interface Presenting {
  readonly keyring: Pick<Keyring, 'hash'>;
  readonly publicUrl: PublicUrl;
}

/** The v3 shape with these fields, for lists. */
export function shapeV3(fields: Chosen, presenting: Presenting): Shape {
  return { name: `v3 ${namesOfChosen(fields)}`, present: (deal) => presentDealV3(deal, fields, presenting) };
}

/** A deal in the v3 shape (interface 2.3, ruling B4). Computes only the chosen fields. */
function firstDealV3(found: FoundDeal, fields: Chosen, { keyring, publicUrl }: Presenting): object {
  const addressId = (dealId: string, location: number): string => keyring.hash('address', `${dealId}:${location}`);
  return shown(DEAL_FIELDS, { ...found, publicUrl: publicUrl.href, addressId }, fields);
}

/** By the version of the answers (ruling H6). */
export const dealV3Presenters: Presenters<typeof firstDealV3> = { 1: firstDealV3 };

/** A deal in the v3 shape (interface 2.3, ruling B4). */
export const presentDealV3 = newestOf(dealV3Presenters);
