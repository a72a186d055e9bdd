import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedLogReader } from '#adapters/embedded';
import type { Recorded } from '#kernel';
import { newDataDir } from './running-service.js';

const PAGE = 10_000;

/** A row of a view as its file holds it. */
export interface ViewRow {
  readonly key: string;
  readonly position: number;
  readonly row: unknown;
}

/** A copy of the data folder of a service that does not run. */
export function copyOf(dataDir: string): string {
  const copy = newDataDir();
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

export function remove(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Every event of a data folder, in log order. */
export async function eventsOf(dataDir: string): Promise<readonly Recorded[]> {
  const log = EmbeddedLogReader.open(join(dataDir, 'events.db'));
  try {
    const events: Recorded[] = [];
    for await (const batch of log.subscribe(0n, PAGE, new AbortController().signal)) {
      events.push(...batch.events);
      if (batch.caughtUp) break;
    }
    return events;
  } finally {
    await log.close();
  }
}

/** The rows of every view, by the view's name and in the order of their keys. The service may be running. */
export function viewRowsOf(dataDir: string): ReadonlyMap<string, readonly ViewRow[]> {
  const folder = join(dataDir, 'views');
  const views = new Map<string, readonly ViewRow[]>();
  for (const file of readdirSync(folder).sort()) {
    const name = /^(.+)\.v\d+\.g\d+\.db$/.exec(file)?.[1];
    if (name !== undefined) views.set(name, rowsIn(join(folder, file)));
  }
  return views;
}

/** The rows of one view; undefined while it has none to read. */
export function rowsOfView(dataDir: string, view: string): readonly ViewRow[] | undefined {
  return viewRowsOf(dataDir).get(view);
}

function rowsIn(file: string): readonly ViewRow[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    const rows = database.prepare('SELECT key, position, row FROM rows ORDER BY key').all();
    return rows.map(({ key, position, row }) => ({
      key: String(key),
      position: Number(position),
      row: JSON.parse(String(row)) as unknown,
    }));
  } finally {
    database.close();
  }
}
