import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Keyring, showsPerson, Vault } from '#eventsourcing';
import { DomainError, type Position } from '#kernel';
import { brandOf } from './card.brand.js';
import { cardIdOf, numberHashOf } from './card-number.js';
import { isUserOf } from '../user/is-user-of.js';
import type { CardDetails } from './card.schema.js';
import { sealCard, secretOf } from './card.vault.js';
import { checkRoom, lifeToStore, wallet, type StoreInWallet } from './wallet.decider.js';

/**
 * Stores a user's card (interface 4.10, ruling D9) and asks no gateway (ruling D7). The row is the card's id. A number
 * that the user has stored before is the same card, with the new expiry and ZIP, and not deleted any more (ruling I13).
 */
export class StoreCard extends Command<Done<string>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly details: CardDetails,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const NEVER: ReadonlySet<string> = new Set(['cards_used_up', 'person_erased']);

@CommandHandler(StoreCard)
export class StoreCardHandler implements ICommandHandler<StoreCard> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    @Inject(Vault) private readonly vault: Vault,
  ) {}

  async execute({ partnerId, userId, details, context }: StoreCard): Promise<Done<string>> {
    const { writer } = this;
    showsPerson(userId);
    // Asked before the user is checked, who may have been hidden since the first try. The card may have a newer expiry since.
    const stored = ['card-stored.v1', 'card-restored.v1'] as const;
    const before = await writer.repeat(context, wallet, userId, { types: stored });
    if (before !== undefined)
      return { row: cardIdOf(this.keyring, this.vault, userId, details.number), position: before.position };
    if (!(await isUserOf(writer, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
    const { number } = details;
    const card_id = cardIdOf(this.keyring, this.vault, userId, number);
    const card = {
      card_id,
      user_id: userId,
      partner_id: partnerId,
      last4: number.slice(-4),
      brand: brandOf(number),
      number_hash: numberHashOf(this.keyring, this.vault, partnerId, number),
    };
    return { row: card_id, position: await this.#store(card, details, context) };
  }

  /**
   * Stores the card again under its next life, if somebody deletes it meanwhile.
   * @throws DomainError cards_used_up
   */
  async #store(
    card: StoreInWallet['card'],
    details: CardDetails,
    context: CommandContext,
  ): Promise<Position | undefined> {
    const { writer, vault } = this;
    const { card_id, user_id } = card;
    const before: string[] = [];
    for (;;) {
      const known = await writer.read(wallet, user_id);
      checkRoom(known, card_id);
      const life = lifeToStore(known.cards.get(card_id));
      const secret = secretOf({ card_id, life });
      // Before the event: a card in the log must be chargeable.
      await sealCard(vault, secret, details);
      const { state, position } = await writer
        .execute(wallet, user_id, { type: 'store', card, life }, context)
        .catch(async (error: unknown) => {
          // Other calls have just filled or erased the wallet: it never gets this card, so nothing else would destroy the number.
          if (error instanceof DomainError && NEVER.has(error.code)) await vault.destroy(secret);
          throw error;
        });
      const stored = state.cards.get(card_id);
      if (stored?.deleted === false && stored.life === life) {
        // No charge needs a number of an earlier life: this one has the same.
        for (const each of before) await vault.destroy(each);
        if (position === undefined) await writer.shown(wallet, user_id);
        return position;
      }
      before.push(secret);
    }
  }
}
