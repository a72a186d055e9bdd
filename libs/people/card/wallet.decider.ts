import { Map } from 'immutable';
import { defineDecider, DomainError, notFound } from '#kernel';
import { IN_A_LIFE } from '#kernel/bounds';
import type { CardStored, WalletEvent } from './card.events.js';

export interface StoreInWallet {
  readonly type: 'store';
  readonly card: Omit<CardStored, 'created_at' | 'primary'>;
  /** The life under which its number is in the vault. */
  readonly life: number;
}

export interface SetDefault {
  readonly type: 'set-default';
  readonly card_id: string;
}

/** Deletes a card (ruling I13). */
export interface DeleteFromWallet {
  readonly type: 'delete';
  readonly card_id: string;
}

/** Notes that the vault has no number of a life of the card any more. */
export interface NoteDestroyed {
  readonly type: 'note-destroyed';
  readonly card_id: string;
  readonly life: number;
}

/** Erases what is known of the cards of a user, and takes no more of them (ruling G12). */
export interface EraseWallet {
  readonly type: 'erase';
  readonly user_id: string;
}

export type WalletCommand = StoreInWallet | SetDefault | DeleteFromWallet | NoteDestroyed | EraseWallet;

/** A card of a user, perhaps a deleted one. */
export interface CardInWallet extends CardStored {
  readonly deleted: boolean;
  /** From 0: how often it was stored again after it was deleted. */
  readonly life: number;
  /** The lives that have ended, and whose numbers the vault may still have. */
  readonly to_destroy: readonly number[];
}

/** All cards of one user. */
export interface WalletState {
  readonly cards: Map<string, CardInWallet>;
  /** The default card; null while there is no card that is not deleted. */
  readonly primary: string | null;
  /** Whether the user is erased: then no card has its last four digits, and none is added. */
  readonly erased: boolean;
}

/**
 * A user's cards (interface 4.10, rulings D9, I13). The first card becomes the default; while there are cards that are not
 * deleted, exactly one of them is the default.
 */
export const wallet = defineDecider<WalletCommand, WalletState, WalletEvent>({
  category: 'wallet',
  initialState: { cards: Map(), primary: null, erased: false },

  decide(command, state, now) {
    switch (command.type) {
      case 'store':
        return store(command, state, now);
      case 'set-default': {
        const card = state.cards.get(command.card_id);
        if (card === undefined || card.deleted || state.primary === null) throw unknownCard();
        const { card_id, user_id } = card;
        if (state.primary === card_id) return [];
        return [{ type: 'default-card-set.v1', data: { user_id, card_id, before: state.primary } }];
      }
      case 'delete': {
        const card = state.cards.get(command.card_id);
        if (card === undefined) throw unknownCard();
        if (state.erased) throw unknownCard();
        if (card.deleted) return [];
        const { card_id, user_id, life } = card;
        const next_default = state.primary === card_id ? newestBut(state, card_id) : null;
        return [{ type: 'card-deleted.v1', data: { card_id, user_id, life, next_default } }];
      }
      case 'erase': {
        if (state.erased) return [];
        const cards = [...state.cards.values()].map(({ card_id, life, deleted }) => ({
          card_id,
          life: deleted ? null : life,
        }));
        return [{ type: 'wallet-erased.v1', data: { user_id: command.user_id, cards } }];
      }
      case 'note-destroyed': {
        const { card_id, life } = command;
        const card = state.cards.get(card_id);
        if (card?.to_destroy.includes(life) !== true) return [];
        return [{ type: 'card-number-destroyed.v1', data: { card_id, user_id: card.user_id, life } }];
      }
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'card-stored.v1': {
        const { card_id, primary } = event.data;
        return {
          ...state,
          cards: state.cards.set(card_id, { ...event.data, deleted: false, life: 0, to_destroy: [] }),
          primary: primary ? card_id : state.primary,
        };
      }
      case 'default-card-set.v1':
        return { ...state, primary: event.data.card_id };
      case 'card-deleted.v1': {
        const { card_id, life, next_default } = event.data;
        const cards = changed(state, card_id, (card) => ({
          ...card,
          deleted: true,
          to_destroy: [...card.to_destroy, life],
        }));
        return { ...state, cards, primary: state.primary === card_id ? next_default : state.primary };
      }
      case 'card-restored.v1': {
        const { card_id, life, primary } = event.data;
        const cards = changed(state, card_id, (card) => ({ ...card, deleted: false, life }));
        return { ...state, cards, primary: primary ? card_id : state.primary };
      }
      case 'wallet-erased.v1':
        return { cards: state.cards.map(erased), primary: null, erased: true };
      case 'card-number-destroyed.v1': {
        const { card_id, life } = event.data;
        const cards = changed(state, card_id, (card) => ({
          ...card,
          to_destroy: card.to_destroy.filter((each) => each !== life),
        }));
        return { ...state, cards };
      }
    }
  },
});

