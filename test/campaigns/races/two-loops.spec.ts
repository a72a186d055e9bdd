import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, SystemClock, type CommandContext, newCommandId } from '#eventsourcing';
import { DAY, DomainError } from '#kernel';
import { inventory, type InventoryCommand, purchasing } from '#purchasing/model';
import { withHoldNumber } from '../../support/hold-number.js';
import { eventsOf, remove } from '../../support/data-folder.js';
import { openGuard } from '../../support/open-guard.js';
import { summaryOf } from '../../support/sale.js';
import { expectSoundLog, unitsByDeal } from '../../support/sound-log.js';
import { patience, size, tell } from '../size.js';
import { perUser, race, type Shop } from './buyers.js';

const DEALS = size('RACES', 20);
const BUYERS = 64;
const UNITS = 5;
const MAX_PER_USER = 2;

/** Each loop has its own caches and queues, like two processes on one log: they only learn of each other from the log. */
describe('64 buyers race for 5 units through two command loops on one log', () => {
  const clock = new SystemClock(Date.now);
  const codec = new Codec(purchasing.events);
  let folder: string;
  let log: EmbeddedLog;
  let one: CommandLoop;
  let other: CommandLoop;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'races-'));
    log = await EmbeddedLog.open({ file: join(folder, 'events.db') });
    one = new CommandLoop({
      log,
      codec,
      clock,
      followers: purchasing.followers,
      machine: thisMachine,
      guard: openGuard(),
    });
    other = new CommandLoop({
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
    await one.close();
    await other.close();
    await log.close();
  }

  /** A shop whose commands go through the loop that is picked for each. */
  function shop(pick: () => CommandLoop): Shop {
    const send = (deal: string, command: InventoryCommand): Promise<boolean> => sendThrough(pick(), deal, command);
    return {
      async reserve(deal) {
        const reservation_id = randomBytes(16).toString('hex');
        const placed = await send(deal, {
          type: 'place-hold',
          looked: Infinity,
          reservation_id,
          partner_id: 'racer',
          quantity: 1,
          holder_id: null,
        });
        return placed ? reservation_id : undefined;
      },
      claim: (deal, purchase_id, user_id) =>
        send(deal, {
          type: 'claim',
          number: 0,
          purchase_id,
          partner_id: 'racer',
          user_id,
          holder_id: null,
          quantity: 1,
          price: 1000,
          deal: summaryOf(deal),
          reserved_at: clock.now(),
          coupons: [{ id: `coupon-of-${purchase_id}`, barcode: '123456789012' }],
        }),
      async release(deal, reservation_id) {
        expect(await send(deal, { type: 'release', number: 0, reservation_id })).toBe(true);
      },
    };
  }

  /** False for the refusal that the rules foresee. */
  async function sendThrough(loop: CommandLoop, deal: string, command: InventoryCommand): Promise<boolean> {
    const commandId = newCommandId(clock.now(), thisMachine.randomness);
    const context: CommandContext = { commandId, correlation: commandId, actor: 'partner:racer' };
    try {
      await loop.execute(inventory, deal, await withHoldNumber(loop, command), context);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'cannot_fulfill') return false;
      throw error;
    }
  }

  async function open(deal: string): Promise<void> {
    await sendThrough(one, deal, { type: 'set-stock', looked: Infinity, units: UNITS, change_id: 'c' });
    await sendThrough(one, deal, {
      type: 'set-terms',
      terms: {
        deal: summaryOf(deal),
        on_sale: true,
        start_at: clock.now() - DAY,
        end_at: clock.now() + DAY,
        price: 1000,
        max_per_user: MAX_PER_USER,
        expires_at: null,
        expiration_days: null,
      },
    });
  }

  it('D1: a refusal depends on what is in the log, not on what a loop remembers', async () => {
    const deal = 'remembered';
    await open(deal);
    const held: string[] = [];
    for (;;) {
      const reservation = await shop(() => one).reserve(deal);
      if (reservation === undefined) break;
      held.push(reservation);
    }
    expect(held).toHaveLength(UNITS);
    // The first loop now remembers that nothing is left; the other one gives all units back.
    for (const reservation of held) await shop(() => other).release(deal, reservation);
    expect(await shop(() => one).reserve(deal)).toBeDefined();
  });

  it(
    `D1 D2 D3 D4: exactly 5 are sold in each of ${DEALS} deals, with conflicts, and never more than there are`,
    async () => {
      let turns = 0;
      const alternating = shop(() => ((turns += 1) % 2 === 0 ? one : other));
      const bought: string[] = [];
      for (let index = 0; index < DEALS; index += 1) {
        const deal = `race-${index}`;
        await open(deal);
        const users = ['ann', 'ben', 'cem'].map((name) => `${deal}-${name}`);
        const result = await race(alternating, deal, { buyers: BUYERS, users, units: UNITS });
        expect(result.bought).toHaveLength(UNITS);
        bought.push(...result.bought);
      }
      expect(Math.max(...perUser(bought).values())).toBeLessThanOrEqual(MAX_PER_USER);
      const conflicts = [one.stats.conflicts, other.stats.conflicts];
      const appends = [one.stats.appends, other.stats.appends];
      await closeAll();

      const events = await eventsOf(folder);
      expectSoundLog(events);
      for (const [deal, units] of unitsByDeal(events)) {
        if (!deal.startsWith('race-')) continue;
        expect({ deal, ...units.at(-1) }).toMatchObject({ deal, stock: UNITS, held: 0, sold: UNITS });
      }
      for (const each of conflicts) expect(each).toBeGreaterThan(0);
      tell(
        'RACES',
        `${DEALS} deals, ${bought.length} units sold; per loop: ${appends.join(', ')} appends, ${conflicts.join(', ')} conflicts`,
      );
    },
    patience(DEALS, 10_000),
  );
});
