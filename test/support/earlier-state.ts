import { DatabaseSync } from 'node:sqlite';
import { thisMachine } from '#adapters/machine';
import { Keyring, masterKeyCheck, PersonKeySeal, recordName, SecretSeal } from '#eventsourcing';
import type { Instant } from '#kernel';

/** The tables of state.db before keys had numbers: version 1, and what version 2 added. */
const TABLES = [
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE person_keys (
     id INTEGER PRIMARY KEY, person TEXT NOT NULL UNIQUE, wrapped BLOB NOT NULL, destroyed INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE idempotency_records (
     id INTEGER PRIMARY KEY, record TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, command_id TEXT NOT NULL,
     state TEXT NOT NULL, since INTEGER NOT NULL, answer BLOB
   ) STRICT;`,
  `CREATE TABLE vault (id INTEGER PRIMARY KEY, name TEXT NOT NULL, live INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT;
   CREATE UNIQUE INDEX vault_live ON vault (name) WHERE live = 1;`,
];

export interface EarlierState {
  readonly persons?: readonly string[];
  readonly secrets?: Readonly<Record<string, string>>;
  readonly answered?: {
    readonly credential: string;
    readonly key: string;
    readonly answer: string;
    readonly at: Instant;
  };
}

/** Writes a state.db as an earlier build left it, with everything sealed under the master key. @returns persons' sealed keys */
export function writeEarlierState(
  file: string,
  master: Buffer,
  version: 1 | 2,
  { persons = [], secrets = {}, answered }: EarlierState,
): ReadonlyMap<string, Uint8Array> {
  const keyring = Keyring.of(master, thisMachine.randomness);
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; BEGIN');
  TABLES.slice(0, version).forEach((tables) => database.exec(tables));
  database.exec(`PRAGMA application_id = 1214673780; PRAGMA user_version = ${version}`);
  database.prepare(`INSERT INTO meta VALUES ('master_key_check', ?)`).run(masterKeyCheck(keyring));
  const sealed = new Map(persons.map((person) => [person, new PersonKeySeal(keyring).make(person).bytes]));
  const person = database.prepare('INSERT INTO person_keys (person, wrapped, destroyed) VALUES (?, ?, 0)');
  for (const [name, bytes] of sealed) person.run(name, bytes);
  for (const [name, secret] of Object.entries(secrets)) {
    const { bytes } = new SecretSeal(keyring).seal(name, Buffer.from(secret));
    database.prepare('INSERT INTO vault (name, live, sealed) VALUES (?, 1, ?)').run(name, bytes);
  }
  if (answered !== undefined) {
    const { bytes } = keyring.wrap('answers', Buffer.from(answered.answer));
    database
      .prepare(
        `INSERT INTO idempotency_records (record, fingerprint, command_id, state, since, answer)
         VALUES (?, 'f', 'c', 'done', ?, ?)`,
      )
      .run(recordName(keyring, answered), answered.at, bytes);
  }
  database.exec('COMMIT');
  database.close();
  return sealed;
}
