// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';

/** An API key (rulings A4, I8). */
export interface PartnerKeyIssued {
  readonly partner_id: string;
  readonly key_id: string;
  readonly hash: string;
  /** Null for a full key without one. */
  readonly name: string | null;
  /** What a restricted key allows; null for a full key. */
  readonly restriction: KeyRestriction | null;
}

/** The values of access tokens (ruling A7). */
export interface KeyRestriction {
  readonly scope: readonly string[];
  readonly access: readonly string[];
}

/** The events hold credentials only as keyed hashes. */
export type PartnerEvent =
  | EventOf<'partner-created.v1', { readonly partner_id: string; readonly name: string; readonly slug: string }>
  | EventOf<'partner-key-issued.v1', PartnerKeyIssued>
  | EventOf<'partner-key-revoked.v1', { readonly partner_id: string; readonly key_id: string; readonly hash: string }>
  | EventOf<
      'partner-password-set.v1',
      { readonly partner_id: string; readonly username: string; readonly hash: string }
    >
  | EventOf<'partner-storefront-set.v1', { readonly partner_id: string; readonly storefront_url: string | null }>
  | EventOf<'partner-suspension-set.v1', { readonly partner_id: string; readonly suspended: boolean }>;

export const partnerEvents = defineEventTypes<PartnerEvent>('partner', {
  'partner-created.v1': true,
  'partner-key-issued.v1': true,
  'partner-key-revoked.v1': true,
  'partner-password-set.v1': true,
  'partner-storefront-set.v1': true,
  'partner-suspension-set.v1': true,
});
