import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TABLE } from '../../interface/conventions.table.js';
import { DocumentedService } from '../../support/documented-service.js';
import { discardLeftovers } from '../../support/running-service.js';
import { seeded } from '../catalogue/made-up-deals.js';
import { patience, size, tell } from '../size.js';
import { callOf } from './call.js';
import { bare, type Bare } from './bare-request.js';
import { BareServer } from './bare-server.js';
import { tellsCpu } from './cpu.js';
import { Prices, type Sender } from './prices.js';
import { dearestOf } from './search.js';
import { described } from './shapes.js';

/** Shapes to try for a call and a sender. */
const STEPS = size('COST', 12);
const IN_FULL = process.env['COST'] !== undefined;
const SEED = size('COST_SEED', 20_261_122);
/** Requests per shape during the search, and for the most expensive shape at the end. */
const EACH = IN_FULL ? 12 : 8;
const AT_LAST = { nobody: 1_000, wrong: 1_000, valid: 40 } as const;

/** The largest allowed mean of CPU milliseconds per request. */
const GOALS = { nobody: 0.5, wrong: 0.5, valid: 50 } as const;
/** Calls that may take longer, with the reason and the limit. */
const LISTED: Readonly<Record<Sender, Readonly<Record<string, readonly [reason: string, most: number]>>>> = {
  nobody: { 'GET /openapi.json': ['sends 280 KB to a caller who does not accept gzip', 1] },
  wrong: {},
  valid: { 'POST /operators/import': ['reads a file of any length, and yields between its lines', Infinity] },
};
/**
 * In the small size: how many times a plain 401 the most expensive request may cost. With a quadratic parser it would be a
 * thousand times.
 */
const TIMES_A_REFUSAL = 40;

if (!tellsCpu)
  process.stderr.write('This system does not report the CPU time of a process: the tests of costs DID NOT RUN.\n');

/** How often a cost above its limit is measured: a neighbour disturbs once, a real cost stays. */
const TRIES = 3;

/** The smallest of some measurements, if the first is above the limit. */
async function atMost(most: number, measure: () => Promise<number>): Promise<number> {
  let least = await measure();
  for (let tries = 1; tries < TRIES && least > most; tries += 1) least = Math.min(least, await measure());
  return least;
}

/** In the small size one call for each way of authenticating callers. */
const SMALL = ['POST /users', 'GET /api/v3/deals', 'PUT /operators/deals/:slug', 'GET /health/live'];
const routes = Object.entries(TABLE).filter(([route]) => IN_FULL || SMALL.includes(route));

(tellsCpu ? describe : describe.skip)('the cost of a request', () => {
  let documented: DocumentedService;
  let prices: Prices;
  /** Of a call that is refused for a missing key, in milliseconds of CPU. */
  let refusal = 0;
  /** The most expensive request of each call, with its cost. */
  const dearestByNobody: { readonly request: Bare; readonly cost: number }[] = [];

  let node: BareServer | undefined;

  beforeAll(async () => {
    documented = await DocumentedService.start();
    prices = new Prices(documented);
    // Until its code is fully compiled.
    await plainRefusals(IN_FULL ? 3_000 : 600);
    await prices.meter.rest(1_000);
    refusal = await plainRefusals(500);
  });
  afterAll(async () => {
    node?.end();
    await discardLeftovers();
  });

  /** What a Node server that checks and reads nothing needs for a request. */
  async function floorOf(request: Bare): Promise<number> {
    node ??= await BareServer.start();
    return node.costOf(request, 1_000);
  }

  function plainRefusals(count: number): Promise<number> {
    const [route, line] = Object.entries(TABLE)[0] ?? [];
    if (route === undefined || line === undefined) throw new Error('the table is empty');
    return prices.of(route, line, {}, [], 'nobody', count);
  }

  it.each(['nobody', 'wrong', 'valid'] as const)(
    'A8: stays within its limit for the most expensive request of each call (credential: %s)',
    async (sender: Sender) => {
      const random = seeded(SEED);
      const dear: string[] = [];
      let dearestOfAll = 0;
      for (const [route, line] of routes) {
        if (line.who === 'public' && sender !== 'nobody') continue;
        const call = await callOf(documented, route, line);
        const { sample } = call;
        const dearest = await dearestOf(prices, call, sender, { steps: STEPS, each: EACH, random });
        const count = IN_FULL ? AT_LAST[sender] : 20;
        const [, listed] = LISTED[sender][route] ?? [];
        const most = IN_FULL ? (listed ?? GOALS[sender]) : TIMES_A_REFUSAL * refusal * (sender === 'valid' ? 10 : 1);
        const cost = await atMost(most, () => prices.of(route, line, sample, dearest.shape, sender, count));
        tell(
          'COST',
          `${sender.padEnd(6)} ${route.padEnd(62)} ${cost.toFixed(3).padStart(8)} ms  ${described(dearest.shape)}`,
        );
        dearestOfAll = Math.max(dearestOfAll, cost);
        const { method, path, options } = prices.requestOf(route, line, sample, dearest.shape, sender);
        const request = bare(method, path, options);
        if (sender === 'nobody') dearestByNobody.push({ request, cost });
        if (cost <= most) continue;
        // On a slow machine, Node alone needs as much for a large request.
        const floor = (await floorOf(request)).toFixed(3);
        const words = `${cost.toFixed(3)} ms where ${most.toFixed(3)} may be, and ${floor} by Node alone`;
        dear.push(`${route}: ${words}: ${described(dearest.shape)}`);
      }
      expect(dear).toEqual([]);
      expect(documented.service.printed).not.toContain('a call failed');
      const counts = [...prices.statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
      tell('COST', `the dearest of all by one whose credential is ${sender}: ${dearestOfAll.toFixed(3)} ms`);
      tell('COST', `a plain refusal costs ${refusal.toFixed(3)} ms; answers so far: ${counts.join(', ')}`);
    },
    patience(routes.length * (STEPS * EACH + 1_000), 20),
  );

  (IN_FULL ? it : it.skip)(
    'has a lower bound: the same requests to a Node server that checks and reads nothing',
    async () => {
      const some = dearestByNobody.toSorted((a, b) => b.cost - a.cost).slice(0, 5);
      for (const { request, cost } of some) {
        const floor = await floorOf(request);
        const { method, path } = request;
        tell('COST', `${cost.toFixed(3)} ms, and ${floor.toFixed(3)} ms by Node alone: ${method} ${path.slice(0, 80)}`);
      }
      expect(some).toHaveLength(5);
    },
    120_000,
  );
});
