import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DocumentedService } from '../../support/documented-service.js';
import { discardLeftovers } from '../../support/running-service.js';
import { size, tell } from '../size.js';
import { bare, type Bare } from './bare-request.js';
import { tellsCpu } from './cpu.js';
import { reserving, share, underAttack, type Waits } from './partner.js';

/** Only on request: the result depends on the machine, and on its other work. */
const IN_FULL = process.env['COST'] !== undefined;
const TURNS = size('HONEST', 5);
const HOLDS = 300;
/** How many times as long a hold may take beside a partner that writes. */
const TIMES = 2;
/** Milliseconds of writing before the first turn: by then it has written what a rest gives. */
const UNTIL_BOUNDED = 10_000;

(tellsCpu && IN_FULL ? describe : describe.skip)('a partner beside one that writes as fast as it can', () => {
  let documented: DocumentedService;
  let writes: readonly Bare[];

  beforeAll(async () => {
    documented = await DocumentedService.start();
    const { service, world } = documented;
    const { key } = world.rival;
    const user = await service.newUser(key, 'much@example.com');
    const partner_data = { text: 'x'.repeat(60_000) };
    writes = [
      bare('PUT', `/users/${user}`, { key, body: { partner_data } }),
      bare('PUT', `/users/${user}`, { key, body: { partner_data: { text: 'y'.repeat(6_000) } } }),
    ];
    await reserving(documented, HOLDS);
  }, 120_000);
  afterAll(discardLeftovers);

  it('I16: waits at most twice as long for a hold', async () => {
    const alone: Waits[] = [];
    const beside: Waits[] = [];
    const rates: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      alone.push(await reserving(documented, HOLDS));
      const [waits, rate] = await underAttack(documented, writes, 0, async () => {
        await new Promise((resolve) => setTimeout(resolve, turn === 0 ? UNTIL_BOUNDED : 0));
        return reserving(documented, HOLDS);
      });
      beside.push(waits);
      rates.push(rate);
    }
    const median = (of: readonly Waits[], part: keyof Waits): number =>
      share(
        of.map((each) => each[part]),
        0.5,
      );
    const [before, after] = [median(alone, 'p50'), median(beside, 'p50')];
    tell(
      'COST',
      `a hold beside a partner that writes (${share(rates, 0.5).toFixed(0)} answers per second): p50 ${before.toFixed(1)} → ${after.toFixed(1)} ms, p99 ${median(alone, 'p99').toFixed(1)} → ${median(beside, 'p99').toFixed(1)} ms`,
    );
    expect(after).toBeLessThanOrEqual(TIMES * before);
  }, 600_000);
});
