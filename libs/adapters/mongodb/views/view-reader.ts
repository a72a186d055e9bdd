import type { Collection, Document, FindCursor } from 'mongodb';
import type { Position, Scalar, View } from '#kernel';
import {
  listTooCostly,
  PageSize,
  type Query,
  RowVersions,
  type StoredRow,
  type ViewReader,
  ViewNotReady,
  type Where,
} from '#eventsourcing';
import { awaitServer } from '../await-server.js';
import type { MongoDb } from '../mongo-db.js';
import { isTooLong } from '../errors.js';
import { filterOf, orderOf, valuePath } from './filter.js';
import { layoutOf, PRESENT, type RowDocument, storedRow } from './row-document.js';
import { rowsOf, generationsName, generationsCollection } from './generations-document.js';

/** How long a reader trusts what it knows of the live generation, in milliseconds. */
const KNOWN_FOR = 1_000;

/**
 * How long the server may look for the rows of a query that has a limit, in milliseconds. It cannot count the rows that it
 * looks at.
 */
const EXAMINES_FOR = 2_000;

/** The live generation that a reader knows. */
interface Live {
  readonly rows: Collection<RowDocument>;
  readonly position: Position;
  readonly many: readonly string[];
}

/** Reads the live generation of one view. */
export class MongoDbViewReader<Row extends object> implements ViewReader<Row> {
  private known: { readonly live: Promise<Live | undefined>; readonly until: number } | undefined;

  constructor(
    private readonly mongo: MongoDb,
    private readonly view: View<Row>,
  ) {}

  async get(key: string): Promise<StoredRow<Row> | undefined> {
    const { rows } = await this.live();
    const found = await awaitServer(rows.findOne({ _id: key, ...PRESENT }, { projection: { f: 0 } }));
    return found === null ? undefined : storedRow<Row>(found);
  }

  async texts(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.live();
    const found = rows.find({ _id: { $in: [...keys] }, ...PRESENT }, { projection: { row: 1 } });
    const documents = await awaitServer(found.toArray());
    return new Map(documents.map(({ _id, row = '' }) => [_id, row]));
  }

  async find(query: Query): Promise<readonly StoredRow<Row>[]> {
    return limited(this.taken(await this.page(query, { f: 0 }), new PageSize(query.most)));
  }

  async versions(query: Query): Promise<RowVersions> {
    const found = await this.page(query, { position: 1 });
    const documents = await limited(found.toArray());
    return RowVersions.of(documents.map(({ _id, position }) => ({ key: _id, position })));
  }

  /** The documents of a page, with these parts. */
  private async page(query: Query, projection: Document): Promise<FindCursor<RowDocument>> {
    const { page, perPage, ahead = 0 } = query;
    if (!Number.isSafeInteger(page) || page < 1) throw new RangeError('pages count from 1');
    if (!Number.isSafeInteger(perPage) || perPage < 1) throw new RangeError('a page holds 1 row at least');
    const filter = filterOf(this.view, query.where);
    const order = orderOf(this.view, query.sort);
    const { rows } = await this.live();
    return rows
      .find(filter, { projection, ...limitOf(query.examine) })
      .sort(order)
      .skip((page - 1) * perPage)
      .limit(perPage + ahead);
  }

  private async taken(found: AsyncIterable<RowDocument>, size: PageSize): Promise<readonly StoredRow<Row>[]> {
    const documents: RowDocument[] = [];
    for await (const document of found) {
      size.take(document.row?.length ?? 0);
      documents.push(document);
    }
    // Parsing costs more than reading: a page that is refused has parsed nothing.
    return documents.map((document) => storedRow<Row>(document));
  }

  async count(where: Where, examine?: number): Promise<number> {
    const filter = filterOf(this.view, where);
    const { rows } = await this.live();
    return limited(rows.countDocuments(filter, limitOf(examine)));
  }

  async min(field: string, where: Where): Promise<Scalar | undefined> {
    const path = valuePath(this.view, field);
    const filter = filterOf(this.view, where);
    const { rows, many } = await this.live();
    const least = await awaitServer(
      many.includes(field) ? leastOfMany(rows, path, filter) : leastOfOne(rows, path, field, filter),
    );
    if (least !== undefined) return least;
    return (await awaitServer(rows.findOne(filter, { projection: { _id: 1 } }))) === null ? undefined : null;
  }

  async position(): Promise<Position> {
    return (await this.lookUp())?.position ?? 0n;
  }

  refresh(): void {
    this.known = undefined;
  }

  private async live(): Promise<Live> {
    const live = await this.lookUp();
    if (live === undefined) throw new ViewNotReady(this.view.name);
    return live;
  }

  /** All reads meanwhile share one look-up; a failed one is not remembered. */
  private async lookUp(): Promise<Live | undefined> {
    const now = this.mongo.machine.time.monotonic();
    if (this.known === undefined || this.known.until < now) {
      const known = { live: this.ask(), until: now + KNOWN_FOR };
      this.known = known;
      known.live.catch(() => {
        if (this.known === known) this.known = undefined;
      });
    }
    return this.known.live;
  }

  private async ask(): Promise<Live | undefined> {
    const standing = await awaitServer(generationsCollection(this.mongo).findOne({ _id: generationsName(this.view) }));
    const number = standing?.live ?? undefined;
    if (number === undefined) return undefined;
    const record = standing?.generations?.[`g${number}`];
    if (record?.layout !== layoutOf(this.view)) return undefined;
    return { rows: rowsOf(this.mongo, this.view, number), position: record.position ?? 0n, many: record.many };
  }
}

function limitOf(examine = Infinity): { readonly maxTimeMS?: number } {
  return examine === Infinity ? {} : { maxTimeMS: EXAMINES_FOR };
}

/** @throws DomainError list_too_costly; Unavailable */
async function limited<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await awaitServer(call);
  } catch (error) {
    throw isTooLong(error) ? listTooCostly(`more than MongoDB finds in ${EXAMINES_FOR / 1_000} s`) : error;
  }
}

/** If each row has one value, an index answers with its first entry. */
async function leastOfOne(
  rows: Collection<RowDocument>,
  path: string,
  field: string,
  filter: Document,
): Promise<Scalar | undefined> {
  const [least] = await rows
    .find({ $and: [filter, { [path]: { $ne: null } }] }, { projection: { [path]: 1 } })
    .sort({ [path]: 1 })
    .limit(1)
    .toArray();
  return least?.f?.[field] as Scalar | undefined;
}

/** Lists must be unwound: in a sorted list a null would hide its other values. */
async function leastOfMany(rows: Collection<RowDocument>, path: string, filter: Document): Promise<Scalar | undefined> {
  const values = (await rows.distinct(path, filter)) as readonly Scalar[];
  return values
    .filter((value) => value !== null)
    .sort(inOrder)
    .at(0);
}

/** The order of the query language: numbers, strings by their UTF-8 bytes, false, true. */
function inOrder(a: Scalar, b: Scalar): number {
  if (typeof a !== typeof b) return rankOf(a) - rankOf(b);
  return typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b);
}

function rankOf(value: Scalar): number {
  return ['number', 'string', 'boolean'].indexOf(typeof value);
}
