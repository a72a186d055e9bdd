import type { Measurement } from '../bench.js';
import { FOLDERS } from '../folders/folder-spec.js';
import { spreadOf } from '../measure/median.js';
import { runTurn, sideOf, uncounted, type Turn } from '../turns.js';
import { openShop } from './buyers.js';
import { openPlace } from './catalogue.js';
import { rebuildSeconds } from './projections.js';
import { LISTS } from './reads.js';
import { SALES } from './sales.js';

/** Callers who ask for one list after another. */
const LISTING = 4;
const REBUILT = 'deal-listing';

/** p99 of a reserve while others list deals and an operator rebuilds a view, against its p99 alone, turn by turn. */
export const beside: Measurement = async (bench, row) => {
  const { holdfast, notes } = await openPlace(bench, FOLDERS.catalogue);
  const { turns, warmUps, seconds, connections } = bench.options;
  const shop = await openShop(holdfast.service);
  const { visit } = await SALES.reserve(shop);
  const reserve = { name: 'reserve', server: holdfast, visit };
  const length = { load: bench.load, seconds, connections };

  const disturbed = async (): Promise<Turn> => {
    const over = new AbortController();
    const rebuilds = (async () => {
      while (!over.signal.aborted) await rebuildSeconds(holdfast.service, [REBUILT]);
    })();
    const lists = bench.beside.run({
      ports: holdfast.ports,
      connections: LISTING,
      seconds,
      visit: await LISTS['v1-region'](notes).visit(),
    });
    const { ports } = holdfast;
    const result = await bench.load.run({ ports, connections, seconds, visit: await visit() });
    over.abort();
    await Promise.all([rebuilds, lists]);
    return uncounted(result);
  };

  const [alone, together]: [Turn[], Turn[]] = [[], []];
  for (let turn = 1 - warmUps; turn <= turns; turn += 1) {
    const one = await runTurn(reserve, length);
    const other = await disturbed();
    bench.progress(`${row}: p99 alone ${one.p99.toFixed(1)} ms, beside lists and a rebuild ${other.p99.toFixed(1)} ms`);
    if (turn < 1) continue;
    alone.push(one);
    together.push(other);
  }
  if (bench.options.profile) await bench.profiled(row, holdfast, disturbed);
  return [
    {
      figure: spreadOf(together.map(({ p99 }, nth) => p99 / (alone[nth]?.p99 ?? NaN))),
      connections,
      sides: [sideOf('beside lists and a rebuild', together), sideOf('alone', alone)],
    },
  ];
};
