import type { Bench, Measurement } from '../bench.js';
import { FOLDERS } from '../folders/folder-spec.js';
import { spreadOf } from '../measure/median.js';
import type { Measured, Side } from '../result.js';
import { sideOf, takeTurns } from '../turns.js';
import { openPlace } from './catalogue.js';
import { LISTS, type ListRow } from './reads.js';

/** As the row says. */
const CONNECTIONS = 64;

/** p99 ÷ p50 of each list: of the turns of its own row, if that was measured with as many connections. */
export const spread: Measurement = async (bench) => {
  const lines: Measured[] = [];
  for (const of of Object.keys(LISTS) as ListRow[]) {
    const side = measuredBefore(bench, of) ?? (await measured(bench, of));
    lines.push({ of, figure: spreadOf([side.p99 / side.p50]), connections: CONNECTIONS, sides: [side] });
  }
  return lines;
};

function measuredBefore({ lines }: Bench, of: ListRow): Side | undefined {
  return lines.find(({ row, connections }) => row === of && connections === CONNECTIONS)?.sides?.[0];
}

async function measured(bench: Bench, of: ListRow): Promise<Side> {
  const { holdfast, notes } = await openPlace(bench, FOLDERS.catalogue);
  const [turns = []] = await takeTurns([{ name: of, server: holdfast, visit: () => LISTS[of](notes).visit() }], {
    ...bench.options,
    connections: CONNECTIONS,
    load: bench.load,
    progress: (line) => bench.progress(`spread: ${line}`),
  });
  return sideOf('Holdfast', turns);
}
