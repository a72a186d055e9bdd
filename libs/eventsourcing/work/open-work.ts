import { newCommandId, type View, type WorkList, type WorkRow } from '#kernel';
import type { CommandContext } from '../command-loop/context.js';
import type { CommandLoop } from '../command-loop/command-loop.js';
import type { Clock } from '../ports/clock.js';

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
export function commandWork<Row extends WorkRow>(list: WorkList<Row>, loop: CommandLoop, clock: Clock): OpenWork<Row> {
  return {
    name: list.name,
    view: list.view,
    within: list.within,
    async run(key, row) {
      for (const directive of list.command(key, row)) {
        await loop.direct(directive, newContext(clock, `system:${list.name}`));
      }
    },
  };
}

/** The context of a command that the service sends by itself. */
export function newContext(clock: Clock, actor: string): CommandContext {
  const commandId = newCommandId(clock.now());
  return { commandId, correlation: commandId, actor };
}
