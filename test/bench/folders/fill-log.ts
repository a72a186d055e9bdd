import { thisMachine } from '#adapters/machine';
import { catalogue, deal } from '#catalogue/model';
import { Codec, CommandLoop, newContext, SystemClock, type EventLog } from '#eventsourcing';
import { DAY } from '#kernel';
import { inventory, purchasing } from '#purchasing/model';
import type { MadeUpDeal } from '../../campaigns/catalogue/made-up-deals.js';
import { openGuard } from '../../support/open-guard.js';
import { summaryOf } from '../../support/sale.js';
import { couponId, listedDeal, purchaseId, soldDeal, type FolderSpec } from './folder-spec.js';
import { listedDeals } from './listed-deals.js';

/** Commands that are under way together. */
const TOGETHER = 256;
const ACTOR = 'operator:bench';
const PRICE = 1_000;
const YEAR = 365 * DAY;
/** A command may wait for this long: nobody waits for an answer. */
const PATIENCE = DAY;
const STOCK = 1_000_000_000;
const BARCODE_DIGITS = 12;
const TELL_EVERY = 100_000;

type DealChanges = Extract<Parameters<typeof deal.decide>[0], { type: 'put' }>['changes'];

/** Whose purchases a log gets. */
export interface Buyers {
  readonly partnerId: string;
  readonly users: readonly string[];
}

/**
 * Writes the deals and purchases of a folder into the log of a stopped service, and closes it: by the product's deciders and
 * its command loop, so that every event is as the service writes it.
 */
export async function fillLog(
  log: EventLog,
  spec: FolderSpec,
  { partnerId, users }: Buyers,
  progress: (line: string) => void,
): Promise<void> {
  const clock = new SystemClock(Date.now);
  const loop = new CommandLoop({
    log,
    codec: new Codec([...catalogue.events, ...purchasing.events]),
    clock,
    followers: [...catalogue.followers, ...purchasing.followers],
    limits: { patience: PATIENCE },
    machine: thisMachine,
    guard: openGuard(),
  });
  const context = (): ReturnType<typeof newContext> => newContext({ clock, randomness: thisMachine.randomness }, ACTOR);
  const now = clock.now();

  const create = async (
    slug: string,
    state: MadeUpDeal['state'],
    stock: number | null,
    changes: DealChanges,
  ): Promise<void> => {
    await loop.execute(
      inventory,
      slug,
      { type: 'set-stock', looked: Infinity, units: stock, change_id: slug },
      context(),
    );
    const arrives = state as 'approved';
    await loop.execute(deal, slug, { type: 'put', deal_id: slug, changes, arrives }, context());
  };
  const made = listedDeals(spec, now);
  await each(spec.listed, (nth) => {
    const { value } = made.next() as IteratorYieldResult<MadeUpDeal>;
    return create(listedDeal(nth), value.state, value.stock, attributesOf(value));
  });
  await each(spec.sold, (nth) => create(soldDeal(nth), 'approved', STOCK, soldAttributes(nth, now)));

  const buy = async (nth: number): Promise<void> => {
    const id = purchaseId(nth);
    const [slug, user] = [soldDeal(nth % spec.sold), users[nth % users.length] ?? ''];
    const hold = {
      type: 'place-hold',
      looked: Infinity,
      reservation_id: id,
      partner_id: partnerId,
      quantity: 1,
      holder_id: null,
    } as const;
    const { state } = await loop.execute(inventory, slug, hold, context());
    const coupon = { id: couponId(nth), barcode: String(nth).padStart(BARCODE_DIGITS, '0') };
    const sale = { purchase_id: id, partner_id: partnerId, user_id: user, holder_id: null, quantity: 1, price: PRICE };
    const claim = {
      type: 'claim',
      ...sale,
      number: state.holds.get(id)?.number ?? 0,
      deal: summaryOf(slug),
      reserved_at: clock.now(),
      coupons: [coupon],
    } as const;
    await loop.execute(inventory, slug, claim, context());
  };
  await each(spec.purchases, async (nth) => {
    if (nth > 0 && nth % TELL_EVERY === 0) progress(`${spec.name}: ${nth} of ${spec.purchases} purchases`);
    await buy(nth);
  });
  await loop.close();
  await log.close();
}

/** Does `one` for each number below `count`, many at once. */
async function each(count: number, one: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
}

/** About as long as the texts of real deals. */
const DESCRIPTION = 'An hour for two, with tea in the garden and a view of the harbour. '.repeat(4);

function attributesOf({ slug: _, state: __, stock: ___, start, end, spots, ...same }: MadeUpDeal): DealChanges {
  const place = { region: null, postal_code: null, street: null, locality: null, country: null };
  return {
    ...(same as DealChanges),
    value: same.current_price,
    start_at: start,
    end_at: end,
    image: '/images/deal.jpg',
    description1: DESCRIPTION,
    locations: spots.map((spot) => ({ address: { ...place, ...spot }, hours: '', phone: '' })),
  };
}

function soldAttributes(nth: number, now: number): DealChanges {
  return {
    title: `Sold ${nth}`,
    region_id: 'soldland',
    start_at: now - DAY,
    end_at: now + YEAR,
    current_price: PRICE,
    value: 2 * PRICE,
    image: '/images/deal.jpg',
    description1: DESCRIPTION,
  };
}
