import { DatabaseSync } from 'node:sqlite';
import type { Position, Scalar, View } from '#kernel';
import {
  assertAffordable,
  circlesIn,
  ExaminedRows,
  isTooCostly,
  PageSize,
  type Query,
  RowVersions,
  type StoredRow,
  type ViewDamage,
  ViewNotReady,
  type ViewReader,
  type ViewSize,
  type Where,
} from '#eventsourcing/ports';
import { iterated } from '../iterated.js';
import { type Compiled, EXAMINED_FUNCTION, type OrderPlan, type Plan, QueryCompiler } from './compile.js';
import { GenerationFiles } from './generation-files.js';
import { damageWords, isCorrupt, isDamage, Phase } from './generation.js';
import { type NearPlan, nearPlanOf } from './near-order.js';
import { orderIndexOf } from './order-index.js';
import { fromSql } from './scalars.js';
import { layoutOf, schemaOf } from './schema.js';
import { Statements } from './statements.js';

/** Bytes of a file to map into memory. A live file never shrinks, so the map stays valid. */
const MAPPED = 2 ** 30;

const BY_KEY = 'SELECT key, position, row FROM rows WHERE key = ?';
const TEXTS = 'SELECT key, row FROM rows WHERE key IN (SELECT value FROM json_each(?))';
const META = 'SELECT finished, layout, position, many FROM meta';
/** Rows are numbered one after another, and seldom removed: counting them would read a whole index. */
const LAST_ROW = 'SELECT max(id) AS size FROM rows';
const ALL_PLACES = 'SELECT count(*) AS size FROM places';
const SQLITE_CANTOPEN = 14;
/** The index of an order has rows that another index would leave out: this part of the limit is tried on it. */
const WIDER = 10;
/** Rows that a read may look at in the thread that answers calls: that takes some milliseconds. */
const AT_ONCE = 2_000;

interface RowRecord {
  readonly key: string;
  readonly position: Position;
  readonly row: string;
}

interface MetaRecord {
  readonly finished: bigint;
  readonly layout: string;
  readonly position: Position | null;
  readonly many: string;
}

/** An open generation. */
interface Connection {
  readonly generation: number;
  readonly database: DatabaseSync;
  readonly statements: Statements;
}

/** The state that one read transaction sees. */
interface Snapshot {
  readonly statements: Statements;
  readonly position: Position;
  readonly many: ReadonlySet<string>;
}

/** Reads the live generation of one view. */
export class EmbeddedViewReader<Row extends object> implements ViewReader<Row> {
  private readonly files: GenerationFiles;
  private readonly layout: string;
  private connection: Connection | undefined;
  private held: Snapshot | undefined;
  private closed = false;
  private readonly examined = new ExaminedRows();

  constructor(
    folder: string,
    private readonly view: View<Row>,
    private readonly on: {
      /** A read transaction has begun. */
      readonly held: () => void;
      readonly damaged: (damage: ViewDamage) => void;
    },
    /** Rows that `findAtOnce` and the like may look at. */
    private readonly most = AT_ONCE,
  ) {
    this.files = new GenerationFiles(folder, view);
    this.layout = layoutOf(schemaOf(view));
  }

  async get(key: string): Promise<StoredRow<Row> | undefined> {
    return this.read(({ statements }) => {
      const found = statements.of(BY_KEY).get(key) as unknown as RowRecord | undefined;
      return found && stored<Row>(found);
    });
  }

  async texts(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.read(({ statements }) => {
      const found = statements.of(TEXTS).all(JSON.stringify(keys)) as unknown as Pick<RowRecord, 'key' | 'row'>[];
      return new Map(found.map(({ key, row }) => [key, row]));
    });
  }

  async find(query: Query): Promise<readonly StoredRow<Row>[]> {
    return this.read((snapshot) => this.bounded(snapshot, query, (plan) => this.findIn(snapshot, query, plan)));
  }

  async versions(query: Query): Promise<RowVersions> {
    return this.read((snapshot) => this.bounded(snapshot, query, (plan) => this.versionsIn(snapshot, query, plan)));
  }

  /** The same as `find`, if an index answers it soon; otherwise undefined. */
  findAtOnce(query: Query): readonly StoredRow<Row>[] | undefined {
    return this.read((snapshot) => this.atOnce(snapshot, query, (plan) => this.findIn(snapshot, query, plan)));
  }

