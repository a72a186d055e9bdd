import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ANSWER_KEPT_FOR, RUNNING_FREES_AFTER, type Sealed } from '#eventsourcing/ports';
import type { Instant } from '#kernel';
import type { StoredBegun } from './messages.js';

interface Row {
  readonly fingerprint: string;
  readonly command_id: string;
  readonly state: 'running' | 'done' | 'free' | 'gone';
  readonly since: Instant;
  readonly answer: Uint8Array | null;
  readonly key: number;
}

/** After this many begins it looks at up to twice as many of the oldest rows. */
const SWEEP_EVERY = 128;

/**
 * One row per request that may be repeated (ruling A11). `since` is the time of the begin, the renewal or the stored answer;
 * 24 hours later the row counts as absent. Rows are in the order of their begins (a begin that renews a row moves it to the
 * end), so the expired ones are in front, and no request pays for an index.
 */
export class IdempotencyRecordsTable {
  readonly #select: StatementSync;
  readonly #run: StatementSync;
  readonly #renew: StatementSync;
  readonly #keep: StatementSync;
  readonly #keepErased: StatementSync;
  readonly #erase: StatementSync;
  readonly #shown: StatementSync;
  readonly #free: StatementSync;
  readonly #sweep: StatementSync;
  #begins = 0;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare(
      'SELECT fingerprint, command_id, state, since, answer, key FROM idempotency_records WHERE record = ?',
    );
    this.#run = database.prepare(
      `REPLACE INTO idempotency_records (record, fingerprint, command_id, state, since) VALUES (?, ?, ?, 'running', ?)`,
    );
    this.#renew = database.prepare(`UPDATE idempotency_records SET since = ? WHERE record = ? AND state = 'running'`);
    this.#keep = database.prepare(
      `UPDATE idempotency_records SET state = 'done', answer = ?, key = ?, since = ?, person = ?
         WHERE record = ? AND state NOT IN ('done', 'gone')`,
    );
    this.#keepErased = database.prepare(
      `UPDATE idempotency_records SET state = 'gone', since = ? WHERE record = ? AND state NOT IN ('done', 'gone')`,
    );
    this.#shown = database.prepare(`SELECT record FROM idempotency_records WHERE person = ? AND state = 'done'`);
    // As many zeros, and a word as long as `done`: SQLite writes in place, and no page keeps an old copy.
    this.#erase = database.prepare(
      `UPDATE idempotency_records SET state = 'gone', answer = zeroblob(length(answer)) WHERE person = ? AND state = 'done'`,
    );
    this.#free = database.prepare(
      `UPDATE idempotency_records SET state = 'free' WHERE record = ? AND state = 'running'`,
    );
    this.#sweep = database.prepare(
      `DELETE FROM idempotency_records WHERE since <= ? AND id IN
         (SELECT id FROM idempotency_records ORDER BY id LIMIT ${2 * SWEEP_EVERY})`,
    );
  }

  begin(record: string, fingerprint: string, commandId: string, now: Instant): StoredBegun {
    if (++this.#begins % SWEEP_EVERY === 0) this.#sweep.run(now - ANSWER_KEPT_FOR);
    const row = this.#select.get(record) as Row | undefined;
    if (row === undefined || now >= row.since + ANSWER_KEPT_FOR) {
      this.#run.run(record, fingerprint, commandId, now);
      return { kind: 'run', commandId };
    }
    if (row.fingerprint !== fingerprint) return { kind: 'different' };
    if (row.state === 'gone') return { kind: 'erased' };
    if (row.state === 'done' && row.answer !== null)
      return { kind: 'kept', answer: { key: row.key, bytes: row.answer } };
    if (row.state === 'running' && now < row.since + RUNNING_FREES_AFTER) return { kind: 'running' };
    this.#run.run(record, fingerprint, row.command_id, now);
    return { kind: 'run', commandId: row.command_id };
  }

  renew(record: string, now: Instant): void {
    this.#renew.run(now, record);
  }

  /** The first answer stays: the answer of a slow first try that ends after its successor is not kept. */
  keep(record: string, answer: Sealed, now: Instant, person: string | null): void {
    this.#keep.run(answer.bytes, answer.key, now, person, record);
  }

  /** Keeps that there was an answer, whose person is erased. */
  keepErased(record: string, now: Instant): void {
    this.#keepErased.run(now, record);
  }

  /** The records whose kept answers show the person. */
  shownTo(person: string): readonly string[] {
    return this.#shown.all(person).map(({ record }) => String(record));
  }

  /** Overwrites the answers that show the person. */
  erase(person: string): void {
    this.#erase.run(person);
  }

  free(record: string): void {
    this.#free.run(record);
  }
}
