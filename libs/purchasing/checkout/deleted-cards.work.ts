import { defineWorkList, unchanged, type WorkRow } from '#kernel';
import type { WalletErased, WalletEvent } from '#people/model';

/** A deleted card whose number the vault may still have. */
export interface DeletedCard extends WorkRow {
  readonly card_id: string;
  readonly user_id: string;
  /** Which of its lives has ended. */
  readonly life: number;
}

/** Deleted and erased cards (rulings I13, G12): the work destroys their numbers, each as soon as no open charge needs it. */
export const deletedCards = defineWorkList<DeletedCard, WalletEvent>({
  name: 'deleted-cards',
  version: 1,
  key: ({ type, data }) => {
    switch (type) {
      case 'card-deleted.v1':
      case 'card-number-destroyed.v1':
        return keyOf(data);
      case 'wallet-erased.v1':
        return ending(data).map(keyOf);
      default:
        return [];
    }
  },
  on: {
    'card-stored.v1': unchanged,
    'default-card-set.v1': unchanged,
    'card-deleted.v1': (_, { data: { card_id, user_id, life }, metadata }) => ({
      card_id,
      user_id,
      life,
      due_at: metadata.time,
    }),
    'card-restored.v1': unchanged,
    'card-number-destroyed.v1': () => undefined,
    'wallet-erased.v1': (_, { data, metadata }, key) => {
      const card = ending(data).find((each) => keyOf(each) === key);
      return card && { ...card, user_id: data.user_id, due_at: metadata.time };
    },
  },
  shown: {
    does: 'Destroys the number of a deleted card as soon as no open charge needs it.',
    about: (_, { card_id, user_id }) => ({ credit_card_id: card_id, user_id }),
    insteadOfAbandoning: () =>
      'void the purchases with open charges of the card (`holdfast purchases void`): the number has to be destroyed',
  },
});

/** The cards whose life ends with their user; those that were deleted before have a row already, or had one. */
function ending({ cards }: WalletErased): readonly Pick<DeletedCard, 'card_id' | 'life'>[] {
  return cards.flatMap(({ card_id, life }) => (life === null ? [] : [{ card_id, life }]));
}

function keyOf({ card_id, life }: Pick<DeletedCard, 'card_id' | 'life'>): string {
  return `${card_id}.${life}`;
}
