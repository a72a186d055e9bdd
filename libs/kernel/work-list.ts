import type { Directive } from './decider.js';
import type { EventBody } from './event.js';
import { defineView, value, type Field, type View, type ViewDefinition, type WorkRow } from './view.js';

/**
 * A process manager: a view of open work, and a pure function from a due row to its commands. The events of these commands
 * close the row; nothing else is stored.
 */
export interface WorkList<Row extends WorkRow = WorkRow, F extends string = string> {
  readonly name: string;
  readonly view: View<Row, F | 'due_at'>;
  /**
   * The most milliseconds between the writing of a row and its due time. A row that is due later than that from now was
   * written by a clock that was ahead, and is due immediately. Without a value, any time is possible.
   */
  readonly within?: number;
  /**
   * Absent if commands alone cannot do the work (for example, the payment gateway must be asked). A process then has a
   * `Work`.
   */
  command?(key: string, row: Row): readonly Directive[];
}

/** A work list whose rows become commands. */
export interface CommandList<Row extends WorkRow = WorkRow, F extends string = string> extends WorkList<Row, F> {
  command(key: string, row: Row): readonly Directive[];
}

/** Every work list has the field `due_at`. */
type ListDefinition<Row extends WorkRow, E extends EventBody, F extends string> = Omit<
  ViewDefinition<Row, E, F>,
  'indexes'
> &
  Pick<ViewDefinition<Row, E, F | 'due_at'>, 'indexes'>;

export function defineWorkList<Row extends WorkRow, E extends EventBody, F extends string = never>(
  definition: ListDefinition<Row, E, F> & Pick<CommandList<Row>, 'command' | 'within'>,
): CommandList<Row, F>;
export function defineWorkList<Row extends WorkRow, E extends EventBody, F extends string = never>(
  definition: ListDefinition<Row, E, F> & Pick<WorkList<Row>, 'within'>,
): WorkList<Row, F>;
export function defineWorkList<Row extends WorkRow, E extends EventBody, F extends string = never>(
  definition: ListDefinition<Row, E, F> & Pick<WorkList<Row>, 'command' | 'within'>,
): WorkList<Row, F> {
  const due_at = value<Row>((row) => row.due_at);
  const view = defineView<Row, E, F | 'due_at'>({
    ...definition,
    fields: { ...definition.fields, due_at } as Record<F | 'due_at', Field<Row>>,
    indexes: [...(definition.indexes ?? []), ['due_at']],
  });
  const { name, command, within } = definition;
  return { name, view, ...(command && { command }), ...(within !== undefined && { within }) };
}
