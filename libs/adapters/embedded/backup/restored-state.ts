import { rmSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { StateLine } from '#backup';
import { beginStateFile, finishStateFile } from '../state/state-file.js';

/** A new key store in a file, which gets the rows of a backup. A later row replaces an earlier one of its name. */
export class RestoredEmbeddedState {
  readonly #db: DatabaseSync;
  readonly #write: (line: StateLine) => void;

  private constructor(private readonly file: string) {
    this.#db = beginStateFile(file);
    this.#write = writing(this.#db);
  }

  static begin(file: string): RestoredEmbeddedState {
    return new RestoredEmbeddedState(file);
  }

  async add(lines: readonly StateLine[]): Promise<void> {
    for (const line of lines) this.#write(line);
  }

  /** Makes it durable. */
  async finish(): Promise<void> {
    finishStateFile(this.#db, this.file);
  }

  /** Removes it. */
  async discard(): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
    rmSync(this.file, { force: true });
  }
}

function writing(db: DatabaseSync): (line: StateLine) => void {
  const entry = db.prepare('REPLACE INTO facts (name, value) VALUES (?, ?)');
  const key = db.prepare(
    `INSERT INTO person_keys (person, wrapped, key, destroyed) VALUES (?, ?, ?, ?)
       ON CONFLICT (person) DO UPDATE SET wrapped = excluded.wrapped, key = excluded.key, destroyed = excluded.destroyed`,
  );
  const forget = db.prepare('DELETE FROM vault WHERE name = ?');
  const secret = db.prepare('INSERT INTO vault (name, live, sealed, key) VALUES (?, 1, ?, ?)');
  const answer = db.prepare(
    `REPLACE INTO idempotency_records (record, fingerprint, command_id, state, since, answer, key, person)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (line) => {
    switch (line.kind) {
      case 'entry':
        entry.run(line.name, line.text);
        break;
      case 'key':
        key.run(line.person, bytesOf(line.sealed ?? ''), line.key, line.sealed === null ? 1 : 0);
        break;
      case 'secret':
        forget.run(line.name);
        if (line.sealed !== null) secret.run(line.name, bytesOf(line.sealed), line.key);
        break;
      case 'answer': {
        const { record, fingerprint, command_id, state, since, sealed } = line;
        const bytes: SQLInputValue = sealed === null ? null : bytesOf(sealed);
        answer.run(record, fingerprint, command_id, state, since, bytes, line.key, line.person ?? null);
      }
    }
  };
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
