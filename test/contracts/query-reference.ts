import { Query as MingoQuery } from 'mingo';
import { foldText, type Place, type Scalar, type View } from '#kernel';
import { EARTH_RADIUS_MILES, type Query, type Where } from '#eventsourcing';

/** A row in the reference: its fields as the view reads them. */
type Document = Readonly<Record<string, unknown>> & { readonly _id: string };
type Filter = Record<string, unknown>;

/**
 * The reference that every view store must agree with: the query language on `mingo`, which has MongoDB's own semantics in
 * memory. Two parts are ours: another formula for distances than the stores use, and strings in code point order, which needs
 * them as UTF-8 bytes, one character per byte, because JavaScript compares UTF-16 units.
 */
export class QueryReference {
  private readonly documents: readonly Document[];
  private readonly places = new Map<string, Readonly<Record<string, readonly Place[]>>>();

  constructor(view: View, rows: ReadonlyMap<string, object>) {
    this.documents = [...rows].map(([key, row]) => {
      const document: Record<string, unknown> = {};
      const placed: Record<string, readonly Place[]> = {};
      for (const [name, field] of Object.entries(view.fields)) {
        if (field.kind === 'places') placed[name] = field.of(row);
        else if (field.kind === 'text') document[name] = folded(field.of(row));
        else document[name] = bytes(field.of(row));
      }
      this.places.set(bytes(key), placed);
      return { ...document, _id: bytes(key) };
    });
  }

  /** The keys of the page. */
  find(query: Query): readonly string[] {
    const order: Record<string, 1 | -1> = {};
    for (const { field, descending } of query.sort) order[field === 'key' ? '_id' : field] ??= descending ? -1 : 1;
    order['_id'] ??= 1;
    return new MingoQuery(this.filter(query.where))
      .find<Document>(this.documents)
      .sort(order)
      .skip((query.page - 1) * query.perPage)
      .limit(query.perPage + (query.ahead ?? 0))
      .all()
      .map(({ _id }) => Buffer.from(_id, 'latin1').toString());
  }

  count(where: Where): number {
    return new MingoQuery(this.filter(where)).find(this.documents).all().length;
  }

  private filter(where: Where): Filter {
    switch (where.op) {
      case 'and':
      case 'or':
        if (where.of.length === 0) return where.op === 'and' ? {} : { _id: { $in: [] } };
        return { [`$${where.op}`]: where.of.map((part) => this.filter(part)) };
      case 'not':
        return { $nor: [this.filter(where.of)] };
      case 'keyAfter':
        return { _id: { $gt: bytes(where.key) } };
      case 'contains':
        return { [where.field]: { $regex: new RegExp(literal(bytes(foldText(where.part)))) } };
      case 'near': {
        const near = [...this.places].filter(([, of]) =>
          of[where.field]?.some((place) => miles(place, where) <= where.miles),
        );
        return { _id: { $in: near.map(([key]) => key) } };
      }
      case 'in':
        return { [where.field]: { $in: where.values.map((value) => bytes(value)) } };
      default:
        return { [where.field]: { [`$${where.op}`]: bytes(where.value) } };
    }
  }
}

function bytes(value: string): string;
function bytes(value: Scalar | readonly Scalar[]): Scalar | readonly Scalar[];
function bytes(value: Scalar | readonly Scalar[]): Scalar | readonly Scalar[] {
  if (typeof value === 'string') return Buffer.from(value).toString('latin1');
  if (Array.isArray(value)) return (value as readonly Scalar[]).map((one) => bytes(one) as Scalar);
  return value;
}

function folded(text: string | null): string | null {
  return text === null ? null : bytes(foldText(text));
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** The angle between two vectors from the earth's centre: exact at every distance, at the poles and the antimeridian. */
function miles(one: Place, other: Place): number {
  const [a, b] = [vector(one), vector(other)];
  const chord = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, chord / 2));
}

function vector({ latitude, longitude }: Place): readonly [number, number, number] {
  const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}
