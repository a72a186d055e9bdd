import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext, type Done } from '#eventsourcing';
import { notFound, type Position } from '#kernel';
import { isUserOf } from '../user/is-user-of.js';
import { findCard } from './card.queries.js';
import { wallet } from './wallet.decider.js';

/** Events of a wallet that are looked at, at once. */
const PAGE = 1_000;

/** Makes a card its user's default (interface 4.10). The row is the card's id. */
export class SetDefaultCard {
  constructor(
    readonly partnerId: string,
    readonly cardId: string,
    /** What the caller has written: a card that it has just stored is found. */
    readonly since: Position,
    readonly context: CommandContext,
    /** The request broke off before, and runs again under the same command id. */
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
    // Before the user is looked at, who may have been hidden since.
    const done = resumed ? await this.#doneBefore(found.user_id, context.commandId) : undefined;
    if (done !== undefined) return { row: cardId, position: done };
    if (!(await isUserOf(loop, partnerId, found.user_id))) throw notFound('you have no credit card with this id');
    const { position } = await loop.execute(wallet, found.user_id, { type: 'set-default', card_id: cardId }, context);
    return { row: cardId, position };
  }

  /** Where the first try has done it: another card may have become the default since, and must stay it. */
  async #doneBefore(userId: string, commandId: string): Promise<Position | undefined> {
    for (let from = 0; ; from += PAGE) {
      const events = await this.engine.log.readStream(`wallet-${userId}`, from, PAGE);
      const own = events.find(({ metadata }) => metadata.command_id === commandId);
      if (own !== undefined || events.length < PAGE) return own?.position;
    }
  }
}
