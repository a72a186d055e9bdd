import { DealsOfRegion, type Deals, type Regions } from '#catalogue';
import type { Engine } from '#eventsourcing';
import type { PublicUrl } from '#http';
import {
  confirmationMaker,
  DailyUpdate,
  dailyUpdateMaker,
  SubscriptionMailDelivery,
  type Mailer,
  type OnRefused,
} from '#mailing';

/** What the mails of subscriptions are made of and sent by. */
export interface SubscriptionMailParts {
  readonly mailer: Mailer;
  readonly deals: Deals;
  readonly regions: Regions;
  readonly publicUrl: PublicUrl;
  /** `DAILY_UPDATE_AT`, in milliseconds after midnight in UTC. */
  readonly dailyUpdateAt: number | undefined;
  readonly onRefused: OnRefused;
}

/** The senders of the mails of subscriptions. */
export function subscriptionMailsOf(
  engine: Engine,
  { mailer, deals, regions, publicUrl, dailyUpdateAt, onRefused }: SubscriptionMailParts,
): { readonly delivery: SubscriptionMailDelivery; readonly dailyUpdate: DailyUpdate } {
  const dealsOfRegion = new DealsOfRegion(engine, deals);
  const delivery = new SubscriptionMailDelivery(engine, mailer, {
    confirmation: confirmationMaker(engine, regions, publicUrl),
    'daily-update': dailyUpdateMaker(engine, regions, dealsOfRegion, publicUrl),
  });
  const dailyUpdate = new DailyUpdate(engine, regions, dealsOfRegion, delivery, dailyUpdateAt ?? null, onRefused);
  return { delivery, dailyUpdate };
}
