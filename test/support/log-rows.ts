import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Recorded } from '#kernel';
import type { Json } from './running-service.js';

/** An event of a log as somebody with an editor sees it: everything can be changed. */
export interface LogRow {
  position: bigint;
  id: string;
  stream: string;
  revision: number;
  type: string;
  time: number;
  command_id: string;
  correlation: string;
  causation: string | null;
  actor: string;
  data: Json;
}

/** Rows that can be changed, from events. */
export const rowsOf = (events: readonly Recorded[]): LogRow[] =>
  events.map(({ metadata, data, position, id, stream, revision, type }) => ({
    ...{ position, id, stream, revision, type, ...metadata },
    data: structuredClone(data),
  }));

/** Events from rows. */
export const eventsFrom = (rows: readonly LogRow[]): readonly Recorded[] =>
  rows.map(({ position, id, stream, revision, type, data, ...metadata }) => ({
    ...{ position, id, stream, revision, type, data: structuredClone(data) },
    metadata,
  }));

/** Changes the events of the log in the data folder of a stopped service. @returns what `change` returns */
export function changeLogOf<Changed>(dataDir: string, change: (rows: LogRow[]) => Changed): Changed {
  const database = new DatabaseSync(join(dataDir, 'events.db'), { readBigInts: true });
  try {
    const stored = database.prepare('SELECT * FROM events ORDER BY position').all();
    const rows = stored.map((row): LogRow => {
      const { position, id, stream, revision, type, time, command_id, correlation, causation, actor, data } = row;
      return {
        ...{ position: position as bigint, id: String(id), stream: String(stream), revision: Number(revision) },
        ...{ type: String(type), time: Number(time), command_id: String(command_id), correlation: String(correlation) },
        ...{ causation: causation as string | null, actor: String(actor), data: JSON.parse(String(data)) },
      };
    });
    const changed = change(rows);
    database.exec('BEGIN IMMEDIATE; DELETE FROM events');
    const insert = database.prepare(
      'INSERT INTO events (position, id, stream, revision, type, time, command_id, correlation, causation, actor, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    for (const row of rows) {
      const { position, id, stream, revision, type, time, command_id, correlation, causation, actor, data } = row;
      const texts = [command_id, correlation, causation, actor, JSON.stringify(data)] as const;
      insert.run(position, id, stream, revision, type, time, ...texts);
    }
    database.exec('COMMIT');
    return changed;
  } finally {
    database.close();
  }
}
