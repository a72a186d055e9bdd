import { writeAllMissingFollowers, type Engine } from '#eventsourcing';
import type { EventBody, Position, Recorded } from '#kernel';
import { cardLinkFollowers, linkageFollowers } from '../followers.js';
import type { CardLinkEvent } from './card-link.events.js';
import { linkage } from './linkage.decider.js';
import type { LinkageEvent, UserLinked } from './linkage.events.js';
import { placeOf } from './linkage.state.js';

// A process that decided may have died before its followers wrote, and without a worker no work list does it. So whoever
// relies on them first writes what is missing.

type Parts = Pick<Engine, 'loop' | 'log' | 'codec' | 'clock' | 'randomness'>;

/** Writes the card link of a place that was given. */
export function completeLink(engine: Parts, dealId: string, cardLinkId: string): Promise<Position | undefined> {
  return writeAllMissingFollowers(
    engine,
    linkageFollowers,
    dealId,
    (event) => (event as EventBody as LinkageEvent).data.card_link_id === cardLinkId,
  );
}

/** Frees the place of a card link's turn that has ended. Its next turn waits for that, so the places of earlier ones are free. */
export async function completeFreeing(
  engine: Parts,
  { card_link_id, deal_id }: Pick<UserLinked, 'card_link_id' | 'deal_id'>,
  turn: number,
): Promise<Position | undefined> {
  const place = placeOf(await engine.loop.readNow(linkage, deal_id), card_link_id);
  if (!place.taken || place.turn !== turn) return undefined;
  const concerns = (event: Recorded): boolean => {
    const { data } = event as EventBody as CardLinkEvent;
    return 'turn' in data && data.turn === turn;
  };
  return writeAllMissingFollowers(engine, cardLinkFollowers, card_link_id, concerns);
}
