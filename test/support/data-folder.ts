import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EventLog, EventLogReader, ViewReader } from '#eventsourcing';
import type { Recorded } from '#kernel';
import { sharedEngines, sharedLogOf, sharedViewsOf } from './cluster.js';
import { newDataDir, type Json } from './running-service.js';

const PAGE = 10_000;
/** Loaded only when they are used: most specs need one of them, and each has a hundred files and more. */
const inFolder = async () => import('#adapters/embedded');
const onServer = async () => import('#adapters/eventstoredb');

/** A row of a view as its file holds it. */
export interface ViewRow {
  readonly key: string;
  readonly position: number;
  readonly row: unknown;
}

/** A copy of the data folder of a stopped service. */
export function copyOf(dataDir: string): string {
  const copy = newDataDir();
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

export function remove(dataDir: string): void {
  rmSync(dataDir, { recursive: true, force: true });
}

/** The log of a stopped service's data folder, open for writing. */
export async function openLogOf(dataDir: string): Promise<EventLog> {
  const engines = sharedEngines();
  if (engines === undefined) return (await inFolder()).EmbeddedLog.open({ file: join(dataDir, 'events.db') });
  const { EventStoreDbLog } = await onServer();
  return EventStoreDbLog.open(sharedLogOf(dataDir, engines));
}

/** Every event of a data folder's service, in log order. */
export async function eventsOf(dataDir: string): Promise<readonly Recorded[]> {
  const engines = sharedEngines();
  const log =
    engines === undefined
      ? (await inFolder()).EmbeddedLogReader.open(join(dataDir, 'events.db'))
      : await (await onServer()).EventStoreDbLogReader.open(sharedLogOf(dataDir, engines));
  return eventsIn(log);
}

/** Every event of a log, in its order; closes the reader. */
export async function eventsIn(log: EventLogReader): Promise<readonly Recorded[]> {
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

/**
 * What a running service has noted on disk under a name, beside its keys; undefined before. It keeps its file locked, so this
 * reads a copy.
 */
export function notedIn(dataDir: string, name: 'mark' | 'ledger' | 'log searched'): Json {
  const copy = newDataDir();
  for (const file of readdirSync(dataDir).filter((each) => /^state\.db(-wal)?$/.test(each)))
    cpSync(join(dataDir, file), join(copy, file));
  const database = new DatabaseSync(join(copy, 'state.db'));
  try {
    const row = database.prepare('SELECT value FROM facts WHERE name = ?').get(name);
    return row === undefined ? undefined : JSON.parse(String(row['value']));
  } finally {
    database.close();
    remove(copy);
  }
}

/** Whether to read a view. */
type Wanted = (view: string) => boolean;

/** The rows of every view's live generation, by the view's name and in the order of their keys. The service may be running. */
export async function viewRowsOf(
  dataDir: string,
  wanted: Wanted = () => true,
): Promise<ReadonlyMap<string, readonly ViewRow[]>> {
  const engines = sharedEngines();
  const url = engines && sharedViewsOf(dataDir, engines);
  return url === undefined ? rowsInFolder(join(dataDir, 'views'), wanted) : rowsInDatabase(url, wanted);
}

/** The rows of one view; undefined while it cannot be read. */
export async function rowsOfView(dataDir: string, view: string): Promise<readonly ViewRow[] | undefined> {
  return (await viewRowsOf(dataDir, (name) => name === view)).get(view);
}

async function rowsInDatabase(url: string, wanted: Wanted): Promise<ReadonlyMap<string, readonly ViewRow[]>> {
  const { views } = await import('#platform/model');
  const { MongoDb, MongoDbViewReaders } = await import('#adapters/mongodb');
  const mongo = await MongoDb.connect(url);
  try {
    const readers = new MongoDbViewReaders(mongo);
    const rows = new Map<string, readonly ViewRow[]>();
    for (const view of views.filter(({ name }) => wanted(name)))
      rows.set(view.name, await rowsOf(readers.reader(view)));
    return rows;
  } finally {
    await mongo.close();
  }
}

/** Every row that a reader of a view finds, in the order of their keys. */
export async function rowsOf(reader: ViewReader): Promise<readonly ViewRow[]> {
  const { everything } = await import('#eventsourcing');
  const rows: ViewRow[] = [];
  for (let page = 1; ; page += 1) {
    const query = { where: everything, sort: [{ field: 'key', descending: false }], page, perPage: PAGE };
    const found = await reader.find(query);
    rows.push(...found.map(({ key, position, row }) => ({ key, position: Number(position), row })));
    if (found.length < PAGE) return rows;
  }
}

function rowsInFolder(folder: string, wanted: Wanted): ReadonlyMap<string, readonly ViewRow[]> {
  const found = new Map<string, readonly ViewRow[]>();
  for (const file of readdirSync(folder).sort()) {
    const [, stem, name] = /^((.+)\.v\d+)\.live$/.exec(file) ?? [];
    if (stem === undefined || name === undefined || !wanted(name)) continue;
    const { live } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { live: number | null };
    if (live !== null) found.set(name, rowsIn(join(folder, `${stem}.g${live}.db`)));
  }
  return found;
}

/** The rows of one generation of a view on the embedded store, live or not. */
export function rowsOfGeneration(dataDir: string, view: string, generation: number): readonly ViewRow[] {
  return rowsIn(fileOfGeneration(dataDir, view, generation));
}

/** The file of a finished generation. */
export function fileOfGeneration(dataDir: string, view: string, generation: number): string {
  const folder = join(dataDir, 'views');
  const isIts = (file: string): boolean =>
    file.startsWith(`${view}.v`) && new RegExp(`^\\.v\\d+\\.g${generation}\\.db$`).test(file.slice(view.length));
  const file = readdirSync(folder).find(isIts);
  if (file === undefined) throw new Error(`${view} has no generation ${generation}`);
  return join(folder, file);
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
