import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Keyring, recordName } from '#eventsourcing';
import type { Answer } from '../../support/running-service.js';

/** Something that an answer of success told its caller, besides its position in the log. */
export type Fact = {
  /** The answer's Request-Id, by which the recording finds it. */
  readonly request: string;
} & (
  | { readonly kind: 'person'; readonly id: string }
  | { readonly kind: 'card'; readonly id: string }
  | { readonly kind: 'kept answer'; readonly credential: string; readonly key: string }
);

export const requestOf = ({ headers }: Answer): string => headers['request-id'] ?? '';

/** The rows of state.db that facts are about, by the fact's kind and the row's name. */
export type StateRows = ReadonlyMap<string, string>;

/** The name of a fact's row. */
export function rowOf(fact: Fact, keyring: Keyring): string {
  if (fact.kind === 'person') return `person ${fact.id}`;
  if (fact.kind === 'kept answer') return `answer ${recordName(keyring, fact)}`;
  return `secret ${fact.id}`;
}

/** Reads a state.db that nobody has open. @throws Error if SQLite finds it damaged */
export function stateRowsOf(dataDir: string): StateRows {
  const database = new DatabaseSync(join(dataDir, 'state.db'), { readOnly: true });
  try {
    const check = database.prepare('PRAGMA integrity_check').get()?.['integrity_check'];
    if (check !== 'ok') throw new Error(`state.db: ${String(check)}`);
    const rows = new Map<string, string>();
    const add = (sql: string): void => {
      for (const { name, value } of database.prepare(sql).all()) rows.set(String(name), String(value));
    };
    add(`SELECT 'person ' || person AS name, destroyed || hex(wrapped) || key AS value FROM person_keys`);
    add(`SELECT 'secret ' || name AS name, hex(sealed) || key AS value FROM vault WHERE live = 1`);
    add(
      `SELECT 'answer ' || record AS name, fingerprint || command_id || hex(answer) || key AS value
       FROM idempotency_records WHERE state = 'done'`,
    );
    return rows;
  } finally {
    database.close();
  }
}
