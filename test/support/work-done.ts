import { setTimeout as pause } from 'node:timers/promises';
import type { RunningService } from './running-service.js';
import { viewRowsOf } from './data-folder.js';

const PATIENCE = 60_000;

/**
 * Waits until every view has seen the whole log and no work list has a row that is due: cut-off followers are written,
 * holds past their deadline are recorded.
 */
export async function workDone(service: RunningService): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const open = await openWork(service);
    if (open.length === 0) return;
    if (Date.now() > deadline) throw new Error(`the work is not done: ${open.join('; ')}`);
    await pause(20);
  }
}

async function openWork(service: RunningService): Promise<string[]> {
  const { body } = await service.ask('GET', '/health/ready');
  const behind = (body.views as { view: string; lag: number }[]).filter(({ lag }) => lag > 0);
  if (behind.length > 0) return behind.map(({ view, lag }) => `${view} lags ${lag}`);
  const { now } = await service.operate('GET', '/clock');
  const rows = viewRowsOf(service.dataDir);
  const followers = rows.get('followers') ?? [];
  const holds = (rows.get('hold-expiry') ?? []).filter(
    ({ row }) => (row as { due_at: number }).due_at <= Date.parse(now),
  );
  return [...followers, ...holds].map(({ key }) => key);
}
