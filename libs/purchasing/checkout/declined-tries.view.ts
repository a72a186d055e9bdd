import { defineView, MINUTE, unchanged, value, type EventOf, type Instant } from '#kernel';
import type { PurchaseDeclined, PurchaseEvent } from '../purchase/purchase.events.js';

/** A purchase that the gateway declined. */
export interface DeclinedTry {
  readonly purchase_id: string;
  readonly at: Instant;
}

/** The latest declines of a card or a user. */
export interface DeclinedTries {
  /** `declinedKeys` makes it. */
  readonly who: string;
  /** In the order of time, the last one last. */
  readonly tries: readonly DeclinedTry[];
}

/** The most declines of an hour that a limit may name: no more are kept. */
export const MOST_DECLINES = 100;
/** A decline counts this long (ruling I12). */
export const DECLINES_COUNT_FOR = 60 * MINUTE;

type Declined = EventOf<'purchase-declined.v1', PurchaseDeclined>;

/** The name of a card by its number, and that of a user, among those whose declines count. */
export const cardNamed = (numberHash: string): string => `card-${numberHash}`;
export const userNamed = (userId: string): string => `user-${userId}`;

/** Whose decline it is; nobody's if the gateway was not asked to decide about the card. */
export function declinedKeys({ number_hash, user_id }: PurchaseDeclined): readonly string[] {
  return number_hash === null ? [] : [cardNamed(number_hash), userNamed(user_id)];
}

/** The declines after one more, without those that no longer count then. The same one again changes nothing. */
export function withDecline(tries: readonly DeclinedTry[], added: DeclinedTry): readonly DeclinedTry[] {
  if (tries.some(({ purchase_id }) => purchase_id === added.purchase_id)) return tries;
  const all = [...tries, added].sort((a, b) => a.at - b.at);
  const latest = all.at(-1)?.at ?? added.at;
  return all.filter(({ at }) => at > latest - DECLINES_COUNT_FOR).slice(-MOST_DECLINES);
}

/**
 * Declines by card and by user, for a start: only they write to it. A row stays, small, for each card and user that was ever
 * declined.
 */
export const declinedTriesView = defineView<DeclinedTries, PurchaseEvent, 'last_at'>({
  name: 'declined-tries',
  version: 1,
  key: (event) => (event.type === 'purchase-declined.v1' ? declinedKeys(event.data) : []),
  on: {
    'purchase-recorded.v1': unchanged,
    'purchase-opened.v1': unchanged,
    'purchase-charge-lost.v1': unchanged,
    'purchase-charge-refused.v1': unchanged,
    'purchase-charged.v1': unchanged,
    'purchase-declined.v1': (row, { data, metadata }, who) => ({
      who,
      tries: withDecline(row?.tries ?? [], { purchase_id: data.purchase_id, at: metadata.time }),
    }),
    'purchase-void-asked.v1': unchanged,
    'purchase-voided.v1': unchanged,
    'purchase-refund-asked.v1': unchanged,
    'purchase-coupon-cancelled.v1': unchanged,
    'purchase-coupon-replaced.v1': unchanged,
    'purchase-money-returned.v1': unchanged,
    'purchase-money-refused.v1': unchanged,
    'purchase-resold.v1': unchanged,
    'purchase-resale-abandoned.v1': unchanged,
    'purchase-buyer-erased.v1': unchanged,
  },
  fields: { last_at: value(({ tries }) => tries.at(-1)?.at ?? null) },
  indexes: [['last_at']],
});

/** The decline in an event of any stream; undefined for every other event. */
export function declineIn(event: {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: { readonly time: Instant };
}): { readonly of: readonly string[]; readonly declined: DeclinedTry } | undefined {
  if (event.type !== ('purchase-declined.v1' satisfies Declined['type'])) return undefined;
  const data = event.data as PurchaseDeclined;
  return { of: declinedKeys(data), declined: { purchase_id: data.purchase_id, at: event.metadata.time } };
}
