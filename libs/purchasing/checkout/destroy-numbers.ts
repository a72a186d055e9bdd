import { eq, Unavailable, type Work, type Writer, type Reader, type Vault } from '#eventsourcing';
import { secretOf } from '#people';
import { wallet } from '#people/model';
import { deletedCards, type DeletedCard } from './deleted-cards.work.js';
import { openCheckouts } from './open-checkouts.work.js';

/**
 * Destroys the numbers of deleted cards (ruling I13). A charge without an outcome is repeated with the same number: it waits for
 * that. A purchase that began before the deletion, and opens its charge only after this, finds no number, and is declined.
 */
export function destroyNumbers(writer: Writer, reader: Reader, vault: Vault): Work<DeletedCard> {
  return {
    list: deletedCards,
    async run(_, { card_id, user_id, life }) {
      const card = (await writer.readNow(wallet, user_id)).cards.get(card_id);
      // A card that was stored again has its number under another life, and charges use that one.
      const isLast = card === undefined || card.life === life;
      if (isLast && (await isCharged(reader, card_id))) throw new Unavailable('the card has an open charge', 1);
      await vault.destroy(secretOf({ card_id, life }));
      const context = writer.newContext(`system:${deletedCards.name}`);
      await writer.execute(wallet, user_id, { type: 'note-destroyed', card_id, life }, context);
    },
  };
}

/** Whether a charge of the card has no outcome yet, of those that were opened before now. */
async function isCharged(reader: Reader, cardId: string): Promise<boolean> {
  await reader.until([openCheckouts.view], await reader.end());
  return (await reader.of(openCheckouts.view).count(eq('credit_card_id', cardId))) > 0;
}
