import type { SQLInputValue } from 'node:sqlite';
import { foldText, orderField, type Scalar, type View } from '#kernel';
import type { Query, Where } from '#eventsourcing/ports';
import { upTo } from '../up-to.js';
import { withinCircle } from './within-circle.js';
import type { NearPlan } from './near-order.js';
import { conditionsOf } from './order-index.js';
import { columnOf, nameOfNear } from './schema.js';
import { AFTER_NUMBERS, AFTER_STRINGS, toSql } from './scalars.js';

/** A statement and its bound values. The text depends only on the shape of the query, never on its values. */
export interface Compiled {
  readonly sql: string;
  readonly bound: readonly SQLInputValue[];
}

/** A page is read in the order of an index. */
export interface OrderPlan {
  readonly by: 'order';
  readonly index: string;
  /** Whether no other index of an order has fewer rows that could fit. */
  readonly isNarrowest: boolean;
}

/**
 * How SQLite finds a page, if not in the way that it chooses: in the order of an index, in that of the places near, or by the
 * conditions alone.
 */
export type Plan = OrderPlan | NearPlan | { readonly by: 'conditions' };

type ValueCondition = Extract<Where, { op: 'eq' | 'ne' | 'in' | 'lt' | 'lte' | 'gt' | 'gte' }>;
type RangeCondition = Extract<Where, { op: 'lt' | 'lte' | 'gt' | 'gte' }>;

/** SQLite calls it for each row that it looks at, before it checks any other condition that no index answers. */
export const EXAMINED_FUNCTION = 'examined';
const EXAMINED = `${EXAMINED_FUNCTION}() AND `;

/** The longest list whose values are bound one by one. */
const LONGEST_SPREAD = 1_024;

const COMPARISONS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/**
 * Compiles the query language into SQL over the tables of {@link schemaOf}. `many` names the fields whose values are in the
 * table `many`, because at least one row returned a list; a scalar counts there as a list of one. Use one compiler per
 * statement. All functions throw a RangeError for a field that the view does not declare or that is not of the kind that the
 * condition needs.
 */
export class QueryCompiler {
  private readonly bound: SQLInputValue[] = [];
  /** Fields that the conditions bound on both sides: nothing but values of the bounds' type is between. */
  private between: ReadonlySet<string> = new Set();

  constructor(
    private readonly view: View,
    private readonly many: ReadonlySet<string>,
  ) {}

  find(query: Query, plan?: Plan): Compiled {
    this.between = boundedIn(query.where);
    const { page, ordered } = this.page(query, plan);
    // First the ids of the page, then their rows: sorting all matches would carry their texts along.
    return this.compiled(`SELECT key, position, row FROM rows WHERE id IN (SELECT id ${page}) ${ordered}`);
  }

  versions(query: Query, plan?: Plan): Compiled {
    this.between = boundedIn(query.where);
    // SQLite takes the rows of a subquery in its order.
    return this.compiled(
      `SELECT json_group_array(key) AS keys, coalesce(group_concat(position), '') AS positions` +
        ` FROM (SELECT key, position ${this.page(query, plan).page})`,
    );
  }

  /** The rows of a page, without what to select of them, and their order. */
  private page(query: Query, plan?: Plan): { readonly page: string; readonly ordered: string } {
    if (!Number.isSafeInteger(query.page) || query.page < 1) throw new RangeError('pages count from 1');
    if (!Number.isSafeInteger(query.perPage) || query.perPage < 1) throw new RangeError('a page holds 1 row at least');
    const order: string[] = [];
    for (const { field, descending } of query.sort) {
      order.push(`${field === 'key' ? 'key' : this.column(field, 'value')}${descending ? ' DESC' : ''}`);
    }
    if (!query.sort.some(({ field }) => field === 'key')) order.push('key');
    const ordered = `ORDER BY ${order.join(', ')}`;
    // SQLite looks for no index for `+x`.
    const sorted = plan?.by === 'conditions' ? `ORDER BY ${order.map((each) => `+${each}`).join(', ')}` : ordered;
    const indexed = plan?.by === 'order' ? ` INDEXED BY ${plan.index}` : '';
    // The values are bound in the order of their places.
    if (plan?.by === 'near') {
      const found = `(${this.near(query, plan)}) CROSS JOIN rows ON id = near_row`;
      return {
        page: `FROM ${found} WHERE ${this.condition({ op: 'and', of: plan.others })} ${this.cut(query)}`,
        ordered,
      };
    }
    const where = `${query.examine === undefined ? '' : EXAMINED}${this.condition(query.where)}`;
    return { page: `FROM rows${indexed} WHERE ${where} ${sorted} ${this.cut(query)}`, ordered };
  }

