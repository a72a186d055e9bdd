import { writeAllMissingFollowers, type Engine } from '#eventsourcing';
import type { EventBody, Position } from '#kernel';
import { cardLinkFollowers, linkageFollowers } from '../followers.js';
import type { LinkageEvent } from './linkage.events.js';

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

/** Frees the places of a card link's earlier turns. */
export function completeFreeing(engine: Parts, cardLinkId: string): Promise<Position | undefined> {
  return writeAllMissingFollowers(engine, cardLinkFollowers, cardLinkId, () => true);
}
