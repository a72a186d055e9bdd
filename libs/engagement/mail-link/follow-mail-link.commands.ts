import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, type CommandContext } from '#eventsourcing';
import type { Position } from '#kernel';
import { user } from '#people/model';
import { mailPreference } from '../mail-preference/mail-preference.decider.js';
import { subscription, type SubscriptionCommand } from '../subscription/subscription.decider.js';
import { isFor } from '../subscription/confirmed-address.js';
import type { MailLink } from './mail-link.js';

/** Does what a link is for (rulings E5, H3). The user may be hidden: they end mails all the same. */
export class FollowMailLink {
  constructor(
    readonly link: MailLink,
    /** Its actor becomes the user whose mail had the link. */
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(FollowMailLink)
export class FollowMailLinkHandler implements ICommandHandler<FollowMailLink, Position | undefined> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'loop'>) {}

  async execute({ link: { kind, id, address }, context }: FollowMailLink): Promise<Position | undefined> {
    switch (kind) {
      case 'confirmation':
        return this.#confirm(id, address, context);
      case 'end-of-subscription':
        return this.#change(id, { type: 'set-status', status: 'inactive' }, context);
      case 'end-of-batch-mails': {
        const { loop } = this.engine;
        const reader = await loop.read(user, id);
        if (reader === null) throw new Error('a link that was signed has its user');
        const { user_id, partner_id } = reader;
        const command = { type: 'decline-batch-mails', user: { user_id, partner_id } } as const;
        return (await loop.execute(mailPreference, id, command, by(user_id, context))).position;
      }
    }
  }

  /** Does nothing if the user has another address than the one that the link was mailed to. */
  async #confirm(id: string, address: string | null, context: CommandContext): Promise<Position | undefined> {
    const { loop } = this.engine;
    const row = await loop.read(subscription, id);
    const reader = row && (await loop.readNow(user, row.user_id));
    if (reader === null || !isFor(address, reader)) return undefined;
    return this.#change(id, { type: 'confirm', address: reader.address }, context);
  }

  async #change(id: string, command: SubscriptionCommand, context: CommandContext): Promise<Position | undefined> {
    const { loop } = this.engine;
    const row = await loop.read(subscription, id);
    if (row === null) throw new Error('a link that was signed has its subscription');
    return (await loop.execute(subscription, id, command, by(row.user_id, context))).position;
  }
}

/** The actor of what a user did by a link. */
function by(userId: string, context: CommandContext): CommandContext {
  return { ...context, actor: `user:${userId}` };
}
