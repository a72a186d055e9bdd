import type {
  CardLinkEvent,
  LinkageEvent,
  MailPreferenceEvent,
  SavedDealEvent,
  SubscriptionEvent,
} from '#engagement/model';
import { defineWords } from './phrase.js';
import { money, said, thereAre } from './plain.js';

/** The words of saved deals. */
export const savedDealWords = defineWords<SavedDealEvent>('Saved deals', 'Stream `savedDeal-<id>`.', {
  'deal-saved.v1': {
    what: 'A user keeps a deal.',
    line: ({ deal_id, user_id }) => `user ${user_id} keeps ${said(deal_id)}`,
  },
  'saved-deal-removed.v1': {
    what: 'The user keeps it no more.',
    line: ({ deal_id, user_id }) => `user ${user_id} keeps ${said(deal_id)} no more`,
  },
});

/** The words of the places of card-linked deals. */
export const linkageWords = defineWords<LinkageEvent>(
  'Places of card-linked deals',
  'Stream `linkage-<deal>`: all that `max_linkage` depends on is decided here.',
  {
    'user-linked.v1': {
      what: 'A user has a place of the deal. `linked` is how many are taken now, `turn` how often this user was linked. `among_several`: one of several links of a call, which may take it back.',
      line: ({ deal_id, user_id, linked }) =>
        `user ${user_id} has a place of ${said(deal_id)}; ${thereAre(linked, 'place')} taken now`,
      optional: { among_several: true },
    },
    'place-freed.v1': {
      what: 'The place is free again: the link ended, or was undone.',
      line: ({ deal_id, linked }) =>
        `a place of ${said(deal_id)} is free again; ${thereAre(linked, 'place')} taken now`,
    },
  },
);

/** The words of card links. */
export const cardLinkWords = defineWords<CardLinkEvent>('Card links', 'Stream `cardLink-<id>`.', {
  'card-linked.v1': {
    what: 'A user’s card is linked to the deal, for the first time or again; or a call that answered with it keeps it from being taken back.',
    line: ({ deal_id, user_id }) => `a card of user ${user_id} is linked to ${said(deal_id)}`,
    optional: { among_several: true },
  },
  'card-link-redeemed.v1': {
    what: 'A transaction was reported. `qualifying` is how many of the link qualify now, `incentive` what this one earned.',
    line: ({ deal_id, user_id, transaction_amount, incentive }) =>
      `user ${user_id} paid ${money(transaction_amount)} to the merchant of ${said(deal_id)}, and earned ${money(incentive)}`,
  },
  'card-unlinked.v1': {
    what: 'The link ended.',
    line: ({ deal_id, user_id }) => `the link of user ${user_id} to ${said(deal_id)} ended`,
  },
  'card-link-undone.v1': {
    what: 'The link was taken back, because another one of the same call was refused.',
    line: ({ deal_id, user_id }) =>
      `the link of user ${user_id} to ${said(deal_id)} was taken back: another one was refused`,
  },
});

/** The words of subscriptions. */
export const subscriptionWords = defineWords<SubscriptionEvent>('Subscriptions', 'Stream `subscription-<id>`.', {
  'subscription-created.v1': {
    what: 'A user is subscribed to the mails of a region. The sealed `details` have the ZIP and the source.',
    line: ({ user_id, region_id }) => `user ${user_id} is subscribed to the mails of ${said(region_id)}`,
  },
  'subscription-status-set.v1': {
    what: 'The mails stop, or start again. The actor tells whether the partner or the user did it.',
    line: ({ user_id, region_id, status }) =>
      `the mails of ${said(region_id)} to user ${user_id} ${status === 'active' ? 'start again' : 'stop'}`,
  },
  'subscription-confirmation-asked.v1': {
    what: 'The user is subscribed again before they have confirmed: the mail that asks for it may not have reached them. Or they confirmed for an address that they have no more.',
    line: ({ user_id, region_id }) => `user ${user_id} is to confirm the mails of ${said(region_id)} again`,
  },
  'subscription-confirmed.v1': {
    what: 'The user pressed the button behind the link that was mailed to them; `address` is the keyed hash of the address that had it.',
    line: ({ user_id, region_id }) => `user ${user_id} confirmed the mails of ${said(region_id)}`,
  },
});

/** The words of users' wishes about mails. */
export const mailPreferenceWords = defineWords<MailPreferenceEvent>(
  'Wishes about mails',
  'Stream `mailPreference-<user id>`.',
  {
    'batch-mails-declined.v1': {
      what: 'The user wants no more batch mails of their partner.',
      line: ({ user_id }) => `user ${user_id} wants no more batch mails`,
    },
  },
);
