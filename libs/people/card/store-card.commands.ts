import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, writtenBefore, type CommandContext, type Done } from '#eventsourcing';
import { DomainError } from '#kernel';
import { brandOf } from './card.brand.js';
import { numberHashOf } from './card-number.js';
import { isUserOf } from '../user/is-user-of.js';
import type { CardDetails } from './card.schema.js';
import { sealCard } from './card.vault.js';
import { wallet } from './wallet.decider.js';

/**
 * Stores a user's card (interface 4.10, ruling D9) and asks no gateway (ruling D7). The row is the card's id. A number
 * that the user has stored before is the same card, with the new expiry and ZIP.
 */
export class StoreCard {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly details: CardDetails,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(StoreCard)
export class StoreCardHandler implements ICommandHandler<StoreCard, Done<string>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'loop' | 'log' | 'keyring' | 'vault'>) {}

  async execute({ partnerId, userId, details, context }: StoreCard): Promise<Done<string>> {
    const { loop, vault } = this.engine;
    // Asked before the user is checked, who may have been hidden since the first try. The card may have a newer expiry since.
    const before = await writtenBefore(this.engine, context, wallet, userId, 'card-stored.v1');
    if (before !== undefined) return { row: cardIdOf(this.engine, userId, details), position: before.position };
    if (!(await isUserOf(loop, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
    const { number } = details;
    const card_id = cardIdOf(this.engine, userId, details);
    // Before the event: a card in the log must be chargeable.
    await sealCard(vault, card_id, details);
    const card = {
      card_id,
      user_id: userId,
      partner_id: partnerId,
      last4: number.slice(-4),
      brand: brandOf(number),
      number_hash: numberHashOf(this.engine, partnerId, number),
    };
    const { position } = await loop.execute(wallet, userId, { type: 'store', card }, context);
    return { row: card_id, position };
  }
}

/** The same number of the same user has the same id. */
function cardIdOf(
  { keyring, vault }: Pick<Engine, 'keyring' | 'vault'>,
  userId: string,
  { number }: CardDetails,
): string {
  return keyring.hash('card', `${userId}:${vault.fingerprint(number)}`);
}
