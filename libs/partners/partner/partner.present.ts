import { isoTime } from '#kernel';
import type { DaysOfUse } from './key-uses.js';
import type { ListedKey, PartnerRow } from './partner.view.js';

/** A partner as the operators' list shows it (ruling G2). */
export function presentPartner(
  { id, name, slug, storefront_url, suspended, keys }: PartnerRow,
  days: DaysOfUse,
): object {
  return { id, name, slug, storefront_url, suspended, keys: keys.map((key) => presentKey(key, days)) };
}

function presentKey({ key_id, name, restriction, created_at, revoked }: ListedKey, days: DaysOfUse): object {
  return {
    key_id,
    name,
    created_at: isoTime(created_at),
    scope: restriction && restriction.scope,
    access: restriction && restriction.access,
    last_used_on: revoked ? null : (days[key_id] ?? null),
    revoked,
  };
}
