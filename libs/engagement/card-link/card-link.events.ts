// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';
import type { UserLinked } from './linkage.events.js';

/** A user's card is linked to a deal, for the first time or again. */
export interface CardLinked extends Omit<UserLinked, 'linked'> {
  readonly created_at: Instant;
}

type Ended = Pick<CardLinked, 'card_link_id' | 'deal_id' | 'user_id' | 'turn'>;

/** A transaction at the deal's merchant. Amounts are cents. */
export interface CardLinkRedeemed extends Pick<CardLinked, 'card_link_id' | 'deal_id' | 'user_id'> {
  /** Its own revision: the link remembers it, to find the transaction when a repeat comes. */
  readonly revision: number;
  readonly transaction_amount: number;
  readonly transaction_date: Instant;
  readonly transaction_reference: string;
  /** Whether it fulfils the link. */
  readonly max_redemption: boolean;
  /** Qualifying redemptions of the link after the event. */
  readonly qualifying: number;
  /** The incentive that it earns. */
  readonly incentive: number;
}

export type CardUnlinked = EventOf<'card-unlinked.v1', Ended>;
/** One of several links that a call made and took back, because another one was refused: it counts as never made. */
export type CardLinkUndone = EventOf<'card-link-undone.v1', Ended>;

export type CardLinkEvent =
  | EventOf<'card-linked.v1', CardLinked>
  | EventOf<'card-link-redeemed.v1', CardLinkRedeemed>
  | CardUnlinked
  | CardLinkUndone;

export const cardLinkEvents = defineEventTypes<CardLinkEvent>(
  'cardLink',
  {
    'card-linked.v1': true,
    'card-link-redeemed.v1': true,
    'card-unlinked.v1': true,
    'card-link-undone.v1': true,
  },
  [],
  {
    'card-linked.v1': ['turn'],
    'card-link-redeemed.v1': ['revision', 'transaction_amount', 'qualifying', 'incentive'],
    'card-unlinked.v1': ['turn'],
    'card-link-undone.v1': ['turn'],
  },
);
