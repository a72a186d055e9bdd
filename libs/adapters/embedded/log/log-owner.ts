import type { LogOwner } from '#eventsourcing/ports';
import { openConnection } from './log-file.js';

/** How long it waits for the writer's thread, in milliseconds. */
const BUSY_TIMEOUT = 5_000;

/** Names the owner of an open log, durably, if its owner is still `before`. @returns whether it was */
export function nameOwner(file: string, before: LogOwner | undefined, owner: LogOwner): boolean {
  const db = openConnection(file, BUSY_TIMEOUT);
  try {
    const { changes } = db
      .prepare(
        'UPDATE meta SET installation = ?, keys = ?, ledger = ? WHERE installation IS ? AND keys IS ? AND ledger IS ?',
      )
      .run(...columnsOf(owner), ...columnsOf(before));
    return changes === 1;
  } finally {
    db.close();
  }
}

function columnsOf(owner: LogOwner | undefined): (string | null)[] {
  return [owner?.installation ?? null, owner?.keys ?? null, owner?.ledger ?? null];
}
