import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { eq, NEWEST_FIRST, type Listed, type Paging, Writer, Reader } from '#eventsourcing';
import type { Position } from '#kernel';
import { findSubscription, refuseHiddenUser } from './find-subscription.js';
import { subscription } from './subscription.decider.js';
import type { SubscriptionRow } from './subscription.row.js';
import { subscriptionsView } from './subscription.view.js';

/** The user of a subscription; undefined for an unknown one. */
export class OwnerOfSubscription extends Query<string | undefined> {
  constructor(
    readonly partnerId: string,
    readonly subscriptionId: string,
    /** It is read from the log, which has everything that was written. */
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(OwnerOfSubscription)
export class OwnerOfSubscriptionHandler implements IQueryHandler<OwnerOfSubscription> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, subscriptionId }: OwnerOfSubscription): Promise<string | undefined> {
    const row = await this.writer.read(subscription, subscriptionId);
    return row?.partner_id === partnerId ? row.user_id : undefined;
  }
}

/** One subscription, from the log: its user may have ended it a moment ago, by a link. */
export class GetSubscription extends Query<SubscriptionRow> {
  constructor(
    readonly partnerId: string,
    readonly subscriptionId: string,
  ) {
    super();
  }
}

@QueryHandler(GetSubscription)
export class GetSubscriptionHandler implements IQueryHandler<GetSubscription> {
  constructor(private readonly writer: Writer) {}

  async execute({ partnerId, subscriptionId }: GetSubscription): Promise<SubscriptionRow> {
    const row = await findSubscription(this.writer, partnerId, subscriptionId);
    await refuseHiddenUser(this.writer, row);
    return (await this.writer.shown(subscription, subscriptionId)) ?? row;
  }
}

/** A user's subscriptions, newest first. */
export class ListSubscriptions extends Query<Listed<SubscriptionRow>> {
  constructor(
    readonly userId: string,
    readonly paging: Paging,
    readonly since: Position,
  ) {
    super();
  }
}

@QueryHandler(ListSubscriptions)
export class ListSubscriptionsHandler implements IQueryHandler<ListSubscriptions> {
  constructor(private readonly reader: Reader) {}

  execute(asked: ListSubscriptions): Promise<Listed<SubscriptionRow>> {
    return this.reader.list(subscriptionsView, eq('user_id', asked.userId), asked, NEWEST_FIRST);
  }
}