  /** The same as `versions`, if an index answers it soon; otherwise undefined. */
  versionsAtOnce(query: Query): RowVersions | undefined {
    return this.read((snapshot) => this.atOnce(snapshot, query, (plan) => this.versionsIn(snapshot, query, plan)));
  }

  /** The same as `count`, if it looks at few rows; otherwise undefined. */
  countAtOnce(where: Where, examine = Infinity): number | undefined {
    if (circlesIn(where) > 0) return undefined;
    const most = Math.min(examine, this.most);
    return this.read((snapshot) => withinRows(this.examined, most, () => this.countIn(snapshot, where, true)));
  }

  /** Runs a query in the order of an index, as long as it looks at few rows. */
  private atOnce<Result>(snapshot: Snapshot, query: Query, run: (plan: Plan) => Result): Result | undefined {
    const { page, perPage, ahead = 0, examine = Infinity } = query;
    if (page * perPage + ahead > this.most) return undefined;
    const plan = this.planOf(snapshot, query);
    // SQLite finds all places of a further circle before it looks at the first row.
    if (plan === undefined || circlesIn(query.where) > (plan.by === 'near' ? 1 : 0)) return undefined;
    return withinRows(this.examined, Math.min(examine, this.most), () => run(plan));
  }

  private planOf({ many }: Snapshot, query: Query): NearPlan | OrderPlan | undefined {
    const near = nearPlanOf(this.view, query, many);
    if (near !== undefined) return near;
    const order = orderIndexOf(this.view, query, many);
    return order && { by: 'order', index: order.name, isNarrowest: order.isNarrowest };
  }

  /**
   * Runs a query. If it has a limit and an index in its order, also one of the places near, it is read in that order: mostly that
   * examines the page alone. If that examines too many, because few rows fit, the rows that fit are found first, and then sorted.
   * @throws DomainError list_too_costly, before it begins if its conditions and its order are too many
   */
  private bounded<Result>(snapshot: Snapshot, query: Query, run: (plan?: Plan) => Result): Result {
    const { examine } = query;
    if (examine === undefined) {
      this.examined.begin();
      return run();
    }
    assertAffordable(query, sizeOf(snapshot, query.where));
    const plan = this.planOf(snapshot, query);
    if (plan === undefined) {
      this.examined.begin(examine);
      return run();
    }
    const most = plan.by === 'near' || plan.isNarrowest ? examine : examine / WIDER;
    const found = withinRows(this.examined, most, () => run(plan));
    if (found !== undefined) return found;
    this.examined.begin(examine);
    return run({ by: 'conditions' });
  }

  private versionsIn(snapshot: Snapshot, query: Query, plan?: Plan): RowVersions {
    const found = first(snapshot, this.compiler(snapshot).versions(query, plan)) as { keys: string; positions: string };
    return RowVersions.fromTexts(found.keys, found.positions);
  }

  private findIn(snapshot: Snapshot, query: Query, plan?: Plan): readonly StoredRow<Row>[] {
    const { sql, bound } = this.compiler(snapshot).find(query, plan);
    const statement = snapshot.statements.of(sql);
    if (query.most === undefined) {
      const found = statement.all(...bound) as unknown as RowRecord[];
      return found.map((record) => stored<Row>(record));
    }
    const size = new PageSize(query.most);
    const found: RowRecord[] = [];
    iterated<RowRecord>(statement, bound, (record) => {
      size.take(record.row.length);
      return found.push(record) > 0;
    });
    // Parsing costs more than reading: a page that is refused has parsed nothing.
    return found.map((record) => stored<Row>(record));
  }

  async count(where: Where, examine?: number): Promise<number> {
    return this.read((snapshot) => {
      if (examine !== undefined) assertAffordable({ where, sort: [], examine }, sizeOf(snapshot, where));
      const plain = this.compiler(snapshot).count(where);
      const isFree = examine === undefined || snapshot.statements.isCovered(plain.sql);
      this.examined.begin(examine);
      return this.countIn(snapshot, where, !isFree);
    });
  }

  private countIn(snapshot: Snapshot, where: Where, counted: boolean): number {
    const { count } = first(snapshot, this.compiler(snapshot).count(where, counted)) as { count: bigint };
    return Number(count);
  }

  /** Null if rows match but none has a value; for a field with many values, the smallest of all. */
  async min(field: string, where: Where): Promise<Scalar | undefined> {
    return this.read((snapshot) => {
      const smallest = first(snapshot, this.compiler(snapshot).min(field, where));
      if (smallest?.['value'] !== undefined) return fromSql(smallest['value']);
      return first(snapshot, this.compiler(snapshot).any(where)) === undefined ? undefined : null;
    });
  }

