import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type Done, Writer } from '#eventsourcing';
import { findSubscription, refuseHiddenUser } from './find-subscription.js';
import { subscription, unknownSubscription } from './subscription.decider.js';
import type { SubscriptionStatus } from './subscription.events.js';
import type { SubscriptionRow } from './subscription.row.js';

/** Sets the status of a subscription (interface 3.6). */
export class SetSubscriptionStatus extends Command<Done<SubscriptionRow>> {
  constructor(
    readonly partnerId: string,
    readonly subscriptionId: string,
    readonly status: SubscriptionStatus,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SetSubscriptionStatus)
export class SetSubscriptionStatusHandler implements ICommandHandler<SetSubscriptionStatus> {
  constructor(private readonly writer: Writer) {}

  async execute({
    partnerId,
    subscriptionId: id,
    status,
    context,
  }: SetSubscriptionStatus): Promise<Done<SubscriptionRow>> {
    const known = await findSubscription(this.writer, partnerId, id);
    // It may have been set again since the first try, and its user hidden.
    const before = await this.writer.repeat(context, subscription, id, { types: ['subscription-status-set.v1'] });
    if (before !== undefined) return { row: known, position: before.position };
    await refuseHiddenUser(this.writer, known);
    const { writer } = this;
    const { state, position } = await writer.execute(subscription, id, { type: 'set-status', status }, context);
    if (state === null) throw unknownSubscription();
    if (position === undefined) await writer.shown(subscription, id);
    return { row: state, position };
  }
}
