import type { Keyring } from '#eventsourcing';
import type { EventBody } from '#kernel';
import type { PartnerEvent } from './partner.events.js';

/** A partner's id is a keyed hash of its slug, so there is one partner per slug. */
export function partnerIdFrom(keyring: Keyring, slug: string): string {
  return keyring.hash('partner', slug);
}

/** Whether an event was written with these keys; undefined for an event that cannot show it. */
export function keysFit(keyring: Keyring, event: EventBody): boolean | undefined {
  const { type, data } = event as PartnerEvent;
  return type === 'partner-created.v1' ? partnerIdFrom(keyring, data.slug) === data.partner_id : undefined;
}
