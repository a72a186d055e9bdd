import { DatabaseSync } from 'node:sqlite';
import type { Position, View } from '#kernel';
import { type GenerationRows, type RowText, ViewNotReady } from '#eventsourcing/ports';
import { upTo } from '../up-to.js';
import { GenerationFiles } from './generation-files.js';
import { Phase } from './generation.js';
import { layoutOf, schemaOf } from './schema.js';
import { Statements } from './statements.js';

const MAPPED = 2 ** 30;

const FIRST = `SELECT key, position, row AS text FROM rows ORDER BY key ${upTo('?')}`;
const AFTER = `SELECT key, position, row AS text FROM rows WHERE key > ? ORDER BY key ${upTo('?')}`;
const WITH_KEYS = 'SELECT key, position, row AS text FROM rows WHERE key IN (SELECT value FROM json_each(?))';
const META = 'SELECT finished, layout, position FROM meta';
const LAST_ROW = 'SELECT max(id) AS size FROM rows';

interface MetaRecord {
  readonly finished: bigint;
  readonly layout: string;
  readonly position: Position | null;
}

/** Reads the rows of one generation through a connection of its own. */
export class EmbeddedGenerationRows implements GenerationRows {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;

  /** @throws ViewNotReady if there is no such finished generation of this build */
  constructor(folder: string, view: View, generation: number) {
    const files = new GenerationFiles(folder, view);
    if (!files.finished().includes(generation)) throw new ViewNotReady(view.name);
    this.#database = new DatabaseSync(files.path(generation), { readOnly: true, timeout: 1_000 });
    this.#statements = new Statements(this.#database);
    this.#database.exec(`PRAGMA mmap_size = ${MAPPED}`);
    const { finished, layout } = this.#meta();
    if (Number(finished) !== Phase.BUILDING_OR_DROPPED && layout === layoutOf(schemaOf(view))) return;
    this.close();
    throw new ViewNotReady(view.name);
  }

  async after(key: string | undefined, most: number): Promise<readonly RowText[]> {
    const found = key === undefined ? this.#statements.of(FIRST).all(most) : this.#statements.of(AFTER).all(key, most);
    return found as unknown as readonly RowText[];
  }

  async withKeys(keys: readonly string[]): Promise<readonly RowText[]> {
    return this.#statements.of(WITH_KEYS).all(JSON.stringify(keys)) as unknown as readonly RowText[];
  }

  async position(): Promise<Position> {
    return this.#meta().position ?? 0n;
  }

  async size(): Promise<number> {
    return Number((this.#statements.of(LAST_ROW).get() as { readonly size: bigint | null }).size);
  }

  close(): void {
    this.#database.close();
  }

  #meta(): MetaRecord {
    return this.#statements.of(META).get() as unknown as MetaRecord;
  }
}
