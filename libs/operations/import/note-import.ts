import { later, type Time, Unavailable, withCallDeadline, type CommandContext, type Writer } from '#eventsourcing';
import type { Importer } from './importer.js';
import { importRecord } from './import-record.decider.js';

/** Notes in the log that an import has begun to change something. */
export async function noteBegin(writer: Writer, context: CommandContext): Promise<void> {
  await writer.execute(importRecord, context.correlation, { type: 'begin', import_id: context.correlation }, context);
}

/** Notes what an import has done, if it has changed something. If that cannot be written now, its list shows it without an end. */
export async function noteEnd(
  { writer, time }: { readonly writer: Writer; readonly time: Time },
  importer: Importer,
  context: CommandContext,
): Promise<void> {
  const { lines, changed, unchanged, refused } = importer.counts;
  if (changed === 0) return;
  const { region: regions, deal: deals, partner: partners, user: users } = importer.changed;
  const counts = { lines, changed, unchanged, refused, regions, deals, partners, users };
  const end = { import_id: context.correlation, whole: importer.isWhole, ...counts };
  try {
    // An import takes longer than a call may: like each of its lines, this has a time of its own.
    const { position } = await withCallDeadline(time, () =>
      writer.execute(importRecord, context.correlation, { type: 'end', end }, context),
    );
    importer.position = later(importer.position, position);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
}
