import type { Bench, Measurement } from '../bench.js';
import { FOLDERS, type FolderNotes } from '../folders/folder-spec.js';
import type { Request } from '../load/visit.js';
import type { Measured } from '../result.js';
import { ratioOf, sideOf, takeTurns } from '../turns.js';
import { openFolder, type Opened } from './catalogue.js';
import { NAMED_LISTS, type NamedList } from './named-lists.table.js';
import { byKey, byPassword } from './reads.js';

/** As many as the processor has time for: with more, the time of an answer would be that of its queue. */
const CONNECTIONS = 2;

/** The time of each list of the named set with a hundred times as many deals ÷ its time with few, turn by turn. */
export const namedLists: Measurement = async (bench, row) => {
  const { few, many } = await bench.place('two regions', (cleanup) => openBoth(bench, cleanup));
  const lines: Measured[] = [];
  for (const each of NAMED_LISTS) {
    const contender = (name: string, { holdfast, notes }: Opened) => ({
      name,
      server: holdfast,
      visit: () => ({ requests: [requestOf(each, notes)] }),
    });
    const names = [`${few.notes.spec.listed} deals`, `${many.notes.spec.listed} deals`] as const;
    const [small = [], large = []] = await takeTurns([contender(names[0], few), contender(names[1], many)], {
      ...bench.options,
      connections: CONNECTIONS,
      load: bench.load,
      progress: (line) => bench.progress(`${row}: ${each.name}: ${line}`),
    });
    if (bench.options.profile) {
      const length = {
        load: bench.load,
        connections: CONNECTIONS,
        seconds: bench.options.seconds,
        turns: 1,
        warmUps: 0,
      };
      await bench.profiled(`${row}-${each.name}`, many.holdfast, () =>
        takeTurns([contender(names[1], many)], { ...length, progress: bench.progress }),
      );
    }
    lines.push({
      of: each.name,
      figure: ratioOf(small, large, ({ rate }) => rate),
      connections: CONNECTIONS,
      sides: [sideOf(names[1], large), sideOf(names[0], small)],
    });
  }
  return lines;
};

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
