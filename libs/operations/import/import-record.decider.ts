import { defineDecider } from '#kernel';
import type { ImportBegun, ImportEnded, ImportRecordEvent } from './import-record.events.js';

export type ImportRecordCommand =
  | ({ readonly type: 'begin' } & ImportBegun)
  | { readonly type: 'end'; readonly end: ImportEnded };

export interface ImportRecordState {
  readonly status: 'none' | 'begun' | 'ended';
}

/** What an import has done. The stream's id is the import's. */
export const importRecord = defineDecider<ImportRecordCommand, ImportRecordState, ImportRecordEvent>({
  category: 'import',
  initialState: { status: 'none' },
  decide(command, { status }) {
    if (command.type === 'begin')
      return status === 'none' ? [{ type: 'import-begun.v1', data: { import_id: command.import_id } }] : [];
    return status === 'begun' ? [{ type: 'import-ended.v1', data: command.end }] : [];
  },
  evolve: (_, { type }) => ({ status: type === 'import-begun.v1' ? 'begun' : 'ended' }),
});
