import { defineView, value } from '#kernel';
import type { CardLinkEvent } from './card-link.events.js';
import { cardLinkFold, type CardLinkRow } from './card-link.row.js';

/** Card links by id; an index lists a user's by time. */
export const cardLinksView = defineView<
  CardLinkRow,
  CardLinkEvent,
  'user_id' | 'partner_id' | 'deal_id' | 'created_at' | 'state'
>({
  name: 'card-links',
  version: 2,
  key: (event) => event.data.card_link_id,
  on: cardLinkFold,
  fields: {
    user_id: value((row) => row.user_id),
    partner_id: value((row) => row.partner_id),
    deal_id: value((row) => row.deal_id),
    created_at: value((row) => row.created_at),
    state: value((row) => row.state),
  },
  orders: [
    { by: ['user_id', { descending: 'created_at' }], covers: [] },
    { by: ['partner_id', { descending: 'created_at' }], covers: [] },
    { by: ['deal_id', { descending: 'created_at' }], covers: [] },
    { by: [{ descending: 'created_at' }], covers: [] },
  ],
});
