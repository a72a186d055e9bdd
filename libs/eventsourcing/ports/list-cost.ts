import { DomainError } from '#kernel';
import { LIST_STEPS } from '#kernel/bounds';
import { listTooCostly } from './examined-rows.js';
import type { Query, Where } from './query.js';

/** How much a view has that a list without an index looks at. */
export interface ViewSize {
  readonly rows: number;
  /** Of all rows together. */
  readonly places: number;
}

/** What a list has too many of: circles, or conditions of another kind, or fields of its order. */
export interface Excess {
  readonly kind: Where['op'] | 'order';
  /** The field of the conditions; empty for an order. */
  readonly field: string;
  readonly has: number;
  readonly most: number;
  /** Among so many rows. */
  readonly rows: number;
}

/** The conditions of a list that look at one field in one way, or the fields of its order. */
interface Part extends Pick<Excess, 'kind' | 'field'> {
  count: number;
  /** Steps of each. */
  readonly steps: number;
}

/** The steps for a place, and for a row: a step is what SQLite does in about 0.1 µs. */
const STEPS = { place: 15, contains: 4, other: 1, order: 5 } as const;

/** How many circles a condition has. */
export function circlesIn(where: Where): number {
  return leavesOf(where).filter(({ op }) => op === 'near').length;
}

/**
 * Refuses a list that would look at too much, before it looks at anything (ruling I17): rows × conditions, and places × circles.
 * The dearest condition and the first field of the order do not count: each of them alone is always answered. Of the rows only so
 * many count as it may examine: it ends before it looks at more.
 * @throws DomainError list_too_costly, with the `Excess` in its details
 */
export function assertAffordable(
  { where, sort, examine = Infinity }: Pick<Query, 'where' | 'sort' | 'examine'>,
  view: ViewSize,
  most = LIST_STEPS,
): void {
  const size = { ...view, rows: Math.min(view.rows, examine) };
  const parts = [...conditionsOf(where, size), orderOf(sort, size)].filter(({ count }) => count > 0);
  const all = parts.reduce((sum, { count, steps }) => sum + count * steps, 0);
  const free = Math.max(0, ...parts.filter(({ kind }) => kind !== 'order').map(({ steps }) => steps));
  if (all - free <= most) return;
  const dearest = parts.reduce((one, other) => (other.count * other.steps > one.count * one.steps ? other : one));
  const { kind, field, count, steps } = dearest;
  const others = all - count * steps;
  const left = kind !== 'order' && steps === free ? most + free - others : most - others;
  throw tooMany({ kind, field, has: count, most: Math.max(0, Math.floor(left / steps)), rows: size.rows });
}

function tooMany(excess: Excess): DomainError {
  const { kind, field, has, most, rows } = excess;
  const what = kind === 'order' ? 'further fields of the order' : `conditions of ${field}`;
  const { code, message } = listTooCostly(`${has} ${what} for ${rows} rows, where ${most} are possible`);
  return new DomainError(code, message, { excess });
}

/** What a refusal says there is too much of; undefined for other refusals. */
export function excessOf({ details }: DomainError): Excess | undefined {
  return details['excess'] as Excess | undefined;
}

function conditionsOf(where: Where, { rows, places }: ViewSize): readonly Part[] {
  const parts = new Map<string, Part>();
  for (const leaf of leavesOf(where)) {
    const [kind, field] = [leaf.op, leaf.op === 'keyAfter' ? 'key' : leaf.field];
    const steps = kind === 'near' ? STEPS.place * places : rows * (kind === 'contains' ? STEPS.contains : STEPS.other);
    const name = `${kind} ${field}`;
    const part = parts.get(name) ?? { kind, field, count: 0, steps };
    part.count += 1;
    parts.set(name, part);
  }
  return [...parts.values()];
}

/** The first field costs one sort; each further one is compared where those before it are equal, and is carried along. */
function orderOf(sort: Query['sort'], { rows }: ViewSize): Part {
  return { kind: 'order', field: '', count: sort.length - 1, steps: STEPS.order * rows };
}

type Leaf = Exclude<Where, { readonly op: 'and' | 'or' | 'not' }>;

/** The conditions without those around them. */
function leavesOf(where: Where): readonly Leaf[] {
  switch (where.op) {
    case 'and':
    case 'or':
      return where.of.flatMap(leavesOf);
    case 'not':
      return leavesOf(where.of);
    default:
      return [where];
  }
}