  private cut({ page, perPage, ahead = 0 }: Query): string {
    const limit = this.bind(perPage + ahead);
    return `${upTo(limit)} OFFSET ${this.bind((page - 1) * perPage)}`;
  }

  /**
   * The rows with a place in the circle, in order, each once. The cells are read side by side: SQLite merges what their index
   * gives in this order, and reads no more than the page needs.
   */
  private near({ examine }: Query, { order, circle, cells }: NearPlan): string {
    const { field, descending } = orderField(order.by);
    const examined = examine === undefined ? '' : EXAMINED;
    const within = (): string => withinCircle(circle, (value) => this.bind(value));
    const parts = cells.map((cell) => {
      const place = `field = ${this.bind(order.near)} AND cell = ${this.bind(cell)} AND ${examined}${within()}`;
      const earlier = `earlier.row = places.row AND +earlier.field = places.field AND earlier.nth < places.nth`;
      const isFirst = `NOT EXISTS (SELECT 1 FROM places AS earlier WHERE ${earlier} AND ${within()})`;
      return `SELECT row AS near_row, ${columnOf(field)} AS near_by, key AS near_key FROM places INDEXED BY ${nameOfNear(order)} WHERE ${place} AND ${isFirst}`;
    });
    // Without a limit, SQLite would leave out the order of a part of a join.
    return `${parts.join(' UNION ALL ')} ORDER BY near_by${descending ? ' DESC' : ''}, near_key LIMIT -1`;
  }

  /** @param counted whether the rows that it looks at are counted */
  count(where: Where, counted = false): Compiled {
    return this.compiled(`SELECT count(*) AS count FROM rows WHERE ${counted ? EXAMINED : ''}${this.condition(where)}`);
  }

  /** One row if any row matches. */
  any(where: Where): Compiled {
    return this.compiled(`SELECT 1 FROM rows WHERE ${this.condition(where)} LIMIT 1`);
  }

  /** The smallest value that is not null. It is a sort, which an index answers with its first entry. */
  min(field: string, where: Where): Compiled {
    const column = this.column(field, 'value');
    if (!this.many.has(field)) {
      return this.compiled(
        `SELECT ${column} AS value FROM rows WHERE ${column} IS NOT NULL AND ${this.condition(where)} ORDER BY ${column} LIMIT 1`,
      );
    }
    return this.compiled(
      `SELECT value FROM many WHERE field = ${this.bind(field)} AND value IS NOT NULL` +
        ` AND row IN (SELECT id FROM rows WHERE ${this.condition(where)}) ORDER BY value LIMIT 1`,
    );
  }

  private compiled(sql: string): Compiled {
    return { sql, bound: this.bound };
  }

  private condition(where: Where): string {
    switch (where.op) {
      case 'and':
      case 'or':
        if (where.of.length === 0) return where.op === 'and' ? '1' : '0';
        return `(${where.of.map((part) => this.condition(part)).join(where.op === 'and' ? ' AND ' : ' OR ')})`;
      case 'not':
        // A comparison with NULL is NULL, and so would be its opposite.
        return `NOT coalesce(${this.condition(where.of)}, 0)`;
      case 'keyAfter':
        return `key > ${this.bind(where.key)}`;
      case 'contains':
        return `instr(${this.column(where.field, 'text')}, ${this.bind(foldText(where.part))}) > 0`;
      case 'near': {
        this.declared(where.field, 'places');
        const field = this.bind(where.field);
        return `id IN (SELECT row FROM places WHERE field = ${field} AND ${withinCircle(where, (value) => this.bind(value))})`;
      }
      default: {
        const column = this.column(where.field, 'value');
        if (!this.many.has(where.field)) return this.comparison(column, where);
        const chosen = where.op === 'ne' ? 'NOT IN' : 'IN';
        const field = this.bind(where.field);
        const one: ValueCondition = where.op === 'ne' ? { ...where, op: 'eq' } : where;
        return `id ${chosen} (SELECT row FROM many WHERE field = ${field} AND ${this.comparison('value', one)})`;
      }
    }
  }

