import { statSync } from 'node:fs';
import type { Instant, Position, View } from '#kernel';
import type { Checkpoint } from '#eventsourcing/ports';
import { openReadOnly } from '../open-read-only.js';
import { checkpointIn } from './generation.js';
import { GenerationFiles } from './generation-files.js';
import { columnOf, layoutOf, schemaOf } from './schema.js';

/** The live generation of a view on disk. */
export interface ViewInspection {
  readonly view: string;
  /** null if there is none. */
  readonly generation: number | null;
  /** How far it has come; undefined if there is none, if it has seen nothing, or if it cannot be read. */
  readonly checkpoint: Checkpoint | undefined;
  /** What is wrong with it; undefined for nothing. */
  readonly fault: string | undefined;
  /** The rows that are due; null for a view that is no work list. */
  readonly due: DueRows | null;
}

/** Rows of a work list that are due. */
export interface DueRows {
  readonly rows: number;
  /** When the oldest of them was due. */
  readonly since: Instant | null;
}

/** The most due rows of a list that are counted: there is then more than anybody reads. */
const MOST_COUNTED = 100_000;

/**
 * Reads how far the live generations of views in a folder that nobody uses have come, and writes nothing.
 * @param work the names of the views that are work lists, and the time at which their rows are due
 */
export function inspectViews(
  folder: string,
  views: readonly View[],
  work: { readonly names: ReadonlySet<string>; readonly now: Instant },
): readonly ViewInspection[] {
  return views.map((view) => {
    const nothing = { view: view.name, generation: null, checkpoint: undefined, fault: undefined, due: null };
    const files = new GenerationFiles(folder, view);
    const generation = files.live();
    if (generation === undefined || statSync(files.path(generation), { throwIfNoEntry: false }) === undefined)
      return nothing;
    try {
      return { ...nothing, generation, ...inspect(files.path(generation), view, work) };
    } catch (error) {
      // SQLite's words about a file have nothing of its rows.
      return { ...nothing, generation, fault: (error as Error).message };
    }
  });
}

function inspect(
  path: string,
  view: View,
  { names, now }: { readonly names: ReadonlySet<string>; readonly now: Instant },
): Pick<ViewInspection, 'checkpoint' | 'fault' | 'due'> {
  const opened = openReadOnly(path);
  const { database } = opened;
  try {
    const { layout } = database.prepare('SELECT layout FROM meta').get() as { readonly layout: string };
    if (layout !== layoutOf(schemaOf(view)))
      return { checkpoint: undefined, fault: 'another build made it with other fields', due: null };
    const checkpoint = checkpointIn(database);
    if (!names.has(view.name)) return { checkpoint, fault: undefined, due: null };
    const due = columnOf('due_at');
    const { rows, since } = database
      .prepare(
        `SELECT count(*) AS rows, min(due) AS since FROM (SELECT ${due} AS due FROM rows WHERE ${due} <= ? ORDER BY ${due} LIMIT ${MOST_COUNTED})`,
      )
      .get(now) as { readonly rows: number; readonly since: number | null };
    return { checkpoint, fault: undefined, due: { rows, since } };
  } finally {
    opened.close();
  }
}

/** How many events a view is behind a dense log; null if it has no generation that can be read, or one of another log. */
export function lagOf({ generation, checkpoint, fault }: ViewInspection, log: string, head: Position): number | null {
  if (generation === null || fault !== undefined) return null;
  if (checkpoint === undefined) return Number(head);
  return checkpoint.log === log ? Number(head - checkpoint.position) : null;
}
