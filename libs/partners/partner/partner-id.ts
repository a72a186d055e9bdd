import type { Keyring } from '#eventsourcing';
import type { EventBody } from '#kernel';
import type { PartnerEvent } from './partner.events.js';

/** One partner per slug: the id follows from it. */
export function partnerIdFrom(keyring: Keyring, slug: string): string {
  return keyring.hash('partner', slug);
}

/** Whether an event was made with these keys; undefined for one that does not tell. */
export function keysFit(keyring: Keyring, event: EventBody): boolean | undefined {
  const { type, data } = event as PartnerEvent;
  return type === 'partner-created.v1' ? partnerIdFrom(keyring, data.slug) === data.partner_id : undefined;
}
