import type { Bench, Measurement } from '../bench.js';
import { FOLDERS, type FolderNotes } from '../folders/folder-spec.js';
import type { Request } from '../load/visit.js';
import type { Measured } from '../result.js';
import { ratioOf, sideOf, takeTurns, type Contender } from '../turns.js';
import { openFolder, type Opened } from './catalogue.js';
import { NAMED_LISTS, type NamedList } from './named-lists.table.js';
import { byKey, byPassword } from './reads.js';
import { unlike } from './unlike.js';

/** As many as the processor has time for: with more, the time of an answer would be that of its queue. */
const CONNECTIONS = 2;

/** The time of each list of the named set with a hundred times as many deals ÷ its time with few, turn by turn. */
export const namedLists: Measurement = async (bench, row) => {
  const { few, many } = await bench.place('two regions', (cleanup) => openBoth(bench, cleanup));
  const lines: Measured[] = [];
  for (const each of NAMED_LISTS) {
    // A list that the service cannot answer shows that; the others are still measured.
    const line = await measured(bench, row, each, few, many).catch((error: unknown) => ({ failed: String(error) }));
    if ('failed' in line) bench.progress(`${row}: ${each.name}: failed: ${line.failed}`);
    lines.push({ of: each.name, ...line });
  }
  return lines;
};

async function measured(bench: Bench, row: string, each: NamedList, few: Opened, many: Opened): Promise<Measured> {
  const contender = ({ holdfast, notes }: Opened): Contender => ({
    name: `${notes.spec.listed} deals`,
    server: holdfast,
    visit: () => unlike(requestOf(each, notes)),
  });
  const [withFew, withMany] = [contender(few), contender(many)];
  const progress = (line: string): void => bench.progress(`${row}: ${each.name}: ${line}`);
  const length = { ...bench.options, connections: CONNECTIONS, load: bench.load, progress };
  const [small = [], large = []] = await takeTurns([withFew, withMany], length);
  if (bench.options.profile) {
    await bench.profiled(`${row}-${each.name}`, many.holdfast, () =>
      takeTurns([withMany], { ...length, turns: 1, warmUps: 0 }),
    );
  }
  return {
    figure: ratioOf(small, large, ({ rate }) => rate),
    connections: CONNECTIONS,
    sides: [sideOf(withMany.name, large), sideOf(withFew.name, small)],
  };
}

async function openBoth(
  bench: Bench,
  cleanup: Parameters<typeof openFolder>[1],
): Promise<{ readonly few: Opened; readonly many: Opened }> {
  const few = await openFolder(bench, cleanup, FOLDERS['small-region']);
  return { few, many: await openFolder(bench, cleanup, FOLDERS['large-region']) };
}

function requestOf({ path, v3 }: NamedList, notes: FolderNotes): Request {
  return v3 === true ? byPassword(notes, path) : byKey(notes, path);
}
