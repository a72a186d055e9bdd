import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { AnyDecider, Recorded } from '#kernel';
import { tell } from '../../test/campaigns/size.js';
import { deal } from '../catalogue/deal/deal.decider.js';
import { cardLink } from '../engagement/card-link/card-link.decider.js';
import { linkage } from '../engagement/card-link/linkage.decider.js';
import { StreamTable } from '../eventsourcing/command-loop/stream-table.js';
import { schedule } from '../mailing/schedule/schedule.decider.js';
import { partner } from '../partners/partner/partner.decider.js';
import { accessToken } from '../people/access-token/access-token.decider.js';
import { wallet } from '../people/card/wallet.decider.js';
import { email } from '../people/user/email.decider.js';
import { user } from '../people/user/user.decider.js';
import { coupon } from '../purchasing/coupon/coupon.decider.js';
import { inventory } from '../purchasing/inventory/inventory.decider.js';
import { purchase } from '../purchasing/purchase/purchase.decider.js';
import { reservation } from '../purchasing/reservation/reservation.decider.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are in use after a forced collection. */
function inUse(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const sampleOf = (type: string): object =>
  (JSON.parse(readFileSync(resolve(`test/golden/${type}.json`), 'utf8')) as { readonly data: object }).data;
const idOf = (number: number): string => number.toString(16).padStart(32, '0');
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, number) => idOf(number));
const of = (type: string, changes: object = {}): readonly [string, object] => [type, { ...sampleOf(type), ...changes }];

interface Case {
  readonly what: string;
  readonly decider: AnyDecider;
  readonly events: readonly (readonly [type: string, data: object])[];
  /** How many such streams are measured together. */
  readonly streams: number;
}

const card = (number: number) => of('card-stored.v1', { card_id: idOf(number), primary: number === 0 });
const CASES: readonly Case[] = [
  { what: 'a user', decider: user, events: [of('user-registered.v1')], streams: 4_000 },
  { what: 'an e-mail address', decider: email, events: [of('email-taken.v1')], streams: 4_000 },
  { what: 'a token', decider: accessToken, events: [of('access-token-issued.v1')], streams: 4_000 },
  {
    what: 'a partner',
    decider: partner,
    events: [of('partner-created.v1'), of('partner-key-issued.v1')],
    streams: 4_000,
  },
  { what: 'a reservation', decider: reservation, events: [of('reservation-placed.v1')], streams: 4_000 },
  { what: 'a coupon', decider: coupon, events: [of('coupon-issued.v1')], streams: 4_000 },
  { what: 'a purchase', decider: purchase, events: [of('purchase-recorded.v1')], streams: 4_000 },
  { what: 'a deal', decider: deal, events: [of('deal-created.v1')], streams: 1_000 },
  {
    what: 'a deal that was changed often',
    decider: deal,
    events: Array.from({ length: 50 }, () => of('deal-changed.v1')),
    streams: 500,
  },
  { what: 'a wallet with one card', decider: wallet, events: [card(0)], streams: 4_000 },
  {
    what: 'a wallet with 100 cards',
    decider: wallet,
    events: Array.from({ length: 100 }, (_, n) => card(n)),
    streams: 40,
  },
  {
    what: 'a deal with 10000 sales',
    decider: inventory,
    events: ids(10_000).map((id) =>
      of('units-sold.v1', { purchase_id: id, user_id: `b${id.slice(1)}`, coupons: [], quantity: 1 }),
    ),
    streams: 3,
  },
  {
    what: 'a deal with 5000 open holds, and 5000 that were released',
    decider: inventory,
    events: ids(10_000).flatMap((reservation_id, n) => [
      of('hold-placed.v1', { reservation_id, deadline: 1_800_000_000_000 + n }),
      ...(n % 2 === 0 ? [] : [of('hold-released.v1', { reservation_id })]),
    ]),
    streams: 3,
  },
  {
    what: 'a day with 10000 users',
    decider: schedule,
    events: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((batch) =>
      of('users-scheduled.v1', {
        batch_id: idOf(batch),
        user_ids: ids(10_000).slice(batch * 1_000, (batch + 1) * 1_000),
      }),
    ),
    streams: 3,
  },
  {
    what: 'a linkage with one place',
    decider: linkage,
    events: [of('user-linked.v1')],
    streams: 4_000,
  },
  {
    what: 'a linkage with 20000 places',
    decider: linkage,
    events: ids(20_000).map((id, n) => of('user-linked.v1', { card_link_id: id, linked: n + 1 })),
    streams: 3,
  },
  {
    what: 'a card link',
    decider: cardLink,
    events: [of('card-linked.v1'), of('card-link-redeemed.v1')],
    streams: 4_000,
  },
  {
    what: 'a card link with 10000 redemptions',
    decider: cardLink,
    events: [
      of('card-linked.v1'),
      ...ids(10_000).map((id, n) => of('card-link-redeemed.v1', { transaction_reference: id, revision: n + 1 })),
    ],
    streams: 3,
  },
];

/** Streams as they are after a load from the log, in a table that remembers all of them. */
function remembered({ decider, events, streams }: Case, name: string): { table: StreamTable; weight: number } {
  const table = new StreamTable(Infinity);
  const texts = events.map(([type, data]) => [type, JSON.stringify(data)] as const);
  let weight = 0;
  for (let number = 0; number < streams; number += 1) {
    const entry = table.entry(decider, `${decider.category}-${name}-${idOf(number)}`);
    const stored = texts.map(([type, text], revision) => ({ type, data: JSON.parse(text) as object, revision }));
    entry.takeAll(stored as unknown as Recorded[]);
    entry.loaded = true;
    table.occupy(entry);
    table.rest(entry);
    weight += entry.weight;
  }
  return { table, weight };
}

describe('the weight of', () => {
  it.each(CASES.map((each) => [each.what, each] as const))(
    '%s is within a fifth of the memory that it holds',
    (_, each) => {
      remembered(each, 'before');
      const before = inUse();
      const { table, weight } = remembered(each, 'measured');
      const held = inUse() - before;
      expect(table).toBeDefined();
      tell(
        'WEIGHTS',
        `${each.what}: weighs ${Math.round(weight / each.streams)}, holds ${Math.round(held / each.streams)} bytes`,
      );
      expect(weight / held).toBeGreaterThan(0.8);
      expect(weight / held).toBeLessThan(1.2);
    },
  );
});
