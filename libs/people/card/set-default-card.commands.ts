import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { findCard } from './card.queries.js';
import { wallet } from './wallet.decider.js';

/** Events of a wallet per read. */
const PAGE = 1_000;

/** Makes a card its user's default (interface 4.10). The row is the card's id. */
export class SetDefaultCard {
  constructor(
    readonly partnerId: string,
    readonly cardId: string,
    /** The position of the caller's last write: the lookup finds a card that they have just stored. */
    readonly since: Position,
    readonly context: CommandContext,
    /** Whether an earlier try under the same command id broke off. */
    readonly resumed: boolean,
  ) {}
}

@CommandHandler(SetDefaultCard)
export class SetDefaultCardHandler implements ICommandHandler<SetDefaultCard, Done<string>> {
  constructor(private readonly engine: Engine) {}

  async execute({ partnerId, cardId, since, context, resumed }: SetDefaultCard): Promise<Done<string>> {
    const { loop } = this.engine;
    const found = await findCard(this.engine, partnerId, cardId, since);
    if (found === undefined) throw notFound('you have no credit card with this id');
    // Asked before the user is checked: they may have been hidden since the first try.
    const done = resumed ? await this.#doneBefore(found.user_id, context.commandId) : undefined;
    if (done !== undefined) return { row: cardId, position: done };
    if (!(await isUserOf(loop, partnerId, found.user_id))) throw notFound('you have no credit card with this id');
    const { position } = await loop.execute(wallet, found.user_id, { type: 'set-default', card_id: cardId }, context);
    return { row: cardId, position };
  }

  /** The position of the first try's event: another card may have become the default since then and must stay it. */
  async #doneBefore(userId: string, commandId: string): Promise<Position | undefined> {
    for (let from = 0; ; from += PAGE) {
      const events = await this.engine.log.readStream(`wallet-${userId}`, from, PAGE);
      const own = events.find(({ metadata }) => metadata.command_id === commandId);
      if (own !== undefined || events.length < PAGE) return own?.position;
    }
  }
}
