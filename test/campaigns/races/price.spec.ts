import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, SystemClock, type CommandContext, newCommandId } from '#eventsourcing';
import { DAY, DomainError, type Recorded } from '#kernel';
import { inventory, type InventoryCommand, purchasing } from '#purchasing/model';
import { eventsOf, remove } from '../../support/data-folder.js';
import { openGuard } from '../../support/open-guard.js';
import { checkoutOf, terms } from '../../support/sale.js';
import { expectCertified } from '../../support/certified.js';
import { expectSoundLog } from '../../support/sound-log.js';
import { patience, size, tell } from '../size.js';

const DEALS = size('RACES', 20);
const BUYERS = 8;
/** Purchases after which a deal's race ends. */
const PURCHASES = 40;

/** Seller and buyers use different command loops: they only learn of each other from the log. */
describe('a price that changes all the time, while buyers buy through another command loop on the same log', () => {
  const clock = new SystemClock(Date.now);
  const codec = new Codec(purchasing.events);
  let folder: string;
  let log: EmbeddedLog;
  let seller: CommandLoop;
  let buyers: CommandLoop;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'races-'));
    log = await EmbeddedLog.open({ file: join(folder, 'events.db') });
    seller = new CommandLoop({
      log,
      codec,
      clock,
      followers: purchasing.followers,
      machine: thisMachine,
      guard: openGuard(),
    });
    buyers = new CommandLoop({
      log,
      codec,
      clock,
      followers: purchasing.followers,
      machine: thisMachine,
      guard: openGuard(),
    });
  });
  afterAll(async () => {
    await closeAll();
    remove(folder);
  });

  async function closeAll(): Promise<void> {
    await seller.close();
    await buyers.close();
    await log.close();
  }

  async function send(loop: CommandLoop, deal: string, command: InventoryCommand): Promise<void> {
    const commandId = newCommandId(clock.now(), thisMachine.randomness);
    const context: CommandContext = { commandId, correlation: commandId, actor: 'partner:racer' };
    await loop.execute(inventory, deal, command, context);
  }

  /** The deal's terms at its n-th price. */
  const setTerms = (deal: string, revision: number, price: number): InventoryCommand => ({
    type: 'set-terms',
    terms: terms({
      deal: { id: deal, revision, title: deal, type: 'daily-deal', image: null },
      start_at: clock.now() - DAY,
      end_at: clock.now() + DAY,
      price,
    }),
  });

  /** False for the refusal of the price guard. */
  async function buys(deal: string, purchase: string, expected_price: number): Promise<boolean> {
    try {
      await send(buyers, deal, { ...checkoutOf(purchase, `user-of-${purchase}`), expected_price });
      return true;
    } catch (error) {
      const guarded = error instanceof DomainError && error.code === 'purchase_invalid';
      if (!guarded) throw error;
      expect(error).toMatchObject({ faults: [{ code: 'other_price', price: expect.any(Number) }] });
      return false;
    }
  }

  it(
    `D5: buyers pay the price that they expected, which is the price at that revision, in ${DEALS} deals`,
    async () => {
      const expected = new Map<string, number>();
      let refused = 0;
      for (let index = 0; index < DEALS; index += 1) {
        const deal = `deal-${index}`;
        let listed = 1000;
        let bought = 0;
        await send(seller, deal, setTerms(deal, 0, listed));
        const sell = async (): Promise<void> => {
          for (let revision = 1; bought < PURCHASES; revision += 1) {
            const price = 1000 + Math.floor(Math.random() * 1000);
            await send(seller, deal, setTerms(deal, revision, price));
            listed = price;
            await pause(Math.random() * 6);
          }
        };
        const buy = async (): Promise<void> => {
          while (bought < PURCHASES) {
            const price = listed;
            await pause(Math.random() * 4);
            const purchase = randomBytes(16).toString('hex');
            if (await buys(deal, purchase, price)) {
              bought += 1;
              expected.set(purchase, price);
            } else {
              refused += 1;
            }
          }
        };
        await Promise.all([sell(), ...Array.from({ length: BUYERS }, buy)]);
      }
      const conflicts = [seller.stats.conflicts, buyers.stats.conflicts];
      await closeAll();

      const events = await eventsOf(folder);
      expectSoundLog(events);
      await expectCertified(events, 'none');
      const checkouts = pricesIn(events);
      expect(checkouts.size).toBe(expected.size);
      for (const [purchase, { price, inForce, amount }] of checkouts) {
        const expectedPrice = expected.get(purchase);
        expect({ purchase, price, inForce, amount }).toEqual({
          purchase,
          price: expectedPrice,
          inForce: expectedPrice,
          amount: expectedPrice,
        });
      }
      // Otherwise the loops never raced, or no buyer ever came too late.
      expect(refused).toBeGreaterThan(0);
      for (const each of conflicts) expect(each).toBeGreaterThan(0);
      const changes = events.filter(({ type }) => type === 'terms-set.v1').length;
      tell(
        'RACES',
        `${DEALS} deals, ${changes} prices, ${expected.size} bought, ${refused} refused, ${conflicts.join(', ')} conflicts`,
      );
    },
    patience(DEALS, 10_000),
  );
});

interface Priced {
  /** Cents per unit in the checkout. */
  readonly price: number;
  /** Cents per unit of the terms that were in force before it. */
  readonly inForce: number | undefined;
  /** Cents that are charged. */
  readonly amount: number | undefined;
}

/** The prices of every checkout, by purchase. */
function pricesIn(events: readonly Recorded[]): ReadonlyMap<string, Priced> {
  const inForce = new Map<string, number>();
  const amounts = new Map<string, number>();
  const checkouts = new Map<string, Priced>();
  for (const { stream, type, data } of events) {
    if (type === 'terms-set.v1') inForce.set(stream, (data as { terms: { price: number } }).terms.price);
    if (type === 'purchase-opened.v1') {
      const { purchase_id, amount } = data as { purchase_id: string; amount: number };
      amounts.set(purchase_id, amount);
    }
    if (type === 'checkout-started.v1') {
      const { purchase_id, price } = data as { purchase_id: string; price: number };
      checkouts.set(purchase_id, { price, inForce: inForce.get(stream), amount: undefined });
    }
  }
  return new Map([...checkouts].map(([id, checkout]) => [id, { ...checkout, amount: amounts.get(id) }]));
}
