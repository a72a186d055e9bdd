import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { View } from '#kernel';
import type { Checkpoint, SeenByView } from '#eventsourcing/ports';
import { checkpointIn } from './generation.js';
import { GenerationFiles } from './generation-files.js';
import { layoutOf, schemaOf } from './schema.js';

/** How far the finished generations of these views that were built from a log have come. */
export function seenByFiles(folder: string, views: readonly View[], log: string): readonly SeenByView[] {
  // It may be deleted at any time: the log rebuilds it.
  if (!existsSync(folder)) return [];
  return views.flatMap((view) => {
    const files = new GenerationFiles(folder, view);
    return files.finished().flatMap((number) => {
      const checkpoint = checkpointOf(files.path(number), view);
      return checkpoint?.log === log ? [{ view: view.name, checkpoint }] : [];
    });
  });
}

function checkpointOf(path: string, view: View): Checkpoint | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    const { layout } = database.prepare('SELECT layout FROM meta').get() as { readonly layout: string };
    // The projector drops what was built with other fields.
    return layout === layoutOf(schemaOf(view)) ? checkpointIn(database) : undefined;
  } catch {
    // A file that cannot be read proves nothing; the projector finds that too, and reports it.
    return undefined;
  } finally {
    database?.close();
  }
}
