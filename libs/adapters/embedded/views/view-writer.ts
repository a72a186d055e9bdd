import { closeSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { thisMachine } from '#adapters/machine';
import type { View } from '#kernel';
import type { Checkpoint, RowChange, StoredRow, ViewWriter } from '#eventsourcing/ports';
import { checkpointIn, openLive, Phase } from './generation.js';
import { BUILDING } from './generation-files.js';
import { RowTables } from './row-tables.js';
import { type Schema, schemaOf } from './schema.js';
import { Statements } from './statements.js';

/** Beyond so many bytes the write-ahead log is written back whole, which has to wait for readers. */
const WAL_LIMIT = 32 * 1024 * 1024;
/** How long that waits, in milliseconds; readers renew their view more often than this. */
const WAL_PATIENCE = 50;

/**
 * Writes one generation. Rows and checkpoint are one transaction, so the checkpoint is never ahead of the rows nor behind
 * them; therefore a removed row needs no tombstone: every event before the removal is before the checkpoint too, and comes
 * again only to a generation that begins anew.
 */
export class EmbeddedViewWriter implements ViewWriter {
  private readonly schema: Schema;
  private statements: Statements;
  private tables: RowTables;
  private brokenOff = false;

  constructor(
    private database: DatabaseSync,
    private readonly path: string,
    view: View,
    readonly log: string,
    private building: boolean,
  ) {
    this.schema = schemaOf(view);
    this.statements = new Statements(database);
    this.tables = new RowTables(this.statements, this.schema);
  }

  async checkpoint(): Promise<Checkpoint | undefined> {
    return checkpointIn(this.database);
  }

  async load(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    return new Map(keys.length === 0 ? [] : this.tables.load(keys).map((row) => [row.key, row]));
  }

  /** A write that fails leaves a live generation as it was; one that is being built breaks off, for it has no journal. */
  async write(changes: readonly RowChange[], checkpoint: Checkpoint): Promise<void> {
    if (this.brokenOff) throw new Error('the generation broke off in an earlier write');
    if (checkpoint.log !== this.log) throw new Error('the checkpoint names another log');
    this.database.exec('BEGIN IMMEDIATE');
    try {
      for (const change of changes) this.tables.change(change);
      this.statements.of('UPDATE meta SET position = ?, event = ?').run(checkpoint.position, checkpoint.event);
      this.database.exec('COMMIT');
    } catch (error) {
      if (this.building) this.brokenOff = true;
      else {
        this.database.exec('ROLLBACK');
        this.tables.forget();
      }
      throw error;
    }
    if (!this.building) this.keepLogShort();
  }

  async finish(): Promise<void> {
    if (!this.building) return;
    if (this.brokenOff) throw new Error('the generation broke off in an earlier write');
    for (const index of this.schema.indexes) {
      this.database.exec(index);
      // Whatever else this thread does has its turn.
      await thisMachine.time.turn();
    }
    this.statements.of('UPDATE meta SET finished = ?').run(Phase.BESIDE);
    // The file says from now on that it has a write-ahead log, so that nobody has to switch it under the readers' eyes.
    this.database.exec('PRAGMA journal_mode = WAL');
    this.database.close();
    sync(this.path + BUILDING);
    // Should a power cut undo the renaming, the generation counts as half built and is built again.
    renameSync(this.path + BUILDING, this.path);
    this.database = openLive(this.path);
    this.statements = new Statements(this.database);
    this.tables = new RowTables(this.statements, this.schema);
    this.building = false;
  }

  /** False once it is closed, and for a generation that broke off while it was built. */
  get usable(): boolean {
    return this.database.isOpen && !this.brokenOff;
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.database.close();
  }

  /**
   * SQLite writes the log back as it goes, but begins it anew only when no reader needs it, and under load one always does.
   * So once it is long we wait for the moment between two readers, and try again after the next write if there is none.
   */
  private keepLogShort(): void {
    if (statSync(`${this.path}-wal`).size < WAL_LIMIT) return;
    const { timeout } = this.database.prepare('PRAGMA busy_timeout').get() as { timeout: number };
    this.database.exec(
      `PRAGMA busy_timeout = ${WAL_PATIENCE}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${timeout}`,
    );
  }
}

/** No other connection may have the file open: closing a file frees every lock that its process holds on it. */
function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
