import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, Writer } from '#eventsourcing';
import type { Position } from '#kernel';
import { user } from '#people/model';
import { mailPreference } from '../mail-preference/mail-preference.decider.js';
import { subscription, type SubscriptionCommand } from '../subscription/subscription.decider.js';
import { isFor } from '../subscription/confirmed-address.js';
import type { MailLink } from './mail-link.js';
import type { LinkedMails } from './mail-link.queries.js';

/**
 * Does what a link is for (rulings E5, H3). The user may be hidden: they end mails all the same. A repeat cannot come: the call of a
 * link has no Idempotency-Key.
 */
export class FollowMailLink extends Command<FollowedMailLink> {
  constructor(
    readonly link: MailLink,
    /** Its actor becomes the user whose mail had the link. */
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** What following a link did, which the page says: since a query the user may have changed their address or unsubscribed. */
export interface FollowedMailLink extends Pick<LinkedMails, 'isWanted' | 'isOutdated'> {
  /** The last position that was written; undefined if nothing was. */
  readonly position: Position | undefined;
}

@CommandHandler(FollowMailLink)
export class FollowMailLinkHandler implements ICommandHandler<FollowMailLink> {
  constructor(private readonly writer: Writer) {}

  async execute({ link: { kind, id, address }, context }: FollowMailLink): Promise<FollowedMailLink> {
    switch (kind) {
      case 'confirmation':
        return this.#confirm(id, address, context);
      case 'end-of-subscription':
        return this.#change(id, { type: 'set-status', status: 'inactive' }, context);
      case 'end-of-batch-mails': {
        const { writer } = this;
        const reader = await writer.read(user, id);
        if (reader === null) throw new Error('a link that was signed has its user');
        const { user_id, partner_id } = reader;
        const command = { type: 'decline-batch-mails', user: { user_id, partner_id } } as const;
        const { position } = await writer.execute(mailPreference, id, command, by(user_id, context));
        return { position, isWanted: false, isOutdated: false };
      }
    }
  }

  /** Does nothing if the user has another address than the one that the link was mailed to. */
  async #confirm(id: string, address: string | null, context: CommandContext): Promise<FollowedMailLink> {
    const { writer } = this;
    const row = await writer.read(subscription, id);
    const reader = row && (await writer.readNow(user, row.user_id));
    if (reader === null || !isFor(address, reader)) {
      return { position: undefined, isWanted: row?.status === 'active', isOutdated: true };
    }
    return this.#change(id, { type: 'confirm', address: reader.address }, context);
  }

  async #change(id: string, command: SubscriptionCommand, context: CommandContext): Promise<FollowedMailLink> {
    const { writer } = this;
    const row = await writer.read(subscription, id);
    if (row === null) throw new Error('a link that was signed has its subscription');
    const { position, state } = await writer.execute(subscription, id, command, by(row.user_id, context));
    return { position, isWanted: state?.status === 'active', isOutdated: false };
  }
}

/** The actor of what a user did by a link. */
function by(userId: string, context: CommandContext): CommandContext {
  return { ...context, actor: `user:${userId}` };
}
