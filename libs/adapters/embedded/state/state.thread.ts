import type { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { isDiskFull } from '../disk-full.js';
import { ChangedRows } from './changed-rows.js';
import { CopiedRows } from './copied-rows.js';
import { KeyValueTable } from './key-values.table.js';
import { IdempotencyRecordsTable } from './idempotency-records.table.js';
import type { FromStateThread, StateRequest, StateThreadData, ToStateThread } from './messages.js';
import { PersonKeysTable } from './person-keys.table.js';
import { SealedRowsTable } from './sealed-rows.table.js';
import { openStateFile, truncateJournal } from './state-file.js';
import { VaultTable } from './vault.table.js';

/** After these the journal still holds the page with the erased data. */
const ERASING: ReadonlySet<StateRequest['op']> = new Set(['destroy-key', 'destroy-secret', 'erase-answers', 'reseal']);

function erases(request: StateRequest): boolean {
  return ERASING.has(request.op) || (request.op === 'replace-value' && request.overwrites);
}

/** The tables on one connection. */
class Tables {
  readonly #keys: PersonKeysTable;
  readonly #vault: VaultTable;
  readonly #records: IdempotencyRecordsTable;
  readonly #keyValues: KeyValueTable;
  readonly #copied: CopiedRows;
  readonly #sealed: SealedRowsTable;

  constructor(
    readonly database: DatabaseSync,
    private readonly changed: ChangedRows,
  ) {
    this.#copied = new CopiedRows(database);
    this.#sealed = new SealedRowsTable(database);
    this.#keys = new PersonKeysTable(database);
    this.#vault = new VaultTable(database);
    this.#records = new IdempotencyRecordsTable(database);
    this.#keyValues = new KeyValueTable(database);
  }

  carryOut(request: StateRequest): unknown {
    this.changed.note(request);
    switch (request.op) {
      case 'obtain-key':
        return this.#keys.obtain(request.person, request.candidate);
      case 'get-key':
        return this.#keys.get(request.person);
      case 'destroy-key':
        this.#keys.destroy(request.person);
        return undefined;
      case 'list-persons':
        return this.#keys.list(request.after, request.size);
      case 'put-secret':
        this.#vault.put(request.id, request.sealed);
        return undefined;
      case 'get-secret':
        return this.#vault.get(request.id);
      case 'destroy-secret':
        this.#vault.destroy(request.id);
        return undefined;
      case 'begin':
        return this.#records.begin(request.record, request.fingerprint, request.commandId, request.now);
      case 'renew':
        this.#records.renew(request.record, request.now);
        return undefined;
      case 'keep':
        this.#keep(request);
        return undefined;
      case 'erase-answers':
        return this.#eraseAnswers(request.person);
      case 'free':
        this.#records.free(request.record);
        return undefined;
      case 'get-value':
        return this.#keyValues.get(request.name);
      case 'insert-value':
        return this.#keyValues.insert(request.name, request.text);
      case 'replace-value':
        return this.#keyValues.replace(request.name, request.expected, request.text);
      case 'sealed-part':
        return this.#sealed.read(request.kind, request.after);
      case 'reseal':
        for (const { kind, name } of request.rows) this.changed.add({ kind, name });
        this.#sealed.write(request.rows);
        return undefined;
      case 'copy-entries':
        return this.#copied.entries();
      case 'copy-rows':
        return this.#copied.rows(request.kind, request.after);
      case 'copy-changes': {
        const { names, ...part } = this.changed.since(request.since);
        return { lines: names?.flatMap((name) => this.#copied.row(name)), ...part };
      }
    }
  }

  #eraseAnswers(person: string): number {
    const records = this.#records.shownTo(person);
    for (const name of records) this.changed.add({ kind: 'answer', name });
    this.#records.erase(person);
    return records.length;
  }

  /** A request may end after the person was erased whom its answer shows: then nobody erases that answer later. */
  #keep({ record, answer, now, shows }: Extract<StateRequest, { op: 'keep' }>): void {
    const isErased = shows !== null && this.#keys.get(shows.key)?.state === 'destroyed';
    if (isErased) this.#records.keepErased(record, now);
    else this.#records.keep(record, answer, now, shows?.name ?? null);
  }
}

/** The thread that owns state.db. All waiting batches share one transaction and one sync. */
class StateThread {
  readonly #changed = new ChangedRows();
  #tables: Tables | undefined;
  #failure: string | undefined;

  constructor(
    private readonly file: string,
    database: DatabaseSync,
  ) {
    this.#tables = new Tables(database, this.#changed);
  }

  /**
   * The durable answers of each batch. If the disk is full, the file is opened again, which shows what it contains. From the
   * first other failure on, every answer is `failed`.
   */
  commit(batches: readonly (readonly StateRequest[])[]): readonly FromStateThread[] {
    if (this.#failure !== undefined) return failed(batches, this.#failure);
    try {
      const tables = (this.#tables ??= new Tables(openStateFile(this.file), this.#changed));
      tables.database.exec('BEGIN');
      const answers = batches.map((batch) => batch.map((request) => tables.carryOut(request)));
      tables.database.exec('COMMIT');
      if (batches.some((batch) => batch.some(erases))) truncateJournal(tables.database);
      return answers.map((of) => ({ kind: 'answers', answers: of }));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isDiskFull(error)) {
        this.close();
        return batches.map(() => ({ kind: 'full', reason }));
      }
      // Final: after a failed sync the system may count lost pages as written, so another try proves nothing.
      this.#failure = reason;
      return failed(batches, reason);
    }
  }

  close(): void {
    this.#tables?.database.close();
    this.#tables = undefined;
  }
}

function failed(batches: readonly unknown[], reason: string): readonly FromStateThread[] {
  return batches.map(() => ({ kind: 'failed', reason }));
}

function run(): void {
  const port = parentPort;
  if (port === null) throw new Error('this file must run as a thread');
  const send = (message: FromStateThread): void => port.postMessage(message);
  const { file } = workerData as StateThreadData;
  let database: DatabaseSync;
  try {
    database = openStateFile(file);
  } catch (error) {
    send({ kind: 'refused', reason: error instanceof Error ? error.message : String(error) });
    return;
  }
  const thread = new StateThread(file, database);
  port.on('message', (first: ToStateThread) => {
    const batches: (readonly StateRequest[])[] = [];
    let closing = false;
    for (let message: ToStateThread | undefined = first; message !== undefined;) {
      if (message === 'close') closing = true;
      else batches.push(message);
      message = receiveMessageOnPort(port)?.message as ToStateThread | undefined;
    }
    if (batches.length > 0) thread.commit(batches).forEach(send);
    if (closing) {
      thread.close();
      port.close();
    }
  });
  send({ kind: 'opened' });
}

run();
