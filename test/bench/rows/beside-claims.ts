import type { Measurement } from '../bench.js';
import { buy } from '../../support/buying.js';
import { spreadOf } from '../measure/median.js';
import { runTurn, sideOf, uncounted, type Turn } from '../turns.js';
import { openDeals } from './buyers.js';
import { newShop, SALES } from './sales.js';

/** Units of one claim, the most that it can have: as many coupons are written. */
const UNITS = 1_000;

/** p99 of a reserve while somebody claims as much as they can of another deal, again and again, against its p99 alone. */
export const besideClaims: Measurement = async (bench, row) => {
  const { holdfast, shop } = await newShop(bench);
  const { turns, warmUps, seconds, connections } = bench.options;
  const { visit } = await SALES.reserve(shop);
  const [other = ''] = await openDeals(shop, row);
  const [buyer] = shop.buyers;
  const length = { load: bench.load, seconds, connections };
  let claims = 0;

  const disturbed = async (): Promise<Turn> => {
    const over = new AbortController();
    const claiming = (async () => {
      for (; !over.signal.aborted; claims += 1) await buy(shop.service, shop.key, other, buyer?.user ?? '', UNITS);
    })();
    const loaded = bench.load.run({ ports: holdfast.ports, connections, seconds, visit: await visit() });
    const result = await Promise.race([loaded, claiming.then(() => loaded)]);
    over.abort();
    await claiming;
    await holdfast.done?.();
    return uncounted(result);
  };

  const [alone, together]: [Turn[], Turn[]] = [[], []];
  for (let turn = 1 - warmUps; turn <= turns; turn += 1) {
    const one = await runTurn({ name: 'reserve', server: holdfast, visit }, length);
    const two = await disturbed();
    bench.progress(`${row}: p99 alone ${one.p99.toFixed(1)} ms, beside claims ${two.p99.toFixed(1)} ms`);
    if (turn < 1) continue;
    alone.push(one);
    together.push(two);
  }
  if (bench.options.profile) await bench.profiled(row, holdfast, disturbed);
  return [
    {
      figure: spreadOf(together.map(({ p99 }, nth) => p99 / (alone[nth]?.p99 ?? NaN))),
      connections,
      sides: [sideOf('beside claims', together), sideOf('alone', alone)],
      shown: { 'claims of 1000 units': claims },
    },
  ];
};
