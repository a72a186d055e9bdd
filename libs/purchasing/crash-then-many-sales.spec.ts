import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandLoop } from '#eventsourcing';
import type { Followers, Recorded } from '#kernel';
import { OneDeal, orderOf } from '../../test/support/resales.js';
import { terms } from '../../test/support/sale.js';
import { openShop, type Calls, type Shop } from '../../test/support/shop.js';
import { SnapshotsInMemory } from '../../test/support/snapshots-in-memory.js';
import { expectSoundLog } from '../../test/support/sound-log.js';
import { couponsFor } from './coupon/coupon-ids.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from './followers.js';
import { inventory } from './inventory/inventory.decider.js';
import type { InventoryEvent } from './inventory/inventory.events.js';
import { Resell, ResellHandler } from './reseller/resell.commands.js';

const ALL = [inventoryFollowers, purchaseFollowers, couponFollowers];
/** Sales of others: more closings than the deal knows by their ids, and more events than a snapshot waits for. */
const OTHERS = 5_000;
/** What one of these sales writes. */
const OF_A_SALE = [
  ...['hold-placed.v1', 'reservation-placed.v1', 'hold-claimed.v1', 'reservation-claimed.v1'],
  ...['purchase-recorded.v1', 'coupon-issued.v1'],
];
const TOGETHER = 200;
const PATIENCE = 240_000;

/** A process that is asked for something. */
interface Process extends Calls {
  resell(reference: string): Promise<unknown>;
}

/** A call that may break off, and come again. */
interface Case {
  readonly words: string;
  /** The command with which the process dies, its event, and the streams whose followers are written all the same. */
  readonly command: string;
  readonly event: string;
  readonly kept: readonly string[];
  /** Prepares the call. The same one, made again, is a repeat. @returns the call at a process */
  prepare(shop: Shop): Promise<(process: Process) => Promise<unknown>>;
}

const buying: Case['prepare'] = async (shop) => {
  const first = shop.context();
  let tries = 0;
  return (process) => process.buy(2, { context: (tries += 1) === 1 ? first : { ...first, resumed: true } });
};
const cancelling: Case['prepare'] = async (shop) => {
  const { coupons } = await shop.claim((await shop.reserve(2)).id);
  return (process) => process.cancel(coupons[1]?.coupon_id ?? '');
};
const claiming: Case['prepare'] = async (shop) => {
  const { id } = await shop.reserve(2);
  return (process) => process.claim(id);
};
const reselling =
  (reference: string): Case['prepare'] =>
  async () =>
  (process) =>
    process.resell(reference);

// A user has one open checkout, and the next one completes it: so the one that stays open comes last.
const CASES: readonly Case[] = [
  { words: 'D3: a claim', command: 'claim', event: 'hold-claimed.v1', kept: [], prepare: claiming },
  {
    words: 'D3: a claim without its coupons',
    command: 'claim',
    event: 'hold-claimed.v1',
    kept: ['reservation', 'purchase'],
    prepare: claiming,
  },
  {
    words: 'D4: a release',
    command: 'release',
    event: 'hold-released.v1',
    kept: [],
    prepare: async (shop) => {
      const { id } = await shop.reserve(2);
      return (process) => process.release(id);
    },
  },
  {
    words: 'D11: a resale',
    command: 'resell',
    event: 'purchase-resold.v1',
    kept: [],
    prepare: reselling('order-1'),
  },
  {
    words: 'D11: a resale without its coupons',
    command: 'resell',
    event: 'purchase-resold.v1',
    kept: ['inventory'],
    prepare: reselling('order-2'),
  },
  {
    words: 'D12: the return of a unit',
    command: 'cancel',
    event: 'coupon-cancelled.v1',
    kept: [],
    prepare: cancelling,
  },
  {
    words: 'D12: the return of a unit whose money nobody has asked for',
    command: 'cancel',
    event: 'coupon-cancelled.v1',
    kept: ['inventory'],
    prepare: cancelling,
  },
  {
    words: 'D7: a charge, its units sold, without coupons',
    command: 'charged',
    event: 'purchase-charged.v1',
    kept: ['inventory'],
    prepare: buying,
  },
  { words: 'D7: a charge', command: 'charged', event: 'purchase-charged.v1', kept: [], prepare: buying },
];

