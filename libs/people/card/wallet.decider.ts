import { Map } from 'immutable';
import { notFound, defineDecider } from '#kernel';
import type { CardStored, WalletEvent } from './card.events.js';

export interface StoreInWallet {
  readonly type: 'store';
  readonly card: Omit<CardStored, 'created_at' | 'primary'>;
}

export interface SetDefault {
  readonly type: 'set-default';
  readonly card_id: string;
}

/** All cards of one user. */
export interface WalletState {
  readonly cards: Map<string, CardStored>;
  /** The default card; null until there is a card. */
  readonly primary: string | null;
}

/** A user's cards (interface 4.10, ruling D9). The first card becomes the default; exactly one card is the default at any time. */
export const wallet = defineDecider<StoreInWallet | SetDefault, WalletState, WalletEvent>({
  category: 'wallet',
  initialState: { cards: Map(), primary: null },

  decide(command, state, now) {
    switch (command.type) {
      case 'store': {
        // The same number of the same user has the same id: it is the same card.
        if (state.cards.has(command.card.card_id)) return [];
        const card = { ...command.card, created_at: now, primary: state.primary === null };
        return [{ type: 'card-stored.v1', data: card }];
      }
      case 'set-default': {
        const card = state.cards.get(command.card_id);
        if (card === undefined || state.primary === null) throw notFound('you have no credit card with this id');
        const { card_id, user_id } = card;
        if (state.primary === card_id) return [];
        return [{ type: 'default-card-set.v1', data: { user_id, card_id, before: state.primary } }];
      }
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'card-stored.v1': {
        const { card_id, primary } = event.data;
        return {
          cards: state.cards.set(card_id, event.data),
          primary: primary ? card_id : state.primary,
        };
      }
      case 'default-card-set.v1':
        return { ...state, primary: event.data.card_id };
    }
  },
});
