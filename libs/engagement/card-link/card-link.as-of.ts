import type { Past } from '#eventsourcing';
import { streamName, type EventBody } from '#kernel';
import type { CardLinkEvent } from './card-link.events.js';
import { cardLinkAfter, type CardLinkRow } from './card-link.row.js';

/** A card link as it was; undefined if there was none, or if it had been undone (ruling G7.2). */
export async function cardLinkAsOf(past: Past, id: string): Promise<CardLinkRow | undefined> {
  const events = await past.events(streamName('cardLink', id));
  return events.reduce<CardLinkRow | undefined>(
    (row, event) => cardLinkAfter(row, event as EventBody as CardLinkEvent),
    undefined,
  );
}
