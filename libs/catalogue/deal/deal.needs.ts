import type { DealAttributes } from './deal.attributes.js';
import { isPrepaid, type DealType } from './deal.types.js';

const REQUIRED = ['title', 'region_id', 'start_at', 'end_at'] as const;
const PRICES = ['current_price', 'value'] as const;

/**
 * The attributes that a deal needs (ruling G4) and does not have, in their order.
 * @param type undefined for a new deal without one: it is prepaid
 */
export function missingAttributes(
  attributes: { readonly [Name in keyof DealAttributes]?: unknown },
  type: DealType | undefined,
): readonly (keyof DealAttributes)[] {
  const needed = type === undefined || isPrepaid(type) ? [...REQUIRED, ...PRICES] : REQUIRED;
  return needed.filter((name) => (attributes[name] ?? null) === null);
}
