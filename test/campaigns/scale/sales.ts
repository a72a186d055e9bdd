import { thisMachine } from '#adapters/machine';
import {
  Codec,
  CommandLoop,
  newContext,
  SystemClock,
  type Append,
  type EventLog,
  type NewEvent,
  EventIds,
  newCommandId,
} from '#eventsourcing';
import { DAY, type Instant } from '#kernel';
import { withHoldNumber } from '../../support/hold-number.js';
import { inventory, type InventoryCommand, type InventoryEvent, type SaleTerms, purchasing } from '#purchasing/model';
import { openGuard } from '../../support/open-guard.js';

export const DEAL = 'hot';
/** Events of one sale. */
export const PER_SALE = 2;
/** All sales are shared by this many users, who buy again and again, as in a deal without a limit per user. */
const USERS = 50_000;
const PER_APPEND = 100;
/** Appends that are under way to the log together. */
const WINDOW = 200;
const BUYERS = 200;

const summary = { id: DEAL, revision: 0, title: 'Hot deal', type: 'daily-deal', image: null };

/** The commands that put the deal on sale. */
export function opening(now: Instant, units: number): readonly InventoryCommand[] {
  const terms: SaleTerms = {
    deal: summary,
    on_sale: true,
    start_at: now - DAY,
    end_at: now + DAY,
    price: 1000,
    max_per_user: null,
    expires_at: null,
    expiration_days: null,
  };
  return [
    { type: 'set-stock', looked: Infinity, units, change_id: 'c' },
    { type: 'set-terms', terms },
  ];
}

const idOf = (kind: string, number: number): string => kind.padEnd(16, '0') + number.toString(16).padStart(16, '0');

/** One hold and its claim. */
export function reserveAndClaim(number: number, now: Instant): readonly [InventoryCommand, InventoryCommand] {
  const id = idOf('a', number);
  return [
    { type: 'place-hold', looked: Infinity, reservation_id: id, partner_id: 'acme', quantity: 1, holder_id: null },
    {
      type: 'claim',
      number: 0,
      purchase_id: id,
      partner_id: 'acme',
      user_id: idOf('b', number % USERS),
      holder_id: null,
      quantity: 1,
      price: 1000,
      deal: summary,
      reserved_at: now,
      coupons: [{ id: idOf('c', number), barcode: String(number).padStart(12, '0') }],
    },
  ];
}

/** The hold and the sale with this number, as the decider writes them after all earlier ones. */
export function sale(number: number, stock: number, now: Instant): readonly [InventoryEvent, InventoryEvent] {
  const id = idOf('a', number);
  const placed: InventoryEvent = {
    type: 'hold-placed.v1',
    data: {
      reservation_id: id,
      number,
      partner_id: 'acme',
      quantity: 1,
      price: 1000,
      deadline: now + DAY,
      holder_id: null,
      max_per_user: null,
      deal: summary,
      stock,
      held: 1,
      sold: number,
      codes_left: null,
    },
  };
  const claimed: InventoryEvent = {
    type: 'hold-claimed.v1',
    data: {
      purchase_id: id,
      number,
      partner_id: 'acme',
      user_id: idOf('b', number % USERS),
      quantity: 1,
      price: 1000,
      created_at: now,
      deal: summary,
      coupons: [{ id: idOf('c', number), barcode: String(number).padStart(12, '0'), unit: number, code: null }],
      coupons_expire_at: null,
      stock,
      held: 0,
      sold: number + 1,
      codes_left: null,
    },
  };
  return [placed, claimed];
}

/** Appends these sales to the deal's inventory, two events each. Its last revision is `revision`. */
export async function appendSales(
  log: EventLog,
  options: { from: number; to: number; revision: number; stock: number; now: Instant },
): Promise<void> {
  const { from, to, stock, now } = options;
  const ids = new EventIds(thisMachine.randomness);
  let expected = options.revision;
  let under: Promise<unknown>[] = [];
  for (let number = from; number < to; number += PER_APPEND / PER_SALE) {
    const commandId = newCommandId(now, thisMachine.randomness);
    const metadata = {
      time: now,
      command_id: commandId,
      correlation: commandId,
      causation: null,
      actor: 'partner:acme',
    };
    const sales = Array.from({ length: Math.min(PER_APPEND / PER_SALE, to - number) }, (_, index) =>
      sale(number + index, stock, now),
    );
    const events = sales.flat().map((event): NewEvent => ({ ...event, id: ids.next(), metadata }));
    const append: Append = { stream: `inventory-${DEAL}`, expected, events };
    under.push(
      log.append([append]).then(([result]) => {
        if (result?.kind !== 'written') throw new Error(`the append was answered ${result?.kind ?? 'nothing'}`);
      }),
    );
    expected += events.length;
    if (under.length === WINDOW) {
      await Promise.all(under);
      under = [];
    }
  }
  await Promise.all(under);
}

/**
 * Sells this many units of the deal one by one, six events each, directly through a command loop on the log of a stopped service;
 * closes the log.
 */
export async function sellInto(log: EventLog, sales: number): Promise<void> {
  const clock = new SystemClock(Date.now);
  const loop = new CommandLoop({
    log,
    codec: new Codec(purchasing.events),
    clock,
    followers: purchasing.followers,
    limits: { patience: 600_000 },
    machine: thisMachine,
    guard: openGuard(),
  });
  let next = 0;
  const buyer = async (): Promise<void> => {
    while (next < sales) {
      for (const command of reserveAndClaim(next++, clock.now())) {
        await loop.execute(
          inventory,
          DEAL,
          await withHoldNumber(loop, command),
          newContext({ clock, randomness: thisMachine.randomness }, 'partner:acme'),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: BUYERS }, buyer));
  await loop.close();
  await log.close();
}
