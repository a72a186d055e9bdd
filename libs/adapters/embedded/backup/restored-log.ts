import { rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { EventColumns } from '#backup';
import type { LogOwner } from '#eventsourcing/ports';
import type { Position } from '#kernel';
import { beginLogFile, finishLogFile } from '../log/log-file.js';

/** A new log in a file, which gets the events of a backup. */
export class RestoredEmbeddedLog {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  #last: Position = 0n;

  /** @param keepsPositions whether events keep theirs: those of another engine are numbered from 1 on */
  private constructor(
    private readonly file: string,
    private readonly keepsPositions: boolean,
  ) {
    this.#db = beginLogFile(file);
    this.#insert = this.#db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  }

  static begin(
    file: string,
    { identity, owner, keepsPositions }: { identity: string; owner: LogOwner; keepsPositions: boolean },
  ): RestoredEmbeddedLog {
    const log = new RestoredEmbeddedLog(file, keepsPositions);
    log.#db
      .prepare('INSERT INTO meta (identity, installation, keys, ledger) VALUES (?, ?, ?, ?)')
      .run(identity, owner.installation, owner.keys, owner.ledger ?? null);
    return log;
  }

  /** The position of the last event. */
  get last(): Position {
    return this.#last;
  }

  async add(events: readonly EventColumns[]): Promise<void> {
    for (const event of events) {
      this.#last = this.keepsPositions ? event.position : this.#last + 1n;
      const { id, stream, revision, type, time, command_id, correlation, causation, actor, data } = event;
      this.#insert.run(
        this.#last,
        ...[id, stream, revision, type, time, command_id, correlation, causation, actor, data],
      );
    }
  }

  /** Makes it durable. */
  async finish(): Promise<void> {
    finishLogFile(this.#db, this.file);
  }

  /** Removes it. */
  async discard(): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
    rmSync(this.file, { force: true });
  }
}
