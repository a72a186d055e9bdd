import type { Keyring } from '#eventsourcing';

/** A partner's id is a keyed hash of its slug, so there is one partner per slug. */
export function partnerIdFrom(keyring: Keyring, slug: string): string {
  return keyring.hash('partner', slug);
}
