import { defineView, value, type Instant } from '#kernel';
import type { ImportEnded, ImportRecordEvent } from './import-record.events.js';

/** An import that has changed something. */
export interface ImportRow {
  readonly id: string;
  /** The operator, as actors are named: `operator:ann`. */
  readonly actor: string;
  readonly created_at: Instant;
  /** Null while it runs, and if nobody has seen its end. */
  readonly ended_at: Instant | null;
  readonly end: ImportEnded | null;
}

const NEWEST = { descending: 'created_at' } as const;

/** Imports by id; indexes have them in the order of their list. */
export const importsView = defineView<ImportRow, ImportRecordEvent, 'actor' | 'created_at'>({
  name: 'imports',
  version: 1,
  key: (event) => event.data.import_id,
  on: {
    'import-begun.v1': (_, { data: { import_id }, metadata: { actor, time } }) => ({
      id: import_id,
      actor,
      created_at: time,
      ended_at: null,
      end: null,
    }),
    'import-ended.v1': (row, { data, metadata }) => row && { ...row, ended_at: metadata.time, end: data },
  },
  fields: { actor: value((row) => row.actor), created_at: value((row) => row.created_at) },
  orders: [
    { by: ['actor', NEWEST], covers: [] },
    { by: [NEWEST], covers: [] },
  ],
});
