import type { DocumentedService } from '../../support/documented-service.js';
import { TABLE } from '../../interface/conventions.table.js';
import { bare, type Bare } from './bare-request.js';
import { callOf, type Call } from './call.js';
import type { Prices } from './prices.js';
import { dearestOf, type Dearest, type Effort } from './search.js';

/** The most expensive requests without a credential: of each call's most expensive one, the top `most`. */
export async function dearestAttacks(
  documented: DocumentedService,
  prices: Prices,
  effort: Effort,
  most: number,
): Promise<readonly Bare[]> {
  const found: { readonly call: Call; readonly dearest: Dearest }[] = [];
  for (const [route, line] of Object.entries(TABLE)) {
    const call = await callOf(documented, route, line);
    found.push({ call, dearest: await dearestOf(prices, call, 'nobody', effort) });
  }
  const top = found.toSorted((a, b) => b.dearest.cost - a.dearest.cost).slice(0, 3 * most);
  const costs: { readonly attack: Bare; readonly cost: number }[] = [];
  for (const { call, dearest } of top) {
    const { route, line } = call;
    const { method, path, options } = prices.requestOf(route, line, {}, dearest.shape, 'nobody');
    const cost = await prices.of(route, line, {}, dearest.shape, 'nobody', 200);
    costs.push({ attack: bare(method, path, options), cost });
  }
  return costs
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, most)
    .map(({ attack }) => attack);
}