  private comparison(column: string, where: ValueCondition): string {
    switch (where.op) {
      case 'eq':
        return where.value === null ? `${column} IS NULL` : `${column} = ${this.bind(toSql(where.value))}`;
      case 'ne':
        return where.value === null ? `${column} IS NOT NULL` : `${column} IS NOT ${this.bind(toSql(where.value))}`;
      case 'in':
        return this.membership(column, where.values);
      default:
        return this.range(column, where);
    }
  }

  /**
   * Repeats the last value up to a power of two, so that lists of all lengths share a few statements. SQLite bounds the
   * number of values; a longer list becomes one value for texts and one for numbers.
   */
  private membership(column: string, values: readonly Scalar[]): string {
    const all = [...new Set(values)];
    const parts: string[] = [];
    const isLong = all.length > LONGEST_SPREAD;
    const inOne = isLong ? all.filter((value) => typeof value === 'string' || typeof value === 'number') : [];
    if (isLong) parts.push(`${column} IN (SELECT value FROM json_each(${this.bind(JSON.stringify(inOne))}))`);
    const present = all.filter((value) => value !== null && (!isLong || typeof value === 'boolean'));
    const last = present.at(-1);
    if (last !== undefined) {
      const places = Array.from({ length: 2 ** Math.ceil(Math.log2(present.length)) }, (_, index) =>
        this.bind(toSql(present[index] ?? last)),
      );
      parts.push(`${column} IN (${places.join(', ')})`);
    }
    if (all.includes(null)) parts.push(`${column} IS NULL`);
    return parts.length === 0 ? '0' : `(${parts.join(' OR ')})`;
  }

  /**
   * A range holds only within the type of its bound; SQLite's own comparison crosses types. It uses one bound on each side of an
   * index, and not always the narrower one: so there is no other one where the conditions have it.
   */
  private range(column: string, { op, field, value }: RangeCondition): string {
    const compared = `${column} ${COMPARISONS[op]} ${this.bind(value)}`;
    if (this.between.has(field)) return compared;
    const upwards = op === 'gt' || op === 'gte';
    if (typeof value === 'string')
      return `${compared} AND ${column} ${upwards ? `< ${AFTER_STRINGS}` : `>= ${AFTER_NUMBERS}`}`;
    return upwards ? `${compared} AND ${column} < ${AFTER_NUMBERS}` : compared;
  }

  private column(field: string, kind: 'value' | 'text'): string {
    this.declared(field, kind);
    return columnOf(field);
  }

  private declared(field: string, kind: string): void {
    const fields = this.view.fields;
    if (!Object.hasOwn(fields, field) || fields[field]?.kind !== kind) {
      throw new RangeError(`the view ${this.view.name} declares no ${kind} field ${field}`);
    }
  }

  private bind(value: SQLInputValue): string {
    this.bound.push(value);
    return '?';
  }
}

/** The fields that conditions, which must all hold, bound on both sides by values of one type. */
function boundedIn(where: Where): ReadonlySet<string> {
  const sides = new Map<string, Set<string>>();
  for (const each of conditionsOf(where)) {
    if (each.op !== 'lt' && each.op !== 'lte' && each.op !== 'gt' && each.op !== 'gte') continue;
    const side = each.op.startsWith('g') ? 'above' : 'below';
    sides.set(each.field, (sides.get(each.field) ?? new Set()).add(`${side} ${typeof each.value}`));
  }
  const isBounded = (of: ReadonlySet<string>): boolean =>
    of.size === 2 && ['number', 'string'].some((type) => of.has(`above ${type}`) && of.has(`below ${type}`));
  return new Set([...sides].filter(([, of]) => isBounded(of)).map(([field]) => field));
}
