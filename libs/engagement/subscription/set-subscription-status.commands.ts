import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Engine, writtenBefore, type CommandContext, type Done } from '#eventsourcing';
import { findSubscription, refuseHiddenUser } from './find-subscription.js';
import { subscription, unknownSubscription } from './subscription.decider.js';
import type { SubscriptionStatus } from './subscription.events.js';
import type { SubscriptionRow } from './subscription.row.js';

/** Sets the status of a subscription (interface 3.6). */
export class SetSubscriptionStatus {
  constructor(
    readonly partnerId: string,
    readonly subscriptionId: string,
    readonly status: SubscriptionStatus,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(SetSubscriptionStatus)
export class SetSubscriptionStatusHandler implements ICommandHandler<SetSubscriptionStatus, Done<SubscriptionRow>> {
  constructor(@Inject(Engine) private readonly engine: Pick<Engine, 'loop' | 'log'>) {}

  async execute({
    partnerId,
    subscriptionId: id,
    status,
    context,
  }: SetSubscriptionStatus): Promise<Done<SubscriptionRow>> {
    const known = await findSubscription(this.engine, partnerId, id);
    // It may have been set again since the first try, and its user hidden.
    const before = await writtenBefore(this.engine, context, subscription, id, 'subscription-status-set.v1');
    if (before !== undefined) return { row: known, position: before.position };
    await refuseHiddenUser(this.engine, known);
    const { loop } = this.engine;
    const { state, position } = await loop.execute(subscription, id, { type: 'set-status', status }, context);
    if (state === null) throw unknownSubscription();
    return { row: state, position };
  }
}
