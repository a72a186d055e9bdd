import { type Writer } from '#eventsourcing';
import { isUserOf } from '#people';
import { user } from '#people/model';
import { cardLink, unknownCardLink } from './card-link.decider.js';
import type { CardLinkRow } from './card-link.row.js';
import type { CardLinkState } from './card-link.state.js';

/** A card link with its row. */
export type KnownCardLink = CardLinkState & { readonly row: CardLinkRow };

/**
 * A partner's card link, as the log has it now.
 * @throws DomainError not_found for an unknown one and another partner's (ruling A5)
 */
export async function findCardLink(writer: Writer, partnerId: string, cardLinkId: string): Promise<KnownCardLink> {
  const { row, ...state } = await writer.shownNow(cardLink, cardLinkId);
  if (row?.partner_id !== partnerId) throw unknownCardLink();
  return { ...state, row };
}

/** Refuses a transaction of an erased user (ruling G12): those of a hidden user still count. @throws DomainError not_found */
export async function refuseErasedUser(writer: Writer, { row }: KnownCardLink): Promise<void> {
  const owner = await writer.read(user, row.user_id);
  if (owner !== null && owner.erased !== null) throw unknownCardLink();
}

/** Refuses a change of a hidden user's card link (ruling E1). @throws DomainError not_found */
export async function refuseHiddenUser(writer: Writer, { row }: KnownCardLink): Promise<void> {
  if (!(await isUserOf(writer, row.partner_id, row.user_id))) throw unknownCardLink();
}
