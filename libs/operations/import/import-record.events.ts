// The log holds these names: they never change.
import { defineEventTypes, type EventOf } from '#kernel';

/** An import has changed something for the first time. One that changes nothing has no events. */
export interface ImportBegun {
  /** The correlation of all events that the import has written. */
  readonly import_id: string;
}

/** An import has ended. */
export interface ImportEnded {
  readonly import_id: string;
  /** Whether every line has run or was refused; otherwise it broke off. */
  readonly whole: boolean;
  readonly lines: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly refused: number;
  /** The changed lines of each kind. */
  readonly regions: number;
  readonly deals: number;
  readonly partners: number;
  readonly users: number;
}

export type ImportRecordEvent = EventOf<'import-begun.v1', ImportBegun> | EventOf<'import-ended.v1', ImportEnded>;

export const importRecordEvents = defineEventTypes<ImportRecordEvent>('import', {
  'import-begun.v1': true,
  'import-ended.v1': true,
});
