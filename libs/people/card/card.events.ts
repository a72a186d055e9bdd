// These names are on disk.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** The card's network as its number tells it; `unknown` where it tells none. */
export type CardBrand =
  'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay' | 'maestro' | 'unknown';

/** A new card of a user. Its number, expiry and ZIP are in the vault, under the card's id (ruling D9). */
export interface CardStored {
  readonly card_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  /** The last four digits of the number: all of it that is told. */
  readonly last4: string;
  readonly brand: CardBrand;
  readonly created_at: Instant;
  /** Whether it is the default: the first card is. */
  readonly primary: boolean;
}

export interface DefaultCardSet {
  readonly user_id: string;
  /** The card that is the default from now on. */
  readonly card_id: string;
  /** The card that was the default until now. */
  readonly before: string;
}

/** The stream of a user's cards, named by the user's id: it decides about all of them, so that one is the default. */
export type WalletEvent = EventOf<'card-stored.v1', CardStored> | EventOf<'default-card-set.v1', DefaultCardSet>;

export const walletEvents = defineEventTypes<WalletEvent>('wallet', {
  'card-stored.v1': true,
  'default-card-set.v1': true,
});
