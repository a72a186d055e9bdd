import type { LookUpList } from '../list/list.js';
import { BATCHES } from './batches.list.js';
import { DEALS, REGIONS } from './catalogue.lists.js';
import { COUPONS } from './coupons.list.js';
import { CARD_LINKS, SAVED_DEALS, SUBSCRIPTIONS } from './engagement.lists.js';
import { IMPORTS } from './imports.list.js';
import { ACCESS_TOKENS, CARDS, USERS } from './people.lists.js';
import { PURCHASES, RESERVATIONS } from './purchases.list.js';

/** Every list under `/operators/` that operators and auditors search. */
export const LISTS: readonly LookUpList[] = [
  ...[REGIONS, DEALS, PURCHASES, RESERVATIONS, COUPONS, USERS, CARDS, ACCESS_TOKENS],
  ...[CARD_LINKS, SUBSCRIPTIONS, SAVED_DEALS, BATCHES, IMPORTS],
];
