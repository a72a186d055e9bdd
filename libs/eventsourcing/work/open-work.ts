import type { ShownWork, View, WorkList, WorkRow } from '#kernel';
import type { CommandContext } from '../command-loop/context.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import { newCommandId } from '../events/ids.js';
import type { Clock } from '../ports/clock.js';
import type { Randomness } from '../ports/randomness.js';

/** A work list for the runner. */
export interface OpenWork<Row extends WorkRow = WorkRow> {
  readonly name: string;
  readonly view: View<Row>;
  /** As in the work list. */
  readonly within?: number | undefined;
  readonly shown: ShownWork<Row>;
  /** Does the work of one due row; the events that it causes close the row. Rejects if it could not be done now. */
  run(key: string, row: Row): Promise<void>;
}

/** Does the work of a list without commands. */
export interface Work<Row extends WorkRow = WorkRow> {
  readonly list: WorkList<Row>;
  /** As in `OpenWork`. */
  run(key: string, row: Row): Promise<void>;
}

/**
 * Combines every declared list with its commands or its `Work`.
 * @throws Error that names a list without work, a list with two, or a `Work` whose list is not declared
 */
export function openWork(
  lists: readonly WorkList[],
  works: readonly Work[],
  by: Origin & { readonly loop: Pick<CommandLoop, 'direct'> },
): readonly OpenWork[] {
  const stray = works.find(({ list }) => !lists.includes(list));
  if (stray !== undefined) throw new Error(`there is work for the list ${stray.list.name}, which no context declares`);
  return lists.map((list) => {
    const { name, view, within, shown } = list;
    const runs = works.filter((work) => work.list === list).map((work): OpenWork['run'] => work.run.bind(work));
    if (list.command !== undefined) runs.push(commandsOf(list, by));
    const [run, another] = runs;
    if (run === undefined) throw new Error(`the work list ${name} has nothing that does its work`);
    if (another !== undefined) throw new Error(`the work list ${name} has two things that do its work`);
    return { name, view, within, shown, run };
  });
}

function commandsOf(list: WorkList, by: Origin & { readonly loop: Pick<CommandLoop, 'direct'> }): OpenWork['run'] {
  return async (key, row) => {
    for (const directive of list.command?.(key, row) ?? []) {
      await by.loop.direct(directive, newContext(by, `system:${list.name}`));
    }
  };
}

/** What command ids are made from. */
export interface Origin {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The context of a command that the service itself sends. */
export function newContext({ clock, randomness }: Origin, actor: string): CommandContext {
  const commandId = newCommandId(clock.now(), randomness);
  return { commandId, correlation: commandId, actor };
}
