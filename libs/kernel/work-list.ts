import type { Directive } from './decider.js';
import type { EventBody, EventOf, Recorded } from './event.js';
import type { Instant } from './instant.js';
import { defineView, value, type Field, type View, type ViewDefinition, type WorkRow } from './view.js';

/** An operator has ended open work for good (ruling G6.2): its row goes. */
export type WorkAbandoned = EventOf<
  'work-abandoned.v1',
  { readonly list: string; readonly key: string; readonly reason: string }
>;

/** What operators see of the work of a list (ruling G6.2). */
export interface ShownWork<Row extends WorkRow = WorkRow> {
  /** What its work does, in one sentence. */
  readonly does: string;
  /** The ids that a row is about, by the names that calls give them. */
  about(key: string, row: Row): Readonly<Record<string, string>>;
  /** Since when it is open; absent if no row knows. */
  openedAt?(row: Row): Instant;
  /** What to do instead of abandoning a row. Absent if an operator may abandon it: then `work-abandoned` removes it. */
  insteadOfAbandoning?(key: string, row: Row): string;
}

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
  readonly shown: ShownWork<Row>;
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
  definition: ListDefinition<Row, E, F> & Pick<CommandList<Row>, 'command' | 'within' | 'shown'>,
): CommandList<Row, F>;
export function defineWorkList<Row extends WorkRow, E extends EventBody, F extends string = never>(
  definition: ListDefinition<Row, E, F> & Pick<WorkList<Row>, 'within' | 'shown'>,
): WorkList<Row, F>;
export function defineWorkList<Row extends WorkRow, E extends EventBody, F extends string = never>(
  definition: ListDefinition<Row, E, F> & Pick<WorkList<Row>, 'command' | 'within' | 'shown'>,
): WorkList<Row, F> {
  const due_at = value<Row>((row) => row.due_at);
  const view = defineView<Row, E, F | 'due_at'>({
    ...definition,
    fields: { ...definition.fields, due_at } as Record<F | 'due_at', Field<Row>>,
    indexes: [...(definition.indexes ?? []), ['due_at']],
  });
  const { name, command, within, shown } = definition;
  return {
    name,
    view: shown.insteadOfAbandoning === undefined ? withoutAbandoned(view) : view,
    shown,
    ...(command && { command }),
    ...(within !== undefined && { within }),
  };
}

const ABANDONED: WorkAbandoned['type'] = 'work-abandoned.v1';

/** The same view, in which the row goes that an operator abandons. */
function withoutAbandoned<Row extends WorkRow, F extends string>(view: View<Row, F>): View<Row, F> {
  return {
    ...view,
    types: new Set([...view.types, ABANDONED]),
    keys: (event) => (isAbandoned(event) ? abandonedIn(view.name, event) : view.keys(event)),
    apply: (row, event, key) => (isAbandoned(event) ? undefined : view.apply(row, event, key)),
  };
}

function isAbandoned(event: Recorded): event is Recorded<WorkAbandoned> {
  return event.type === ABANDONED;
}

function abandonedIn(name: string, { data: { list, key } }: Recorded<WorkAbandoned>): readonly string[] {
  return list === name ? [key] : [];
}
