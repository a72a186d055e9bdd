import type { Writer } from '#eventsourcing';
import type { EventBody, Position } from '#kernel';
import { cardLink } from './card-link.decider.js';
import type { CardLinkEvent } from './card-link.events.js';
import { linkage } from './linkage.decider.js';
import type { LinkageEvent, UserLinked } from './linkage.events.js';
import { placeOf } from './linkage.state.js';

/** Writes the card link of a place that was given last. */
export function completeLink(writer: Writer, dealId: string, cardLinkId: string): Promise<Position | undefined> {
  return writer.complete(linkage, dealId, {
    fits(event) {
      const { type, data } = event as EventBody as LinkageEvent;
      return type === 'user-linked.v1' && data.card_link_id === cardLinkId;
    },
  });
}

/** Frees the place of a card link's turn that has ended. Its next turn waits for that, so the places of earlier ones are free. */
export async function completeFreeing(
  writer: Writer,
  { card_link_id, deal_id }: Pick<UserLinked, 'card_link_id' | 'deal_id'>,
  turn: number,
): Promise<Position | undefined> {
  const place = placeOf(await writer.readNow(linkage, deal_id), card_link_id);
  if (!place.taken || place.turn !== turn) return undefined;
  return writer.complete(cardLink, card_link_id, {
    fits(event) {
      const { type, data } = event as EventBody as CardLinkEvent;
      return (type === 'card-unlinked.v1' || type === 'card-link-undone.v1') && data.turn === turn;
    },
  });
}
