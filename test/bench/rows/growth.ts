import type { Bench, Measurement } from '../bench.js';
import { FOLDERS, type FolderNotes } from '../folders/folder-spec.js';
import { cpuTimeOf, memoryOf, untilIdle } from '../measure/process-use.js';
import { spreadOf } from '../measure/median.js';
import type { Measured } from '../result.js';
import { openShop, type Shop } from './buyers.js';
import { openFolder, type Opened } from './catalogue.js';
import type { Asked } from './compare-http.js';
import { ITEMS, LISTS, type ItemRow, type ListRow } from './reads.js';
import { SALES, type SalesRow } from './sales.js';

interface Grown extends Opened {
  readonly shop: Shop;
}

/** The rate of each row with a hundred times as many purchases ÷ its rate with few, turn by turn. */
export const growth: Measurement = async (bench, row) => {
  const { few, many } = await bench.place('few and many purchases', async (cleanup) => {
    const open = async (name: 'catalogue' | 'year'): Promise<Grown> => {
      const opened = await openFolder(bench, cleanup, FOLDERS[name]);
      return { ...opened, shop: await openShop(opened.holdfast.service) };
    };
    return { few: await open('catalogue'), many: await open('year') };
  });
  const lines: Measured[] = [];
  for (const [of, asked] of rowsOf(bench, few.notes.users.length)) {
    const contender = async (name: string, place: Grown) => {
      const { visit } = await asked(place);
      return { name, server: place.holdfast, visit };
    };
    const small = await contender(`${few.notes.spec.purchases} purchases`, few);
    const large = await contender(`${many.notes.spec.purchases} purchases`, many);
    lines.push({ of, ...(await bench.compare(`${row}-${of}`, large, [small])) });
  }
  return lines;
};

/** What each row asks of a service. */
function rowsOf(bench: Bench, users: number): readonly (readonly [string, (place: Grown) => Asked | Promise<Asked>])[] {
  const lists = Object.keys(LISTS) as ListRow[];
  return [
    ...(Object.keys(ITEMS) as ItemRow[]).map((row) => [row, ({ notes }: Grown) => ITEMS[row](notes)] as const),
    // As many users in both: the service remembers what their lists show.
    ...lists.map((row) => [row, ({ notes }: Grown) => LISTS[row](firstUsers(notes, users))] as const),
    // All users: in the large folder there are so many that what a list shows is made again each time.
    ...(['purchases', 'coupons'] as const).map(
      (row) => [`${row} of all users`, ({ notes }: Grown) => LISTS[row](notes)] as const,
    ),
    ...(Object.keys(SALES) as SalesRow[]).map((row) => [row, ({ shop }: Grown) => SALES[row](shop, bench)] as const),
  ];
}

function firstUsers(notes: FolderNotes, most: number): FolderNotes {
  return { ...notes, users: notes.users.slice(0, most) };
}

/** Milliseconds for Node to give memory back. */
const AFTER = 10_000;

/** What the service needs when it has answered some calls. */
export const memoryLarge: Measurement = async (bench) => {
  const cleanup = bench.newCleanup();
  const { holdfast, notes } = await openFolder(bench, cleanup, FOLDERS.year);
  const { processes, ports } = holdfast;
  await untilIdle(() => cpuTimeOf(processes));
  const ready = memoryOf(processes);
  const { seconds, connections } = bench.options;
  for (const row of ['v1-region', 'purchases'] as const) {
    await bench.load.run({ ports, connections, seconds, visit: await LISTS[row](notes).visit() });
  }
  await bench.load.run({ ports, connections, seconds, visit: await ITEMS['get-purchase'](notes).visit() });
  const loaded = memoryOf(processes);
  await new Promise((resolve) => setTimeout(resolve, AFTER));
  const rested = memoryOf(processes);
  await cleanup.run();
  return [{ figure: spreadOf([rested]), shown: { 'when it is ready': ready, 'under load': loaded } }];
};
