import { afterAll, describe, expect, it } from '@jest/globals';
import { DocumentedService } from '../../support/documented-service.js';
import { discardLeftovers } from '../../support/running-service.js';
import { seeded } from '../catalogue/made-up-deals.js';
import { size, tell } from '../size.js';
import { dearestAttacks } from './attacks.js';
import { tellsCpu } from './cpu.js';
import { reserving, share, underAttack, type Waits } from './partner.js';
import { Prices } from './prices.js';

/** Only on request: the result depends on the machine, and on its other work. */
const IN_FULL = process.env['COST'] !== undefined;
/** Turns, each of them alone, attacked, and flooded, so that all three share the same conditions. */
const TURNS = size('HONEST', 5);
const HOLDS = 500;
const WORST = 5;
const PER_SECOND = 500;
/** How many times as long a hold may take during an attack. */
const TIMES = 2;

interface Turn {
  readonly how: 'alone' | 'attacked' | 'flooded';
  readonly waits: Waits;
  /** Answered requests of the attackers per second. */
  readonly rate: number;
}

(tellsCpu && IN_FULL ? describe : describe.skip)('an honest partner among attackers', () => {
  afterAll(discardLeftovers);

  it('A8: waits at most twice as long for a hold while 50 connections send 500 of the most expensive requests per second', async () => {
    const documented = await DocumentedService.start();
    const prices = new Prices(documented);
    const attacks = await dearestAttacks(documented, prices, { steps: 8, each: 8, random: seeded(20_261_122) }, WORST);
    for (const { method, path, body } of attacks)
      show(`attack: ${method} ${path.slice(0, 60)}, a body of ${body?.length ?? 0} characters`);
    await reserving(documented, HOLDS);
    const turns: Turn[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      turns.push({ how: 'alone', waits: await reserving(documented, HOLDS), rate: 0 });
      for (const [how, perSecond] of [
        ['attacked', PER_SECOND],
        ['flooded', 0],
      ] as const) {
        const [waits, rate] = await underAttack(documented, attacks, perSecond, () => reserving(documented, HOLDS));
        turns.push({ how, waits, rate });
      }
    }
    const median = (how: Turn['how'], of: (turn: Turn) => number): number =>
      share(turns.filter((each) => each.how === how).map(of), 0.5);
    show('a hold, in milliseconds       p50       p99   requests of attackers a second');
    const line = (name: string, p50: number, p99: number, rate: number): void =>
      show(
        `${name.padEnd(24)} ${p50.toFixed(2).padStart(9)} ${p99.toFixed(2).padStart(9)} ${rate.toFixed(0).padStart(9)}`,
      );
    for (const { how, waits, rate } of turns) line(how, waits.p50, waits.p99, rate);
    const found = (how: Turn['how']): readonly [number, number] => {
      const [p50, p99] = [median(how, ({ waits }) => waits.p50), median(how, ({ waits }) => waits.p99)];
      line(
        `median, ${how}`,
        p50,
        p99,
        median(how, ({ rate }) => rate),
      );
      return [p50, p99];
    };
    const [alone, attacked] = [found('alone'), found('attacked')];
    found('flooded');
    show(
      `attacked, times alone: p50 ${(attacked[0] / alone[0]).toFixed(2)}, p99 ${(attacked[1] / alone[1]).toFixed(2)}`,
    );
    expect(attacked[0]).toBeLessThanOrEqual(TIMES * alone[0]);
    expect(attacked[1]).toBeLessThanOrEqual(TIMES * alone[1]);
  }, 600_000);
});

function show(text: string): void {
  tell('COST', text);
}
