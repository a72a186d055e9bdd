// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';

/** The events hold credentials only as keyed hashes. */
export type PartnerEvent =
  | EventOf<'partner-created.v1', { readonly partner_id: string; readonly name: string; readonly slug: string }>
  | EventOf<'partner-key-issued.v1', { readonly partner_id: string; readonly key_id: string; readonly hash: string }>
  | EventOf<'partner-key-revoked.v1', { readonly partner_id: string; readonly key_id: string; readonly hash: string }>
  | EventOf<
      'partner-password-set.v1',
      { readonly partner_id: string; readonly username: string; readonly hash: string }
    >
  | EventOf<'partner-storefront-set.v1', { readonly partner_id: string; readonly storefront_url: string | null }>;

export const partnerEvents = defineEventTypes<PartnerEvent>('partner', {
  'partner-created.v1': true,
  'partner-key-issued.v1': true,
  'partner-key-revoked.v1': true,
  'partner-password-set.v1': true,
  'partner-storefront-set.v1': true,
});
