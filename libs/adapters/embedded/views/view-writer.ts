import { closeSync, fsyncSync, openSync, renameSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { thisMachine } from '#adapters/machine';
import type { View } from '#kernel';
import { type Checkpoint, type RowChange, type StoredRow, ViewDamaged, type ViewWriter } from '#eventsourcing/ports';
import { checkpointIn, damageWords, isCorrupt, openLive, Phase, withRoom } from './generation.js';
import { BUILDING } from './generation-files.js';
import { RowTables } from './row-tables.js';
import { type Schema, schemaOf } from './schema.js';
import { Statements } from './statements.js';

/** Beyond this many bytes the whole write-ahead log is written back, which must wait for readers. */
const WAL_LIMIT = 32 * 1024 * 1024;
/** After so many written rows its size is looked at: each look is a call to the system. */
const LOOK_AFTER = 64;
/** How long that waits, in milliseconds; readers begin new transactions more often than this. */
const WAL_PATIENCE = 50;

/**
 * Writes one generation. Rows and checkpoint are one transaction, so the checkpoint is never ahead of the rows or behind
 * them. Therefore a removed row needs no tombstone: every event before the removal is also before the checkpoint, and comes
 * again only to a generation that begins from the start.
 */
export class EmbeddedViewWriter implements ViewWriter {
  private readonly schema: Schema;
  private statements: Statements;
  private tables: RowTables;
  private brokenOff = false;
  /** Rows and checkpoints that were written since the last look. */
  private unlooked = 0;

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
    return this.intact(() => checkpointIn(this.database));
  }

  async load(keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    return this.intact(() => new Map(keys.length === 0 ? [] : this.tables.load(keys).map((row) => [row.key, row])));
  }

  /**
   * A failed write leaves a live generation as it was. A generation under construction breaks off, because it has no
   * journal.
   */
  async write(changes: readonly RowChange[], checkpoint: Checkpoint): Promise<void> {
    if (this.brokenOff) throw new Error('the generation broke off in an earlier write');
    if (checkpoint.log !== this.log) throw new Error('the checkpoint names another log');
    this.intact(() => this.writeAll(changes, checkpoint));
    if (!this.building) this.keepLogShort(changes.length + 1);
  }

  private writeAll(changes: readonly RowChange[], checkpoint: Checkpoint): void {
    this.statements.of('BEGIN IMMEDIATE').run();
    try {
      for (const change of changes) this.tables.change(change);
      this.statements.of('UPDATE meta SET position = ?, event = ?').run(checkpoint.position, checkpoint.event);
      this.statements.of('COMMIT').run();
    } catch (error) {
      if (this.building) this.brokenOff = true;
      // Some errors end the transaction themselves.
      else if (this.database.isTransaction) this.database.exec('ROLLBACK');
      if (!this.building && !isCorrupt(error)) this.tables.forget();
      throw error;
    }
  }

  /** @throws ViewDamaged if the file turns out to be damaged */
  private intact<T>(use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw isCorrupt(error)
        ? new ViewDamaged(damageWords(this.path, error), { cause: error })
        : withRoom(this.path, error);
    }
  }

  async finish(): Promise<void> {
    if (!this.building) return;
    if (this.brokenOff) throw new Error('the generation broke off in an earlier write');
    for (const index of this.schema.indexes) {
      this.database.exec(index);
      // Lets the other work of this thread have its turn.
      await thisMachine.time.turn();
    }
    this.statements.of('UPDATE meta SET finished = ?').run(Phase.BESIDE);
    // Sets the WAL mode in the file now, so that nobody has to switch it while readers use it.
    this.database.exec('PRAGMA journal_mode = WAL');
    this.database.close();
    sync(this.path + BUILDING);
    // If a power cut undoes the renaming, the generation counts as half built and is built again.
    renameSync(this.path + BUILDING, this.path);
    this.database = openLive(this.path);
    this.statements = new Statements(this.database);
    this.tables = new RowTables(this.statements, this.schema);
    this.building = false;
  }

  /** False after it is closed, and for a generation that broke off during its build. */
  get usable(): boolean {
    return this.database.isOpen && !this.brokenOff;
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.database.close();
  }

  /**
   * SQLite writes the log back continuously, but starts it again only when no reader needs it, and under load one always
   * does. So when the log is long, this waits for a moment without readers; if there is none, the next write tries again.
   */
  private keepLogShort(written: number): void {
    this.unlooked += written;
    if (this.unlooked < LOOK_AFTER) return;
    this.unlooked = 0;
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
