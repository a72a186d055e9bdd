import { stringify } from 'qs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { onceCaughtUp } from '../../support/caught-up.js';
import { discardLeftovers, RunningService, type Json, type TestPartner } from '../../support/running-service.js';
import { size, tell } from '../size.js';
import { tellsCpu } from './cpu.js';
import { share } from './partner.js';

/** Only on request: the result depends on the machine, and on its other work. */
const IN_FULL = process.env['COST'] !== undefined;
const DEALS = size('LIST_DEALS', 20_000);
const TURNS = size('HONEST', 5);
/** Calls of a turn, one after another. */
const CALLS = 60;
const ATTACKERS = 4;
const DAY = 86_400_000;

/** The dearest list that is allowed: two circles that reach every deal, and two orders without an index. */
const dearest = (number: number): Json => ({
  fields: 'id,title,price',
  per_page: 1000,
  filter: [3000, 2999].map((miles) => `lat_long[${36 + (number % 1000) / 1000},-97,${miles}]`).join(','),
  sort: 'title(asc),num_left(asc)',
});
/** One that is refused. */
const refused = (number: number): Json => ({
  fields: 'id',
  filter: Array.from({ length: 100 }, (_, each) => `lat_long[${36 + each / 100},-97,${1000 + (number % 1000)}]`).join(),
  sort: 'title(asc)',
});

interface Turn {
  readonly reserve: number;
  readonly reserve99: number;
  /** The longest wait of another call. */
  readonly worst: number;
}

(tellsCpu && IN_FULL ? describe : describe.skip)(`callers beside lists of ${DEALS} deals`, () => {
  let service: RunningService;
  let acme: TestPartner;
  let attacker: string;

  beforeAll(async () => {
    service = await RunningService.start({ ownProcess: true });
    acme = await service.newPartner('acme');
    const { id } = await service.newPartner('attacker');
    attacker = `attacker:${(await service.operate('POST', `/partners/${id}/password`)).password}`;
    await service.newDeal('lunch', { stock: null });
    const now = Date.parse((await service.operate('GET', '/clock')).now);
    for (let from = 0; from < DEALS; from += 10_000) {
      const lines = Array.from({ length: Math.min(10_000, DEALS - from) }, (_, each) => deal(from + each, now));
      const imported = await service.ask('POST', '/operators/import', {
        token: service.operatorToken,
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines.map((line) => JSON.stringify(line)).join('\n'),
      });
      expect(imported.body.refused_count).toBe(0);
    }
    // The views write a long import later than the log does, and calls are 503 until they have.
    expect((await onceCaughtUp(() => service.look('/deals/lunch', acme.key))).status).toBe(200);
  }, 1_800_000);
  afterAll(discardLeftovers);

  async function waited(call: Promise<{ readonly status: number }>, begun = performance.now()): Promise<number> {
    expect((await call).status).toBe(200);
    return performance.now() - begun;
  }

  async function turn(): Promise<Turn> {
    const [reserves, others]: [number[], number[]] = [[], []];
    const { key } = acme;
    for (let call = 0; call < CALLS; call += 1) {
      const body = { deal_id: 'lunch', num_bought: 1 };
      reserves.push(await waited(service.ask('POST', '/purchases/reserve', { key, body })));
      others.push(await waited(service.ask('GET', '/deals/lunch', { key })));
    }
    return { reserve: share(reserves, 0.5), reserve99: share(reserves, 0.99), worst: Math.max(...others) };
  }

  async function beside<T>(list: (number: number) => Json, work: () => Promise<T>): Promise<T> {
    let going = true;
    let sent = 0;
    const attack = async (): Promise<void> => {
      while (going) {
        const path = `/api/v3/deals?${stringify(list((sent += 1)))}`;
        const { status } = await service.ask('GET', path, { basic: attacker });
        if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const attacks = Array.from({ length: ATTACKERS }, attack);
    try {
      return await work();
    } finally {
      going = false;
      await Promise.all(attacks);
    }
  }

  it.each([
    ['the dearest that is allowed', dearest],
    ['one that is refused', refused],
  ])(
    'I17: wait at most 100 ms, and for a hold 1.5 times as long, beside %s',
    async (what, list) => {
      await turn();
      const alone: Turn[] = [];
      const busy: Turn[] = [];
      for (let count = 0; count < TURNS; count += 1) {
        alone.push(await turn());
        busy.push(await beside(list, turn));
      }
      const median = (turns: readonly Turn[], of: keyof Turn): number =>
        share(
          turns.map((each) => each[of]),
          0.5,
        );
      const [before, after] = [median(alone, 'reserve'), median(busy, 'reserve')];
      const others = median(busy, 'worst');
      tell(
        'COST',
        `${what}: a hold ${before.toFixed(1)} → ${after.toFixed(1)} ms (p99 ${median(busy, 'reserve99').toFixed(1)}), the longest other call ${others.toFixed(1)} ms`,
      );
      expect(others).toBeLessThanOrEqual(100);
      expect(after).toBeLessThanOrEqual(1.5 * before);
    },
    600_000,
  );
});

function deal(number: number, now: number): Json {
  const spot = { latitude: 30 + (number % 150) / 10, longitude: -120 + (number % 450) / 10 };
  return {
    kind: 'deal',
    slug: `d-${number}`,
    title: `Deal ${(number * 7919) % 100_003}`,
    region_id: 'testland',
    start_at: new Date(now - DAY).toISOString(),
    end_at: new Date(now + DAY + (number % 8) * DAY).toISOString(),
    current_price: 1000 + (number % 5000),
    value: 10_000,
    stock: 100,
    locations: [{ address: spot }, { address: { ...spot, latitude: spot.latitude + 0.5 } }],
    state: 'approved',
  };
}
