// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';

/** A user has a place of a card-linked deal. */
export interface UserLinked {
  /** A keyed hash of user and deal. */
  readonly card_link_id: string;
  readonly deal_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  /** The deal's merchant at that time. */
  readonly merchant_id: string | null;
  /** Counts how often this link was made, from 1. */
  readonly turn: number;
  /** The call links several deals: if another one is refused, it takes this link back. Absent for others. */
  readonly among_several?: true;
  /** Places that are taken after the event. */
  readonly linked: number;
}

/** The place of a link's turn is free. */
export type PlaceFreed = Pick<UserLinked, 'card_link_id' | 'deal_id' | 'turn' | 'linked'>;

/** Everything that `max_linkage` depends on is decided in one stream per deal. */
export type LinkageEvent = EventOf<'user-linked.v1', UserLinked> | EventOf<'place-freed.v1', PlaceFreed>;

export const linkageEvents = defineEventTypes<LinkageEvent>(
  'linkage',
  {
    'user-linked.v1': true,
    'place-freed.v1': true,
  },
  [],
  { 'user-linked.v1': ['turn', 'linked'], 'place-freed.v1': ['turn', 'linked'] },
);
