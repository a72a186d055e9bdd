// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** The card's network, from its number; `unknown` where no range fits. */
export type CardBrand =
  'visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay' | 'maestro' | 'unknown';

/** A new card of a user. Its number, expiry and ZIP are in the vault, under the card's id (ruling D9). */
export interface CardStored {
  readonly card_id: string;
  readonly user_id: string;
  readonly partner_id: string;
  /** The last four digits of the number: no event and no answer holds more of it. */
  readonly last4: string;
  readonly brand: CardBrand;
  /** See `numberHashOf`: the same for all cards of the partner with this number. */
  readonly number_hash: string;
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

/** A user's cards share one stream, named by the user's id, so that exactly one card is the default. */
export type WalletEvent = EventOf<'card-stored.v1', CardStored> | EventOf<'default-card-set.v1', DefaultCardSet>;

export const walletEvents = defineEventTypes<WalletEvent>('wallet', {
  'card-stored.v1': true,
  'default-card-set.v1': true,
});
