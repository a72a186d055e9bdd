import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AnswerLine, RowKind, RowPart, StateLine } from '#backup';
import { AFTER_PASSING, PASSING } from '#eventsourcing/ports';
import type { RowName } from './changed-rows.js';

/** Rows of a part: so many are read while other requests wait. */
const PART = 250;

type Row = Readonly<Record<string, unknown>>;

interface Statements {
  readonly part: StatementSync;
  readonly one: StatementSync;
  readonly line: (row: Row) => StateLine;
  /** The line of a row that is not there (any more). */
  readonly gone: (name: string) => readonly StateLine[];
}

/** The rows of state.db as a backup has them. Secrets stay sealed. */
export class CopiedRows {
  readonly #entries: StatementSync;
  readonly #of: Readonly<Record<RowKind, Statements>>;

  constructor(database: DatabaseSync) {
    const statements = (columns: string, table: string, name: string, and = ''): Pick<Statements, 'part' | 'one'> => ({
      part: database.prepare(`SELECT id, ${columns} FROM ${table} WHERE id > ? ${and} ORDER BY id LIMIT ${PART}`),
      one: database.prepare(`SELECT id, ${columns} FROM ${table} WHERE ${name} = ? ${and}`),
    });
    this.#entries = database.prepare('SELECT name, value FROM facts WHERE name < ? OR name >= ?');
    this.#of = {
      key: {
        ...statements('person, wrapped, key, destroyed', 'person_keys', 'person'),
        line: ({ person, wrapped, key, destroyed }) => ({
          kind: 'key',
          person: String(person),
          sealed: destroyed === 1 ? null : base64(wrapped),
          key: Number(key),
        }),
        gone: () => [],
      },
      secret: {
        ...statements('name, sealed, key', 'vault', 'name', 'AND live = 1'),
        line: ({ name, sealed, key }) => ({
          kind: 'secret',
          name: String(name),
          sealed: base64(sealed),
          key: Number(key),
        }),
        gone: (name) => [{ kind: 'secret', name, sealed: null, key: 0 }],
      },
      answer: {
        ...statements(
          'record, fingerprint, command_id, state, since, answer, key, person',
          'idempotency_records',
          'record',
        ),
        line: ({ record, fingerprint, command_id, state, since, answer, key, person }) => ({
          kind: 'answer',
          record: String(record),
          fingerprint: String(fingerprint),
          command_id: String(command_id),
          state: state as AnswerLine['state'],
          since: Number(since),
          // Of an answer that is gone, the row has only zeros.
          sealed: state === 'gone' ? null : base64(answer),
          key: Number(key),
          ...(typeof person === 'string' && { person }),
        }),
        gone: () => [],
      },
    };
  }

  entries(): readonly StateLine[] {
    return this.#entries
      .all(PASSING, AFTER_PASSING)
      .map(({ name, value }) => ({ kind: 'entry', name: String(name), text: String(value) }));
  }

  /** @param after the id of the last row of the part before */
  rows(kind: RowKind, after = '0'): RowPart {
    const { part, line } = this.#of[kind];
    const rows = part.all(Number(after)) as Row[];
    const last = rows.at(-1)?.['id'];
    return { lines: rows.map(line), next: rows.length < PART ? undefined : String(last) };
  }

  /** The line of a row; none if nothing needs to be known of it. */
  row({ kind, name }: RowName): readonly StateLine[] {
    const { one, line, gone } = this.#of[kind];
    const row = one.get(name) as Row | undefined;
    return row === undefined ? gone(name) : [line(row)];
  }
}

function base64(bytes: unknown): string | null {
  return bytes === null ? null : Buffer.from(bytes as Uint8Array).toString('base64');
}
