import { z } from 'zod';
import { MOMENT, success } from '#http';
import { SUBSCRIPTION_MAIL_OUTCOMES } from './mails-to-subscriber.js';
import { BATCH_MAIL } from '../batch/batch.answer.js';
import { COUPONS } from '../lists/coupons.list.js';
import { CARD_LINKS, SAVED_DEALS, SUBSCRIPTIONS } from '../lists/engagement.lists.js';
import { ACCESS_TOKENS, CARDS } from '../lists/people.lists.js';
import { PURCHASES } from '../lists/purchases.list.js';
import { ADDRESS, PERSON_SHOWN } from '../person/person.answer.js';

/** What a user said of themselves at one time. */
export const PROFILE_THEN = z.strictObject({
  at: MOMENT.describe('Since when.'),
  email: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  birthday: z.string().nullable(),
  postal_code: z.string().nullable(),
  source: z.string().nullable(),
  token: z.string().nullable(),
  credits: z.int(),
  partner_data: z.record(z.string(), z.unknown()),
  session_id: z.string().nullable(),
});

/** A mail of a subscription. */
const SUBSCRIPTION_MAIL = z.strictObject({
  subscription_id: z.string(),
  kind: z.string().describe('`confirmation` or `daily-update`.'),
  outcome: z.enum(SUBSCRIPTION_MAIL_OUTCOMES),
  reason: z.string().nullable(),
  at: MOMENT,
});

/** The parts of an export, in their order: each a list, the newest entry first, but for histories. */
export const PARTS = {
  profiles: { title: 'What was known of them, and since when', entry: PROFILE_THEN },
  shipping_addresses: { title: 'Addresses', entry: ADDRESS },
  credit_cards: { title: 'Cards', entry: CARDS.item },
  purchases: { title: 'Purchases', entry: PURCHASES.item },
  coupons: { title: 'Coupons', entry: COUPONS.item },
  card_links: { title: 'Links of cards to deals', entry: CARD_LINKS.item },
  card_link_transactions: {
    title: 'Transactions of linked cards',
    entry: z.strictObject({
      card_link_id: z.string(),
      at: MOMENT,
      reference: z.string(),
      amount: z.int().describe('Cents.'),
      earned: z.int().describe('Cents that the transaction has earned.'),
    }),
  },
  saved_deals: { title: 'Saved deals', entry: SAVED_DEALS.item },
  subscriptions: {
    title: 'Subscriptions',
    entry: SUBSCRIPTIONS.item.extend({ zip: z.string().nullable(), source: z.string().nullable() }),
  },
  planned_mails: {
    title: 'Mails about deals that are not sent yet',
    entry: z.strictObject({ batch_id: z.string(), deal_id: z.string(), send_at: MOMENT }),
  },
  batch_mails: {
    title: 'Mails about deals',
    entry: BATCH_MAIL.omit({ user_id: true }).extend({ batch_id: z.string() }),
  },
  subscription_mails: { title: 'Mails of subscriptions', entry: SUBSCRIPTION_MAIL },
  access_tokens: { title: 'Access tokens', entry: ACCESS_TOKENS.item },
  reads: {
    title: 'Who has seen their data, on which day first',
    entry: z.strictObject({ at: MOMENT, reader: z.string(), day: z.string(), shown_by: z.string() }),
  },
} as const;

export type PartName = keyof typeof PARTS;

/** Everything that is held about a user. */
export const EXPORT = success({
  exported_at: MOMENT,
  partner_id: z.string(),
  user: PERSON_SHOWN,
  ...(Object.fromEntries(Object.entries(PARTS).map(([name, { entry }]) => [name, z.array(entry)])) as {
    readonly [Name in PartName]: z.ZodArray<(typeof PARTS)[Name]['entry']>;
  }),
});
