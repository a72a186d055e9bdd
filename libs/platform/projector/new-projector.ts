import type { EventLogReader, Time, ViewStore } from '#eventsourcing/ports';
import { isLossKnown, isMissingKnown, PaceSignals, Projector } from '#eventsourcing/projections';
import { codec, viewsOn } from '../registry.js';
import type { ProjectorListener, ProjectorThreadData } from './projector-thread.js';

/** The projector of all views on this log and store. It does not run yet. */
export function newProjector(
  { log, store, time }: { readonly log: EventLogReader; readonly store: ViewStore; readonly time: Time },
  {
    dueRows,
    accepted,
    seenBefore,
    signals,
    traced,
  }: Pick<ProjectorThreadData, 'dueRows' | 'accepted' | 'seenBefore' | 'signals' | 'traced'>,
  on: Pick<ProjectorListener, 'report' | 'notice' | 'found'>,
): Projector {
  return new Projector({
    log,
    store,
    codec,
    views: viewsOn(log),
    time,
    dueRows,
    seenBefore,
    signals: signals && new PaceSignals(signals),
    report: (report, batch) => on.report(report, batch),
    notice: (text) => on.notice(text),
    traced,
    found: (finding) => on.found(finding),
    // A view may have seen events that an accepted, shorter log has lost: then it may be rebuilt.
    mayRebuild: (finding, seen) => isLossKnown(finding, seen, accepted),
    isMissingKnown: (finding) => isMissingKnown(finding, accepted),
  });
}
