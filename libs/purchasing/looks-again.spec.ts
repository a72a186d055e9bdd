import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandContext, CommandLoop } from '#eventsourcing';
import { OneDeal, orderOf } from '../../test/support/resales.js';
import { openShop, type Shop } from '../../test/support/shop.js';
import { couponFollowers, inventoryFollowers, purchaseFollowers } from './followers.js';
import { inventory } from './inventory/inventory.decider.js';
import { Resell, ResellHandler } from './reseller/resell.commands.js';

const ALL = [inventoryFollowers, purchaseFollowers, couponFollowers];
/** More closings than a deal knows by their ids. */
const CLOSINGS = 4_200;
const TOGETHER = 200;
/** Until a hold runs out. */
const HOLD = 300_000;

type Execute = (...args: readonly unknown[]) => Promise<unknown>;

/** Something that starts on a deal. The same context makes it the same request. */
type Start = (shop: Shop, loop: CommandLoop, context: CommandContext) => Promise<object>;

const resell: Start = async (shop, loop, context) => {
  const { writer, keyring, clock, personalData } = shop.engineOf(loop);
  const handler = new ResellHandler(writer, keyring, clock, personalData, new OneDeal());
  return (await handler.execute(new Resell('acme', orderOf(shop.deal), context))).row;
};

const STARTS: readonly (readonly [words: string, command: string, start: Start, units: object])[] = [
  [
    'D2: a reserve',
    'place-hold',
    (shop, loop, context) => shop.through(loop).reserve(2, { context }),
    { held: 2, sold: 0 },
  ],
  [
    'D7: a purchase',
    'start-checkout',
    (shop, loop, context) => shop.through(loop).buy(2, { context }),
    { held: 0, sold: 2 },
  ],
  ['D11: a resale', 'start-resale', resell, { held: 0, sold: 2 }],
];

describe('a start whose handler looked before the deal closed more than it remembers', () => {
  let shop: Shop;
  const loops: CommandLoop[] = [];
  const process = (): CommandLoop => {
    const loop = shop.otherLoop(ALL);
    loops.push(loop);
    return loop;
  };
  beforeEach(async () => {
    shop = await openShop(10);
  });
  afterEach(async () => {
    await Promise.all(loops.splice(0).map((loop) => loop.close()));
    await shop.close();
  });

  /** The deal closes more than it knows by their ids: an operator changes its stock again and again. */
  async function goOn(loop: CommandLoop): Promise<void> {
    for (let from = 0; from < CLOSINGS; from += TOGETHER) {
      await Promise.all(
        Array.from({ length: TOGETHER }, (_, nth) => {
          const context = shop.context();
          const change = { units: 100 + (nth % 2), change_id: context.commandId, looked: Infinity };
          return loop.execute(inventory, shop.deal, { type: 'set-stock', ...change }, context);
        }),
      );
    }
  }

  /**
   * A process whose first such command waits until this is done.
   * @returns the process, and what became of each try
   */
  function held(command: string, meanwhile: () => Promise<unknown>): { loop: CommandLoop; tries: unknown[] } {
    const loop = process();
    const execute = loop.execute.bind(loop) as Execute;
    const tries: unknown[] = [];
    let isHeld = false;
    loop.execute = (async (...args) => {
      if ((args[2] as { readonly type: string }).type !== command) return execute(...args);
      if (!isHeld) {
        isHeld = true;
        await meanwhile();
      }
      const outcome = execute(...args);
      await outcome.then(
        () => tries.push('decided'),
        (error: unknown) => tries.push((error as Error).name),
      );
      return outcome;
    }) as Execute as CommandLoop['execute'];
    return { loop, tries };
  }

  const units = async (): Promise<object> => {
    const { held: open, sold } = await shop.engine.loop.readNow(inventory, shop.deal);
    return { held: open, sold };
  };

  it.each(STARTS)('%s looks again, and starts once', async (_, command, start, after) => {
    const { loop, tries } = held(command, () => goOn(process()));
    expect(await start(shop, loop, shop.context())).toMatchObject({ quantity: 2 });
    expect(tries).toEqual(['LookAgain', 'decided']);
    expect(await units()).toEqual(after);
  });

  it.each(STARTS)(
    '%s whose earlier try went through meanwhile has its answer, and starts nothing',
    async (_, command, start, after) => {
      const context = shop.context();
      let first: object | undefined;
      const { loop, tries } = held(command, async () => {
        first = await start(shop, process(), context);
        await goOn(process());
      });
      expect(await start(shop, loop, context)).toEqual(first);
      // A hold that is still open is known, whenever somebody looked.
      expect(tries).toEqual([command === 'place-hold' ? 'decided' : 'LookAgain']);
      expect(await units()).toEqual(after);
    },
  );

  it('D2: a reserve whose earlier try was placed and ran out meanwhile has its answer, and holds nothing', async () => {
    const context = shop.context();
    let first: object | undefined;
    const { loop, tries } = held('place-hold', async () => {
      const earlier = process();
      first = await shop.through(earlier).reserve(2, { context });
      const { id: reservation_id } = first as { readonly id: string };
      shop.engine.clock.follow(HOLD);
      await earlier.execute(inventory, shop.deal, { type: 'expire-hold', reservation_id }, shop.context());
      await goOn(earlier);
    });
    expect(await shop.through(loop).reserve(2, { context })).toEqual(first);
    expect(tries).toEqual(['LookAgain']);
    expect(await units()).toEqual({ held: 0, sold: 0 });
  });

  it('A8: a start gives up if the deal closes too much after each look, and starts nothing', async () => {
    const loop = process();
    const execute = loop.execute.bind(loop) as Execute;
    let looks = 0;
    loop.execute = (async (...args) => {
      if ((args[2] as { readonly type: string }).type !== 'place-hold') return execute(...args);
      looks += 1;
      await goOn(process());
      return execute(...args);
    }) as Execute as CommandLoop['execute'];
    await expect(shop.through(loop).reserve(2)).rejects.toMatchObject({ name: 'Unavailable' });
    expect(looks).toBe(3);
    expect(await units()).toEqual({ held: 0, sold: 0 });
  });
});
