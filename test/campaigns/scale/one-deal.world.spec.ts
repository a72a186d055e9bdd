import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EmbeddedLog } from '#adapters/embedded';
import { thisMachine } from '#adapters/machine';
import { Codec, CommandLoop, newContext, SystemClock } from '#eventsourcing';
import type { Instant } from '#kernel';
import {
  inventory,
  type InventoryCommand,
  type InventoryEvent,
  type InventoryState,
  purchasing,
} from '#purchasing/model';
import { withHoldNumber } from '../../support/hold-number.js';
import { remove } from '../../support/data-folder.js';
import { patience, size, tell } from '../size.js';
import { openGuard } from '../../support/open-guard.js';
import { appendSales, DEAL, opening, PER_SALE, reserveAndClaim, sale } from './sales.js';

const SALES = size('SCALE', 10_000);
const POINTS = [1_000, 10_000, 100_000, 1_000_000].filter((point) => point <= SALES);
/** Sales that are timed at each point: decided alone, and through the log in turn and together. */
const TIMED = 2_000;
const ALONE = 20;
const TOGETHER = 500;
const STOCK = 2 * SALES + 10 * TIMED;

const since = (began: number): number => performance.now() - began;

describe(`${SALES} sales of one deal`, () => {
  it(
    'D1: are folded, and later commands are decided on them, however many there are',
    () => {
      const now = Date.now();
      let state = opening(now, STOCK).reduce((before, command) => after(before, command, now), inventory.initialState);
      let sales = 0;
      for (const point of POINTS) {
        const folding = performance.now();
        const from = sales;
        for (; sales < point; sales += 1) state = sale(sales, STOCK, now).reduce(inventory.evolve, state);
        const fold = (1_000 * since(folding)) / (PER_SALE * (point - from));
        const times: number[] = [];
        let aside = state;
        for (let number = 0; number < TIMED; number += 1) {
          for (const command of reserveAndClaim(STOCK + number, now)) {
            const deciding = performance.now();
            aside = after(aside, 'number' in command ? { ...command, number: point + number } : command, now);
            times.push(1_000 * since(deciding));
          }
        }
        const decide = times.sort((a, b) => a - b);
        expect(aside).toMatchObject({ held: 0, sold: point + TIMED });
        expect(state).toMatchObject({ held: 0, sold: point });
        tell(
          'SCALE',
          `${point} sales: fold ${fold.toFixed(1)} µs per event on average, decide and fold a command ` +
            `${at(decide, 0.5)} µs in the middle, ${at(decide, 0.99)} µs at the 99th of 100`,
        );
      }
    },
    patience(SALES, 1),
  );

  describe('in the log', () => {
    const clock = new SystemClock(Date.now);
    const codec = new Codec(purchasing.events);
    let folder: string;
    let log: EmbeddedLog;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'scale-'));
      log = await EmbeddedLog.open({ file: join(folder, 'events.db') });
    });
    afterAll(async () => {
      await log.close();
      remove(folder);
    });

    /** A loop as after a restart: it remembers nothing, and its callers wait as long as necessary. */
    const newLoop = (): CommandLoop =>
      new CommandLoop({
        log,
        codec,
        clock,
        followers: purchasing.followers,
        limits: { patience: 3_600_000 },
        machine: thisMachine,
        guard: openGuard(),
      });

    it(
      'D1: the first command after a restart knows all of them, and later ones are decided on that',
      async () => {
        const now = clock.now();
        const loop = newLoop();
        for (const command of opening(now, STOCK)) {
          await loop.execute(
            inventory,
            DEAL,
            command,
            newContext({ clock, randomness: thisMachine.randomness }, 'operator:ann'),
          );
        }
        await loop.close();
        let [sold, revision] = [0, 1];
        for (const point of POINTS) {
          const building = performance.now();
          await appendSales(log, { from: sold, to: point, revision, stock: STOCK, now });
          const built = since(building);
          revision += PER_SALE * (point - sold + 1 + ALONE + TOGETHER);
          sold = point + 1 + ALONE + TOGETHER;
          const times = await timed(newLoop(), point, now);
          tell('SCALE', `${point} sales, written in ${(built / 1_000).toFixed(1)} s: ${times}`);
        }
      },
      patience(SALES, 2),
    );

    async function timed(loop: CommandLoop, point: number, now: Instant): Promise<string> {
      let number = STOCK + point;
      const beginning = performance.now();
      expect(await buy(loop, number, now)).toMatchObject({ sold: point + 1, held: 0 });
      const first = since(beginning);
      const one = performance.now();
      for (let count = 0; count < ALONE; count += 1) await buy(loop, (number += 1), now);
      const alone = since(one) / (2 * ALONE);
      const many = performance.now();
      await Promise.all(Array.from({ length: TOGETHER }, () => buy(loop, (number += 1), now)));
      const together = (1_000 * since(many)) / (2 * TOGETHER);
      expect(await loop.read(inventory, DEAL)).toMatchObject({ sold: point + 1 + ALONE + TOGETHER, held: 0 });
      await loop.close();
      return (
        `the first sale after a restart took ${first.toFixed(0)} ms, then ${alone.toFixed(2)} ms per command alone, ` +
        `${together.toFixed(0)} µs of ${TOGETHER} together`
      );
    }

    async function buy(loop: CommandLoop, number: number, now: Instant): Promise<InventoryState> {
      const [reserve, claim] = reserveAndClaim(number, now);
      await loop.execute(
        inventory,
        DEAL,
        reserve,
        newContext({ clock, randomness: thisMachine.randomness }, 'partner:acme'),
      );
      return (
        await loop.execute(
          inventory,
          DEAL,
          await withHoldNumber(loop, claim),
          newContext({ clock, randomness: thisMachine.randomness }, 'partner:acme'),
        )
      ).state;
    }
  });
});

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(share * sorted.length)] ?? NaN).toFixed(1);
}

function after(state: InventoryState, command: InventoryCommand, now: Instant): InventoryState {
  const events: readonly InventoryEvent[] = inventory.decide(command, state, now);
  return events.reduce(inventory.evolve, state);
}