/** The same number of the same user has the same id: it is the same card, and not deleted any more. */
function store({ card, life }: StoreInWallet, state: WalletState, now: number): WalletEvent[] {
  if (state.erased) throw new DomainError('person_erased', 'this person has been erased');
  const known = state.cards.get(card.card_id);
  const primary = state.primary === null;
  if (known === undefined) {
    // Its number is where nothing looks for it; the caller sees that, and tries again.
    if (life !== 0) return [];
    checkRoom(state, card.card_id);
    return [{ type: 'card-stored.v1', data: { ...card, created_at: now, primary } }];
  }
  if (!known.deleted || life !== lifeToStore(known)) return [];
  const { card_id, user_id } = known;
  return [{ type: 'card-restored.v1', data: { card_id, user_id, life, primary } }];
}

/** What money still needs: a charge or refund under way names the card, and may need its number. */
function erased(card: CardInWallet): CardInWallet {
  const to_destroy = card.deleted ? card.to_destroy : [...card.to_destroy, card.life];
  return { ...card, last4: '', brand: 'unknown', number_hash: '', primary: false, deleted: true, to_destroy };
}

/**
 * A number that the user has stored before is the same card, so it needs no room. A wallet that once had no room for a card never
 * has: deleted cards count.
 * @throws DomainError cards_used_up
 */
export function checkRoom(state: WalletState, cardId: string): void {
  if (hasRoomFor(state, cardId)) return;
  throw new DomainError('cards_used_up', `the user has had ${IN_A_LIFE.cards} cards`);
}

/** Whether the wallet has the card, perhaps deleted, or room for one more. */
export function hasRoomFor({ cards }: WalletState, cardId: string): boolean {
  return cards.has(cardId) || cards.size < IN_A_LIFE.cards;
}

/**
 * The life under which a number goes into the vault. A card that was deleted begins another one: so whatever destroys its old
 * number, however late, never destroys the new one.
 */
export function lifeToStore(card: CardInWallet | undefined): number {
  if (card === undefined) return 0;
  return card.deleted ? card.life + 1 : card.life;
}

/** The newest other card that is not deleted, in the order of lists; null if there is none. */
function newestBut({ cards }: WalletState, cardId: string): string | null {
  const others = [...cards.values()].filter(({ card_id, deleted }) => card_id !== cardId && !deleted);
  const newest = others.toSorted((a, b) => b.created_at - a.created_at || (a.card_id < b.card_id ? -1 : 1))[0];
  return newest?.card_id ?? null;
}

function changed(
  { cards }: WalletState,
  cardId: string,
  change: (card: CardInWallet) => CardInWallet,
): WalletState['cards'] {
  const card = cards.get(cardId);
  return card === undefined ? cards : cards.set(cardId, change(card));
}

function unknownCard(): Error {
  return notFound('you have no credit card with this id');
}
