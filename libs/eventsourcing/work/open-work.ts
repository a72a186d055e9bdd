import type { View, WorkList, WorkRow } from '#kernel';
import type { CommandContext } from '../command-loop/context.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import { newCommandId } from '../ids.js';
import type { Clock } from '../ports/clock.js';
import type { Randomness } from '../ports/randomness.js';

/** A work list as its runner sees it. */
export interface OpenWork<Row extends WorkRow = WorkRow> {
  readonly name: string;
  readonly view: View<Row>;
  /** As in the work list. */
  readonly within?: number | undefined;
  /** Does the work of one due row; the events that it causes close the row. Rejects when it could not be done now. */
  run(key: string, row: Row): Promise<void>;
}

/** The work of a list whose rows become commands. */
export function commandWork<Row extends WorkRow>(
  list: WorkList<Row>,
  loop: CommandLoop,
  origin: Origin,
): OpenWork<Row> {
  return {
    name: list.name,
    view: list.view,
    within: list.within,
    async run(key, row) {
      for (const directive of list.command(key, row)) {
        await loop.direct(directive, newContext(origin, `system:${list.name}`));
      }
    },
  };
}

/** What the ids of commands are made of. */
export interface Origin {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The context of a command that the service sends by itself. */
export function newContext({ clock, randomness }: Origin, actor: string): CommandContext {
  const commandId = newCommandId(clock.now(), randomness);
  return { commandId, correlation: commandId, actor };
}
