// The log holds these names: they never change.
import { defineEventTypes, type EventOf, type Instant } from '#kernel';

/** The card's network, from its number; `unknown` where no range fits. */
export type CardBrand =
  | 'visa'
  | 'mastercard'
  | 'amex'
  | 'discover'
  | 'diners'
  | 'jcb'
  | 'unionpay'
  | 'maestro'
  | 'unknown';

/** A new card of a user, in its life 0. Its number, expiry and ZIP are in the vault, under the card's id (ruling D9). */
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

/** A card is deleted: it buys nothing more (ruling I13). */
export interface CardDeleted {
  readonly card_id: string;
  readonly user_id: string;
  /** Which of the card's lives has ended, from 0: a card that is stored again begins the next one. */
  readonly life: number;
  /** The card that is the default from now on, if this one was; otherwise null, and if there is no other card. */
  readonly next_default: string | null;
}

/** The number of a deleted card was stored again: it is the same card, with its number in the vault under its new life. */
export interface CardRestored {
  readonly card_id: string;
  readonly user_id: string;
  readonly life: number;
  /** Whether it is the default. */
  readonly primary: boolean;
}

/** The vault no longer has the number, expiry and ZIP of a life of the card. */
export interface CardNumberDestroyed {
  readonly card_id: string;
  readonly user_id: string;
  readonly life: number;
}

/** The cards of a user who is being erased: from now on nothing shows them, and the vault destroys their numbers (ruling G12). */
export interface WalletErased {
  readonly user_id: string;
  /** All of them; `life` is that which ends now, null if the card was deleted before. */
  readonly cards: readonly { readonly card_id: string; readonly life: number | null }[];
}

/** A user's cards share one stream, named by the user's id, so that at most one card is the default. */
export type WalletEvent =
  | EventOf<'card-stored.v1', CardStored>
  | EventOf<'default-card-set.v1', DefaultCardSet>
  | EventOf<'card-deleted.v1', CardDeleted>
  | EventOf<'card-restored.v1', CardRestored>
  | EventOf<'card-number-destroyed.v1', CardNumberDestroyed>
  | EventOf<'wallet-erased.v1', WalletErased>;

export const walletEvents = defineEventTypes<WalletEvent>('wallet', {
  'card-stored.v1': true,
  'default-card-set.v1': true,
  'card-deleted.v1': true,
  'card-restored.v1': true,
  'card-number-destroyed.v1': true,
  'wallet-erased.v1': true,
});