  async position(): Promise<Position> {
    return (this.tryHold() ?? { position: 0n }).position;
  }

  /** Ends the read transaction; the next read begins a new one. */
  release(): void {
    if (this.held === undefined) return;
    this.held = undefined;
    this.connection?.database.exec('COMMIT');
  }

  close(): void {
    this.closed = true;
    this.letGo();
  }

  private compiler({ many }: Snapshot): QueryCompiler {
    return new QueryCompiler(this.view, many);
  }

  private snapshot(): Snapshot {
    const snapshot = this.held ?? this.tryHold();
    if (snapshot === undefined) throw new ViewNotReady(this.view.name);
    return snapshot;
  }

  /** @throws ViewNotReady also if the file turns out to be damaged */
  private read<T>(use: (snapshot: Snapshot) => T): T {
    const snapshot = this.snapshot();
    try {
      return use(snapshot);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.tellDamage(error);
      this.letGo();
      throw new ViewNotReady(this.view.name);
    }
  }

  private tellDamage(error: unknown): void {
    const generation = this.connection?.generation;
    if (generation === undefined) return;
    const reason = damageWords(this.files.path(generation), error);
    this.on.damaged({ view: this.view.name, generation, reason });
  }

  private tryHold(): Snapshot | undefined {
    if (this.held !== undefined) return this.held;
    if (this.closed) throw new Error('the views are closed');
    this.held = this.hold(this.connection?.generation);
    // The open generation may have been dropped, or another one promoted. And a live one may be gone before it is opened;
    // then another one is live.
    let tried: number | undefined;
    while (this.held === undefined) {
      const live = this.files.live();
      if (live === undefined || live === tried) return undefined;
      tried = live;
      this.held = this.hold(live);
    }
    this.on.held();
    return this.held;
  }

  /** Begins a read of the live generation; undefined if this one is not live or cannot be read. */
  private hold(live: number | undefined): Snapshot | undefined {
    try {
      if (live === undefined) return undefined;
      const { database, statements } = this.open(live);
      database.exec('BEGIN');
      const meta = statements.of(META).get() as unknown as MetaRecord | undefined;
      if (meta !== undefined && meta.layout === this.layout && this.isLive(live, Number(meta.finished))) {
        return { statements, position: meta.position ?? 0n, many: new Set(JSON.parse(meta.many) as string[]) };
      }
    } catch (error) {
      if (isCorrupt(error)) this.tellDamage(error);
      this.letGo();
      // The writer replaces a damaged or deleted file; until then there is nothing to read.
      if (!isDamage(error) && !isCorrupt(error) && (error as { readonly errcode?: number }).errcode !== SQLITE_CANTOPEN)
        throw error;
    }
    this.letGo();
    return undefined;
  }

  private isLive(generation: number, finished: number): boolean {
    return finished === Phase.LIVE || (finished === Phase.BESIDE && this.files.live() === generation);
  }

  private open(generation: number): Connection {
    if (this.connection?.generation === generation) return this.connection;
    this.letGo();
    const database = new DatabaseSync(this.files.path(generation), { readOnly: true, timeout: 1_000 });
    this.connection = { generation, database, statements: new Statements(database) };
    database.function(EXAMINED_FUNCTION, () => {
      this.examined.take();
      return 1;
    });
    database.exec(`PRAGMA mmap_size = ${MAPPED}`);
    return this.connection;
  }

  private letGo(): void {
    this.held = undefined;
    this.connection?.database.close();
    this.connection = undefined;
  }
}

/** How much the view has: the places only if more than one circle would look at them. */
function sizeOf({ statements }: Snapshot, where: Where): ViewSize {
  const one = (sql: string): number => Number((statements.of(sql).get() as { readonly size: bigint | null }).size);
  return { rows: one(LAST_ROW), places: circlesIn(where) > 1 ? one(ALL_PLACES) : 0 };
}

/** What a read finds; undefined if it looks at more rows than this. */
function withinRows<Result>(examined: ExaminedRows, most: number, run: () => Result): Result | undefined {
  examined.begin(most);
  try {
    return run();
  } catch (error) {
    if (!isTooCostly(error)) throw error;
    return undefined;
  }
}

function first({ statements }: Snapshot, { sql, bound }: Compiled) {
  return statements.of(sql).get(...bound);
}

function stored<Row extends object>({ key, position, row }: RowRecord): StoredRow<Row> {
  return { key, position, row: JSON.parse(row) as Row };
}