/** The process dies here. */
class Died extends Error {}

/** All followers but those of this event in streams of other categories. */
function cut(event: string, kept: readonly string[]): readonly Followers[] {
  return ALL.map(({ category, on }) => ({
    category,
    on: Object.fromEntries(
      Object.entries(on).map(([type, follow]) => [
        type,
        (each: never) => follow(each).filter(({ decider }) => type !== event || kept.includes(decider.category)),
      ]),
    ),
  }));
}

/** An answer without what chance decides: ids and barcodes by their order, and no instants. */
function plain(answer: unknown): unknown {
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `name ${names.size}`;
    names.set(text, name);
    return name;
  };
  const text = JSON.stringify(answer)
    .replace(/[0-9a-f]{32}/g, nameOf)
    .replace(/"\d{12}"/g, (barcode) => `"${nameOf(barcode)}"`)
    .replace(/\b1[6-9]\d{11}\b/g, '"instant"');
  return JSON.parse(text);
}

async function eventsOf({ engine: { log } }: Shop): Promise<readonly Recorded[]> {
  const events: Recorded[] = [];
  for await (const batch of log.subscribe(0n, 1_000, new AbortController().signal)) {
    events.push(...batch.events);
    if (batch.caughtUp) break;
  }
  return events;
}

/** How many events there are of each type. */
function countsOf(events: readonly Recorded[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

describe('a process died after a decision; the deal sold on, and the next process has a snapshot, and no worker', () => {
  let shop: Shop;
  let twin: Shop;
  const loops: CommandLoop[] = [];
  const store = new SnapshotsInMemory();
  const snapshots = { store, folds: [{ decider: inventory, digest: 'aa' }] };
  /** Each call, with what its first try would have answered. */
  const calls: { readonly call: (process: Process) => Promise<unknown>; readonly answer: unknown }[] = [];
  let restarted: CommandLoop;
  let process: Process;

  function processOf(at: Shop, loop: CommandLoop): Process {
    const { writer, keyring, clock, personalData } = at.engineOf(loop);
    const resell = (transaction_reference: string): Promise<unknown> => {
      const handler = new ResellHandler(writer, keyring, clock, personalData, new OneDeal());
      return handler
        .execute(new Resell('acme', orderOf(at.deal, { transaction_reference }), at.context()))
        .then(({ row }) => row);
    };
    return { ...at.through(loop), resell };
  }

  /** Asks a process that dies with the first such decision. */
  async function breakOff({ command, event, kept }: Case, call: (process: Process) => Promise<unknown>): Promise<void> {
    const loop = shop.otherLoop(cut(event, kept));
    const execute = loop.execute.bind(loop) as (...args: readonly unknown[]) => Promise<unknown>;
    loop.execute = (async (...args: readonly unknown[]) => {
      const outcome = await execute(...args);
      if ((args[2] as { readonly type: string }).type === command) throw new Died(command);
      return outcome;
    }) as CommandLoop['execute'];
    await expect(call(processOf(shop, loop))).rejects.toBeInstanceOf(Died);
    await loop.close();
  }

  /** Others buy a unit each. */
  async function sellToOthers(loop: CommandLoop): Promise<void> {
    let sales = 0;
    const buyer = async (): Promise<void> => {
      while (sales < OTHERS) {
        const user_id = `user-${(sales += 1) % 500}`;
        const context = shop.context();
        const id = context.commandId;
        const hold = {
          type: 'place-hold',
          reservation_id: id,
          partner_id: 'acme',
          quantity: 1,
          holder_id: null,
        } as const;
        const { events } = await loop.execute(inventory, shop.deal, { ...hold, looked: Infinity }, context);
        const placed = events.at(-1)?.data as Extract<InventoryEvent, { type: 'hold-placed.v1' }>['data'];
        const { number, partner_id, quantity, price, deal, holder_id } = placed;
        const coupons = couponsFor(shop.engine.keyring, id, 1);
        const sale = { number, partner_id, quantity, price, deal, holder_id, coupons, reserved_at: 0 };
        await loop.execute(inventory, shop.deal, { type: 'claim', purchase_id: id, user_id, ...sale }, shop.context());
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, buyer));
  }

  beforeAll(async () => {
    [shop, twin] = [await openShop(2 * OTHERS), await openShop(2 * OTHERS)];
    for (const each of CASES) {
      const whole = await each.prepare(twin);
      const answer = plain(await whole(processOf(twin, twin.engine.loop)));
      const call = await each.prepare(shop);
      await breakOff(each, call);
      calls.push({ call, answer });
    }
    const selling = shop.otherLoop(ALL, snapshots);
    await sellToOthers(selling);
    await selling.close();
    restarted = shop.otherLoop(ALL, snapshots);
    loops.push(restarted);
    process = processOf(shop, restarted);
  }, PATIENCE);
  afterAll(async () => {
    await Promise.all(loops.map((loop) => loop.close()));
    await shop.close();
    await twin.close();
  });

  it('D1: the process begins with the snapshot of the stop, which has forgotten the ids of what broke off', async () => {
    const { log } = shop.engine;
    const read = log.readStream.bind(log);
    let events = 0;
    log.readStream = async (...asked) => {
      const page = await read(...asked);
      events += page.length;
      return page;
    };
    const { recent, sold, checkouts, resales } = await restarted.read(inventory, shop.deal);
    log.readStream = read;
    expect(events).toBeLessThan(300);
    expect(recent.since).toBeGreaterThan(CASES.length);
    expect(sold).toBeGreaterThan(OTHERS);
    // What was not decided in the deal itself stays open there.
    expect([checkouts.size, resales.size]).toEqual([1, 1]);
  });

  it.each(CASES.map(({ words }, index) => [words, index] as const))(
    'A11: %s that is repeated has the answer of its first try',
    async (_, index) => {
      const { call, answer } = calls[index] ?? {};
      expect(plain(await call?.(process))).toEqual(answer);
      expect(plain(await call?.(process))).toEqual(answer);
    },
  );

  it('D1 D12: nothing was sold, charged or returned twice, or is missing', async () => {
    const events = await eventsOf(shop);
    expectSoundLog(events);
    const { sold, held, checkouts, resales } = await restarted.read(inventory, shop.deal);
    const own = await twin.engine.loop.read(inventory, twin.deal);
    expect({ sold, held, open: checkouts.size + resales.size }).toEqual({ sold: own.sold + OTHERS, held: 0, open: 0 });
    const counts = countsOf(events);
    for (const type of OF_A_SALE) counts.set(type, (counts.get(type) ?? 0) - OTHERS);
    expect(counts).toEqual(countsOf(await eventsOf(twin)));
    expect(new Set(shop.gateway.calls).size).toBe(shop.gateway.calls.length);
    expect(shop.gateway.calls).toHaveLength(twin.gateway.calls.length);
  });

  it('D1 D12: a maximum that is set afterwards counts what each user has, and not what returned', async () => {
    const { loop } = twin.engine;
    const units = (await loop.read(inventory, twin.deal)).unitsOfUser.get('ann');
    expect((await restarted.read(inventory, shop.deal)).unitsOfUser.get('ann')).toBe(units);
    const sale = terms({ deal_revision: 9, max_per_user: units + 1, start_at: 0, end_at: Date.now() + 1e9 });
    await restarted.execute(inventory, shop.deal, { type: 'set-terms', terms: sale }, shop.context());
    await process.claim((await process.reserve(1)).id);
    const { id } = await process.reserve(1);
    await expect(process.claim(id)).rejects.toMatchObject({
      message: `the user may buy at most ${units + 1} units, and has ${units + 1} already`,
    });
  });
});
