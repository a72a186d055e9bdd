import { isoTime, type Recorded } from '#kernel';
import { withShownTimes } from '../event/shown-times.js';
import type { Data } from './values.js';

/** The name and version of the lines of an export. A change of their form or order changes it. */
export const EXPORT_FORMAT = 'holdfast-deal-events/v1';

/** An event in the export of a deal: what auditors see of it everywhere, without its words. */
export interface ExportedEvent {
  /** In digits. */
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** ISO 8601 in UTC, like all times of `data`. */
  readonly time: string;
  readonly actor: string;
  readonly cause: string | null;
  readonly command_id: string;
  readonly correlation: string;
  readonly data: Data;
}

/** A line between the first and the last one of an export (docs/certificate.md). */
export type ExportLine =
  | ExportedEvent
  /** What follows belongs to the start with this revision of the inventory, which nothing has closed. */
  | { readonly open: { readonly revision: number } }
  /** A stream that nobody can read from this revision on, because it has a gap or a broken event. */
  | { readonly unreadable: { readonly stream: string; readonly from: number } };

/** The first line of an export. */
export interface ExportBegin {
  readonly export: {
    readonly format: typeof EXPORT_FORMAT;
    readonly deal: string;
    /** The last position of the log that the export may show, in digits, and the time of the event there. */
    readonly position: string;
    readonly time: string;
  };
}

/** An event as a line of the export has it. */
export function exportedEvent({ position, stream, revision, type, data, metadata }: Recorded): ExportedEvent {
  const { time, actor, causation, command_id, correlation } = metadata;
  return {
    position: position.toString(),
    stream,
    revision,
    type,
    time: isoTime(time),
    actor,
    cause: causation,
    command_id,
    correlation,
    data: withShownTimes(data),
  };
}
