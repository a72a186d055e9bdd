import { DealsOfRegion, type Deals, type Regions } from '#catalogue';
import type { PublicUrl } from '#http';
import {
  confirmationMaker,
  DailyUpdate,
  dailyUpdateMaker,
  SubscriptionMailDelivery,
  type Mailer,
  type OnRefused,
} from '#mailing';
import type { Engine } from '../engine.js';

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
  { writer, reader, keyring, clock, time, personalData }: Engine,
  { mailer, deals, regions, publicUrl, dailyUpdateAt, onRefused }: SubscriptionMailParts,
): { readonly delivery: SubscriptionMailDelivery; readonly dailyUpdate: DailyUpdate } {
  const dealsOfRegion = new DealsOfRegion(reader, clock, deals);
  const delivery = new SubscriptionMailDelivery(writer, clock, personalData, mailer, {
    confirmation: confirmationMaker(keyring, regions, publicUrl),
    'daily-update': dailyUpdateMaker(writer, keyring, regions, dealsOfRegion, publicUrl),
  });
  const dailyUpdate = new DailyUpdate(
    writer,
    reader,
    clock,
    time,
    regions,
    dealsOfRegion,
    delivery,
    dailyUpdateAt ?? null,
    onRefused,
  );
  return { delivery, dailyUpdate };
}
