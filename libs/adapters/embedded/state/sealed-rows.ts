import type { SealedRows } from '#eventsourcing';
import { forThread } from './messages.js';
import type { StateLink } from './state-link.js';

/** The sealed rows of state.db. */
export function sealedRowsOf(link: StateLink): SealedRows {
  return {
    part: (kind, after) => link.request({ op: 'sealed-part', kind, after }),
    async reseal(rows) {
      await link.request({ op: 'reseal', rows: rows.map((row) => ({ ...row, again: forThread(row.again) })) });
    },
  };
}
