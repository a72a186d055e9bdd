import type { Measurement } from '../bench.js';
import type { Holdfast } from '../servers/holdfast.js';
import { ratioOf, sideOf, takeTurns, type Contender } from '../turns.js';
import { openShop, type Shop } from './buyers.js';
import { newShop, SALES } from './sales.js';

/** Processor time of all our processes per reserve, against that of one process on the embedded engines, turn by turn. */
export const reserveCpu: Measurement = async (bench, row) => {
  const place = await newShop(bench);
  const ours = await contender('Holdfast', place);
  const cleanup = bench.newCleanup();
  const embedded = await bench.startEmbedded(cleanup, bench.newFolder());
  const theirs = await contender('embedded', { holdfast: embedded, shop: await openShop(embedded.service) });
  const { connections } = bench.options;
  const progress = (line: string): void => bench.progress(`${row}: ${line}`);
  const length = { ...bench.options, load: bench.load, progress };
  const [own = [], others = []] = await takeTurns([ours, theirs], length);
  await cleanup.run();
  if (bench.options.profile) {
    await bench.profiled(row, place.holdfast, () => takeTurns([ours], { ...length, turns: 1, warmUps: 0 }));
  }
  return [
    {
      figure: ratioOf(own, others, ({ serverCpu }) => serverCpu ?? NaN),
      connections,
      sides: [sideOf(ours.name, own), sideOf(theirs.name, others)],
    },
  ];
};

async function contender(
  name: string,
  { holdfast, shop }: { readonly holdfast: Holdfast; readonly shop: Shop },
): Promise<Contender> {
  const { visit } = await SALES.reserve(shop);
  return { name, server: holdfast, visit };
}
