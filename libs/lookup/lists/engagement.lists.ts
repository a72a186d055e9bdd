import { z } from 'zod';
import {
  CARD_LINK_STATES,
  cardLinksView,
  savedDealsView,
  SUBSCRIPTION_STATUSES,
  subscriptionsView,
  type CardLinkRow,
  type SubscriptionRow,
} from '#engagement/model';
import { MOMENT, oneOfWords } from '#http';
import { isoTime } from '#kernel';
import { ofDeal, ofPartner, ofRegion, ofUser, ofWord } from '../list/filters.js';
import { defineList, NEWEST_FIRST } from '../list/list.js';

const LINK_LISTED = z
  .strictObject({
    id: z.string(),
    deal_id: z.string(),
    user_id: z.string(),
    partner_id: z.string(),
    state: z.enum(CARD_LINK_STATES),
    created_at: MOMENT,
  })
  .meta({ id: 'OperatedCardLink', description: 'A card link, as lists of operators show it.' });

/** Links of cards to deals. */
export const CARD_LINKS = defineList({
  name: 'card_links',
  kind: 'card_link',
  page: ({ id }) => `/auditors/streams/cardLink-${id}`,
  lists: 'card links',
  view: cardLinksView,
  ...NEWEST_FIRST,
  filters: {
    user_id: ofUser(),
    deal_id: ofDeal(),
    partner: ofPartner<CardLinkRow>(),
    state: ofWord('state', CARD_LINK_STATES),
  },
  item: LINK_LISTED,
  present: ({ card_link_id, deal_id, user_id, partner_id, state, created_at }) => ({
    id: card_link_id,
    deal_id,
    user_id,
    partner_id,
    state,
    created_at: isoTime(created_at),
  }),
});

const SUBSCRIPTION_LISTED = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    partner_id: z.string(),
    region_id: z.string(),
    status: z.enum(SUBSCRIPTION_STATUSES),
    confirmed: z
      .boolean()
      .describe('Whether the user has confirmed it, perhaps for an address that they have no more.'),
    created_at: MOMENT,
  })
  .meta({ id: 'OperatedSubscription', description: 'A subscription, as lists of operators show it.' });

/** Subscriptions to the mails of a region. */
export const SUBSCRIPTIONS = defineList({
  name: 'subscriptions',
  kind: 'subscription',
  page: ({ id }) => `/auditors/streams/subscription-${id}`,
  lists: 'subscriptions',
  view: subscriptionsView,
  ...NEWEST_FIRST,
  filters: {
    user_id: ofUser(),
    region_id: ofRegion(),
    partner: ofPartner<SubscriptionRow>(),
    status: { schema: oneOfWords(SUBSCRIPTION_STATUSES), fits: (row, status) => row.status === status },
  },
  item: SUBSCRIPTION_LISTED,
  present: ({ subscription_id, user_id, partner_id, region_id, status, confirmed, created_at }) => ({
    id: subscription_id,
    user_id,
    partner_id,
    region_id,
    status,
    confirmed,
    created_at: isoTime(created_at),
  }),
});

const SAVED_LISTED = z
  .strictObject({ id: z.string(), user_id: z.string(), deal_id: z.string(), created_at: MOMENT })
  .meta({ id: 'OperatedSavedDeal', description: 'A saved deal, as lists of operators show it.' });

/** Deals that users have saved. */
export const SAVED_DEALS = defineList({
  name: 'saved_deals',
  kind: 'saved_deal',
  page: ({ id }) => `/auditors/streams/savedDeal-${id}`,
  lists: 'saved deals',
  view: savedDealsView,
  ...NEWEST_FIRST,
  filters: { user_id: ofUser(), deal_id: ofDeal() },
  item: SAVED_LISTED,
  present: ({ saved_deal_id, user_id, deal_id, created_at }) => ({
    id: saved_deal_id,
    user_id,
    deal_id,
    created_at: isoTime(created_at),
  }),
});
