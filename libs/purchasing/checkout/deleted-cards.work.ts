import { defineWorkList, unchanged, type WorkRow } from '#kernel';
import type { WalletEvent } from '#people/model';

/** A deleted card whose number the vault may still have. */
export interface DeletedCard extends WorkRow {
  readonly card_id: string;
  readonly user_id: string;
  /** Which of its lives has ended. */
  readonly life: number;
}

/** Deleted cards (ruling I13): the work destroys their numbers, each as soon as no open charge needs it. */
export const deletedCards = defineWorkList<DeletedCard, WalletEvent>({
  name: 'deleted-cards',
  version: 1,
  key: ({ type, data }) =>
    type === 'card-deleted.v1' || type === 'card-number-destroyed.v1' ? `${data.card_id}.${data.life}` : [],
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
  },
});
