import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer, Keyring, Clock } from '#eventsourcing';
import { DomainError } from '#kernel';
import { isUserOf } from '#people';
import type { CardLinkRow } from './card-link.row.js';
import { findLinkableDeal } from './linkable-deal.js';
import { Linking, type WantedLink } from './linking.js';

/**
 * Links a user to card-linked deals: to all of them or to none (interface 4.13, rulings E3, E4). The rows are the links, in the
 * order of the deals. A link that exists stays as it is.
 */
export class LinkUser extends Command<Done<readonly CardLinkRow[]>> {
  constructor(
    readonly partnerId: string,
    readonly userId: string,
    readonly dealIds: readonly string[],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(LinkUser)
export class LinkUserHandler implements ICommandHandler<LinkUser> {
  constructor(
    private readonly writer: Writer,
    private readonly keyring: Keyring,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async execute({ partnerId, userId, dealIds, context }: LinkUser): Promise<Done<readonly CardLinkRow[]>> {
    const wanted: WantedLink[] = [];
    for (const dealId of new Set(dealIds)) {
      const card_link_id = this.keyring.hash('card-link', JSON.stringify([userId, dealId]));
      wanted.push({ card_link_id, ...(await findLinkableDeal(this.writer, this.clock, dealId)) });
    }
    const linking = new Linking(this.writer, partnerId, userId, context, wanted.length > 1);
    try {
      const open: WantedLink[] = [];
      for (const link of wanted) if (!(await linking.recall(link))) open.push(link);
      // Asked after the first try's links: since then the user may have been hidden.
      if (open.length > 0) await this.#checkUser(partnerId, userId);
      for (const link of open) await linking.check(link);
      for (const link of wanted) await linking.make(link);
      // Only now nothing is refused any more.
      const rows: CardLinkRow[] = [];
      for (const link of wanted) rows.push(await linking.keep(link));
      return { row: rows, position: linking.position };
    } catch (error) {
      // After a 503 it is not known what was written: the caller's repeat finds it and goes on.
      if (!(error instanceof DomainError)) throw error;
      await linking.undo();
      throw new DomainError(error.code, error.message, error.details, linking.position);
    }
  }

  async #checkUser(partnerId: string, userId: string): Promise<void> {
    if (!(await isUserOf(this.writer, partnerId, userId))) throw new DomainError('user_not_found', 'not found');
  }
}
