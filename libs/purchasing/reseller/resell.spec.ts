import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '#platform';
import type { CommandLoop } from '#eventsourcing';
import type { Recorded } from '#kernel';
import type { Details } from '#purchasing';
import { IN_A_LIFE } from '#kernel/bounds';
import { OneDeal, orderOf } from '../../../test/support/resales.js';
import { expectSoundLog } from '../../../test/support/sound-log.js';
import { resaleOf, terms } from '../../../test/support/sale.js';
import { openShop, type Shop } from '../../../test/support/shop.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from '../followers.js';
import { couponsFor } from '../coupon/coupon-ids.js';
import { inventory } from '../inventory/inventory.decider.js';
import { purchase } from '../purchase/purchase.decider.js';
import type { PurchaseRow } from '../purchase/purchase.row.js';
import { abandoning } from './abandoning.js';
import { identify } from './identify.js';
import type { ResaleOrder } from './resale.js';
import { Resell, ResellHandler } from './resell.commands.js';
import { engineOf } from '../../../test/support/engine-of.js';

const OTHER_DEAL = 'spa-night';
/** What the handler needs of an engine. */
const ALL = [inventoryFollowers, purchaseFollowers, couponFollowers];

describe('D11: the purchase of a reseller', () => {
  let shop: Shop;
  const loops: CommandLoop[] = [];
  beforeEach(async () => {
    shop = await openShop(5);
    await offer(OTHER_DEAL, 5);
  });
  afterEach(async () => {
    const events: Recorded[] = [];
    for await (const batch of shop.engine.log.subscribe(0n, 1_000, new AbortController().signal)) {
      events.push(...batch.events);
      if (batch.caughtUp) break;
    }
    expectSoundLog(events);
    await Promise.all(loops.splice(0).map((loop) => loop.close()));
    await shop.close();
  });

  async function offer(deal: string, units: number): Promise<void> {
    const { loop, clock } = shop.engine;
    const sale = terms({
      deal: { ...terms().deal, id: deal },
      start_at: clock.now() - 1_000,
      end_at: clock.now() + 1e9,
    });
    await loop.execute(inventory, deal, { type: 'set-terms', terms: sale }, shop.context());
    await setStock(deal, units);
  }
  const setStock = (deal: string, units: number): Promise<unknown> => {
    const context = shop.context();
    return shop.engine.loop.execute(
      inventory,
      deal,
      { type: 'set-stock', looked: Infinity, units, change_id: context.commandId },
      context,
    );
  };

  /** Another process on the same log. */
  function otherProcess(): Engine {
    const loop = shop.otherLoop(ALL);
    loops.push(loop);
    return engineOf({ ...shop.engine, loop });
  }
  async function resell(
    order: ResaleOrder = orderOf(shop.deal),
    { engine = shop.engine, deal = {} }: { readonly engine?: Engine; readonly deal?: Partial<Details> } = {},
  ): Promise<PurchaseRow> {
    const handler = new ResellHandler(
      engine.writer,
      engine.keyring,
      engine.clock,
      engine.personalData,
      new OneDeal(deal),
    );
    return (await handler.execute(new Resell('acme', order, shop.context()))).row;
  }
  const unitsOf = async (deal: string): Promise<object> => {
    const { held, sold, resales } = await shop.engine.loop.readNow(inventory, deal);
    return { held, sold, open: resales.size };
  };
  const types = async (category: string, id: string): Promise<readonly string[]> =>
    (await shop.stored(category, id)).map(({ type }) => type);
  const purchaseIdOf = (order: ResaleOrder): string => {
    if (order.sent === undefined) throw new Error('the order has content');
    return identify(shop.engine.keyring, 'acme', order.sent).purchaseId;
  };

  /** An engine that waits after its first command of this type. */
  function stalledAfter(type: string): { readonly engine: Engine; stalled: Promise<unknown>; goOn(): void } {
    const engine = otherProcess();
    const execute = engine.loop.execute.bind(engine.loop) as (...args: readonly unknown[]) => Promise<unknown>;
    const reached = Promise.withResolvers<undefined>();
    const free = Promise.withResolvers<undefined>();
    engine.loop.execute = (async (...args: readonly unknown[]) => {
      const outcome = await execute(...args);
      if ((args[2] as { readonly type: string }).type === type) {
        reached.resolve(undefined);
        await free.promise;
      }
      return outcome;
    }) as CommandLoop['execute'];
    return { engine, stalled: reached.promise, goOn: () => free.resolve(undefined) };
  }

  it('the same content gives the same answer, whatever became of the deal; other content is refused', async () => {
    const first = await resell();
    expect(first).toMatchObject({ amount: 3_500, quantity: 2, user_id: null, payment_state: 'charged' });
    await setStock(shop.deal, 2);
    expect(await resell()).toEqual(first);
    const gone = { engine: otherProcess(), deal: { type: 'affiliate', state: 'deleted' } };
    expect(await resell(orderOf(shop.deal), gone)).toEqual(first);
    // Of its kind too: two units of a card-linked deal would be refused.
    expect(await resell(orderOf(shop.deal), { deal: { type: 'card-linked' } })).toEqual(first);
    for (const changes of [
      { quantity: 1 },
      { transaction_amount: 3_501 },
      { transaction_date: 1 },
      { deal_id: OTHER_DEAL },
      { buyer: null },
    ]) {
      await expect(resell(orderOf(shop.deal, changes))).rejects.toMatchObject({ code: 'reference_used' });
    }
    expect([await unitsOf(shop.deal), await unitsOf(OTHER_DEAL)]).toEqual([
      { held: 0, sold: 2, open: 0 },
      { held: 0, sold: 0, open: 0 },
    ]);
  });

  it('is refused by name where too many calls with its reference came to nothing', async () => {
    const order = orderOf(shop.deal);
    const purchase_id = purchaseIdOf(order);
    const { loop } = shop.engine;
    for (let number = 0; number < IN_A_LIFE.resales; number += 1) {
      const resale_id = `none-${number}`;
      await loop.execute(inventory, shop.deal, resaleOf(resale_id, purchase_id), shop.context());
      const resale = { purchase_id, resale_id, deal_id: shop.deal };
      await loop.execute(purchase, purchase_id, { type: 'abandon-resale', resale }, shop.context());
    }
    await expect(resell(order)).rejects.toMatchObject({ code: 'resale_refused' });
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 0, open: 0 });
  });

  it('the answer has every coupon, also those that its own process does not write', async () => {
    const loop = shop.otherLoop([inventoryFollowers]);
    loops.push(loop);
    // What it decides has not all its followers; what it completes has.
    loop.followersOf = (decision) => shop.engine.loop.followersOf(decision);
    const row = await resell(orderOf(shop.deal), { engine: engineOf({ ...otherProcess(), loop }) });
    expect(row.coupons).toHaveLength(2);
    expect(await resell()).toEqual(row);
  });

  it('A5: two partners may use the same reference', async () => {
    const order = orderOf(shop.deal);
    const ofOther = new Resell('rival', order, shop.context());
    const theirs = await new ResellHandler(
      shop.engine.writer,
      shop.engine.keyring,
      shop.engine.clock,
      shop.engine.personalData,
      new OneDeal(),
    ).execute(ofOther);
    expect((await resell(order)).id).not.toBe(theirs.row.id);
  });

  it('D1: a refused one leaves nothing, and may be tried again with any content', async () => {
    await expect(resell(orderOf(shop.deal, { quantity: 6 }))).rejects.toMatchObject({ code: 'resale_refused' });
    await setStock(shop.deal, 0);
    await expect(resell()).rejects.toMatchObject({ code: 'resale_refused' });
    expect(await types('purchase', purchaseIdOf(orderOf(shop.deal)))).toEqual([]);
    expect(await resell(orderOf(OTHER_DEAL, { quantity: 1 }))).toMatchObject({ fulfillment_state: 'fulfilled' });
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 0, open: 0 });
  });

  it('the same content, sent by many callers to two processes, takes its units once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const order = orderOf(shop.deal, { transaction_reference: `many-${round}`, quantity: 1 });
      await setStock(shop.deal, round + 1);
      const engines = [shop.engine, otherProcess()];
      const rows = await Promise.all(Array.from({ length: 16 }, (_, n) => resell(order, { engine: engines[n % 2] })));
      expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1);
      expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: round + 1, open: 0 });
    }
  });

  it('of different contents under one reference, sent to two processes for two deals, one is sold', async () => {
    for (let round = 0; round < 20; round += 1) {
      await setStock(shop.deal, 100);
      await setStock(OTHER_DEAL, 100);
      const engines = [shop.engine, otherProcess()];
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) =>
          resell(
            orderOf(n % 4 < 2 ? shop.deal : OTHER_DEAL, {
              transaction_reference: `one-${round}`,
              quantity: 1,
              transaction_amount: n,
            }),
            { engine: engines[n % 2] },
          ),
        ),
      );
      const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
      expect(refusals).toHaveLength(7);
      for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'reference_used' });
      const units = [await unitsOf(shop.deal), await unitsOf(OTHER_DEAL)] as { sold: number }[];
      expect(units.map(({ sold }) => sold).reduce((a, b) => a + b)).toBe(round + 1);
      expect(units).toEqual(units.map(({ sold }) => ({ held: 0, sold, open: 0 })));
    }
  });

  it('a slow call loses its reference to a quick one, and gives its units back', async () => {
    const slow = stalledAfter('start-resale');
    const first = resell(orderOf(shop.deal), { engine: slow.engine });
    await slow.stalled;
    expect(await unitsOf(shop.deal)).toEqual({ held: 2, sold: 0, open: 1 });
    await resell(orderOf(OTHER_DEAL));
    slow.goOn();
    await expect(first).rejects.toMatchObject({ code: 'reference_used', position: expect.any(BigInt) });
    expect([await unitsOf(shop.deal), await unitsOf(OTHER_DEAL)]).toEqual([
      { held: 0, sold: 0, open: 0 },
      { held: 0, sold: 2, open: 0 },
    ]);
  });

  it('a slow call that finds its content recorded without units, as card-linked, gives its own back', async () => {
    const order = orderOf(shop.deal, { quantity: 1 });
    const slow = stalledAfter('start-resale');
    const first = resell(order, { engine: slow.engine });
    await slow.stalled;
    const recorded = await resell(order, { deal: { type: 'card-linked' } });
    slow.goOn();
    expect((await first).id).toBe(recorded.id);
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 0, open: 0 });
  });

  it('a deal without an inventory is unknown', async () => {
    await expect(resell(orderOf('nothing'))).rejects.toMatchObject({ faults: [{ code: 'unknown_deal' }] });
  });

  it('a quantity that nobody can buy is refused before a coupon is made for each unit', async () => {
    const order = orderOf(shop.deal, { quantity: 2 ** 31 });
    await expect(resell(order)).rejects.toMatchObject({ code: 'resale_refused' });
  });

  it('a call whose units the work list freed meanwhile takes fresh ones', async () => {
    const slow = stalledAfter('start-resale');
    const bought = resell(orderOf(shop.deal), { engine: slow.engine });
    await slow.stalled;
    await abandonAll();
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 0, open: 0 });
    slow.goOn();
    expect(await bought).toMatchObject({ fulfillment_state: 'fulfilled' });
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 2, open: 0 });
    expect(await types('purchase', purchaseIdOf(orderOf(shop.deal)))).toEqual([
      'purchase-resale-abandoned.v1',
      'purchase-resold.v1',
    ]);
  });

  it('the work list frees the units of a call that broke off, and touches none that are sold', async () => {
    await resell(orderOf(shop.deal, { transaction_reference: 'sold' }));
    const slow = stalledAfter('start-resale');
    void resell(orderOf(shop.deal), { engine: slow.engine }).catch(() => undefined);
    await slow.stalled;
    await abandonAll();
    await abandonAll();
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 2, open: 0 });
    slow.goOn();
  });

  // The work list of followers takes the second one's follower, in the same inventory, for that of the first one too.
  it('the work list frees the units of an abandoned one that a crash cut off, after a later one was abandoned', async () => {
    const dead = shop.otherLoop([inventoryFollowers]);
    loops.push(dead);
    const purchase_id = purchaseIdOf(orderOf(shop.deal));
    for (const [resale_id, loop] of Object.entries({ one: dead, other: shop.engine.loop })) {
      const coupons = couponsFor(shop.engine.keyring, purchase_id, 2);
      const start = {
        type: 'start-resale',
        looked: Infinity,
        resale_id,
        purchase_id,
        partner_id: 'acme',
        quantity: 2,
      } as const;
      await loop.execute(inventory, shop.deal, { ...start, coupons, takeover_after: 1_000 }, shop.context());
      const resale = { purchase_id, resale_id, deal_id: shop.deal };
      await loop.execute(purchase, purchase_id, { type: 'abandon-resale', resale }, shop.context());
    }
    expect(await unitsOf(shop.deal)).toEqual({ held: 2, sold: 0, open: 1 });
    await abandonAll();
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 0, open: 0 });
  });

  /** Does what the work list does with every resale that was ever started. */
  async function abandonAll(): Promise<void> {
    const work = abandoning(shop.engine.writer);
    for (const { type, data } of await shop.stored('inventory', shop.deal)) {
      if (type !== 'resale-started.v1') continue;
      const { resale_id, purchase_id } = data as { readonly resale_id: string; readonly purchase_id: string };
      await work.run(resale_id, { purchase_id, deal_id: shop.deal, due_at: 0 });
    }
  }

  it('the log has the buyer sealed, under a key of the purchase', async () => {
    const order = orderOf(shop.deal);
    const { id } = await resell(order);
    const [recorded] = await shop.stored('purchase', id);
    const { buyer } = recorded?.data as { readonly buyer: string };
    const written = [...(await shop.stored('inventory', shop.deal)), recorded].map((event) => event?.data);
    expect(JSON.stringify(written)).not.toMatch(/Grace|Hopper/);
    expect(await shop.engine.personalData.open(id, buyer)).toEqual(order.sent?.buyer);
  });

  it('C2: a card-linked transaction has one coupon and no stock; its deal must run', async () => {
    const linked = { type: 'card-linked' };
    const order = orderOf(shop.deal, { quantity: 1, buyer: null });
    for (const state of ['paused', 'cancelled', 'landed', 'submitted']) {
      await expect(resell(order, { deal: { ...linked, state } })).rejects.toMatchObject({
        code: 'resale_refused',
        message: `the deal does not sell: it is ${state}`,
      });
    }
    await setStock(shop.deal, 0);
    const row = await resell(order, { deal: linked });
    expect(row.coupons).toHaveLength(1);
    expect(await resell(order, { deal: linked })).toEqual(row);
    expect(await unitsOf(shop.deal)).toEqual({ held: 0, sold: 0, open: 0 });
    expect(await types('purchase', row.id)).toEqual(['purchase-resold.v1']);
  });
});
