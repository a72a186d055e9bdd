import type { View } from '#kernel';
import type { SeenByView } from '#eventsourcing';
import type { MongoDb } from '../mongo-db.js';
import { checkpointOf, generationsCollection, generationsName, keptGenerations } from './generations-document.js';
import { layoutOf } from './row-document.js';

/** How far the generations of these views that were built from a log have come. */
export async function seenByViews(mongo: MongoDb, views: readonly View[], log: string): Promise<readonly SeenByView[]> {
  const named = new Map(views.map((view) => [generationsName(view), view]));
  const standings = await mongo.answer(
    generationsCollection(mongo)
      .find({ _id: { $in: [...named.keys()] } })
      .toArray(),
  );
  const seen: SeenByView[] = [];
  for (const standing of standings) {
    const view = named.get(standing._id);
    for (const { record } of keptGenerations(standing)) {
      const checkpoint = checkpointOf(record);
      // The next projector drops what was built from another log or with other fields.
      if (view === undefined || checkpoint?.log !== log || record.layout !== layoutOf(view)) continue;
      seen.push({ view: view.name, checkpoint });
    }
  }
  return seen;
}
