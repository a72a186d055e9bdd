import type { Model } from './linearizable.js';

/** The service's time around an operation, in milliseconds: it decided not before `from` and not after `to`. */
export interface Around {
  readonly from: number;
  readonly to: number;
}

/** What an operation on a deal's units did, by its answer. */
export type UnitOperation = Around &
  (
    | { readonly type: 'reserve'; readonly id: string; readonly quantity: number; readonly deadline: number }
    | { readonly type: 'claim'; readonly id: string; readonly quantity: number }
    | { readonly type: 'release'; readonly id: string }
    /** It was refused because only so many units are left; 0 for none. */
    | { readonly type: 'too few'; readonly left: number }
    /** A checkout or a resale takes its units, and gives them back if it comes to nothing. */
    | { readonly type: 'take'; readonly id: string; readonly quantity: number }
    | { readonly type: 'give back'; readonly id: string }
    | { readonly type: 'set stock'; readonly units: number | null }
    /** The stock was not set, because more units than that are held and sold. */
    | { readonly type: 'stock too low'; readonly units: number }
    /** The unit of a cancelled coupon. */
    | { readonly type: 'return' }
    /** From now on the deal has a pool of codes, or so many more of them: each unit takes one, for good. */
    | { readonly type: 'add codes'; readonly codes: number }
  );

interface Hold {
  readonly id: string;
  readonly quantity: number;
  readonly deadline: number;
}

/** One deal's units. */
export interface UnitsState {
  readonly stock: number | null;
  /** Codes that were ever added; null without a pool. */
  readonly codes: number | null;
  /** Units that were ever taken, without those of checkouts and resales that came to nothing. */
  readonly used: number;
  /** Units that are sold, and those of open checkouts and resales. */
  readonly taken: number;
  /** Open holds, earliest deadline first. */
  readonly holds: readonly Hold[];
  readonly claimed: ReadonlySet<string>;
  /** Units of checkouts and resales, by id. */
  readonly takings: ReadonlyMap<string, number>;
}

/**
 * What the units of one deal may be, seen by its clients: a unit is given to one of them, a hold ends at its deadline by the clock
 * alone, and a refusal tells the truth about what is left.
 * @param tolerance milliseconds by which the clocks of deciding processes may differ from the one that was read
 */
export function dealUnits(stock: number | null, tolerance: number): Model<UnitsState, UnitOperation> {
  return {
    initial: { stock, codes: null, used: 0, taken: 0, holds: [], claimed: new Set(), takings: new Map() },
    step: (state, op) => step(without(state, op.from - tolerance), op, op.to + tolerance),
    keyOf: ({ stock: of, codes, used, taken, holds, claimed, takings }) =>
      `${of} ${codes} ${used} ${taken} ${holds.map(({ id }) => id).join()} ${[...claimed].sort().join()} ${[...takings.keys()].sort().join()}`,
  };
}

/** The state without the holds whose deadline is past for certain. */
function without(state: UnitsState, now: number): UnitsState {
  const [first] = state.holds;
  if (first === undefined || first.deadline > now) return state;
  return { ...state, holds: state.holds.filter(({ deadline }) => deadline > now) };
}

function step(state: UnitsState, op: UnitOperation, latest: number): UnitsState | undefined {
  switch (op.type) {
    case 'reserve': {
      const { id, quantity, deadline } = op;
      const freed = free(state, quantity, latest);
      return freed && { ...freed, holds: sorted([...freed.holds, { id, quantity, deadline }]) };
    }
    case 'claim': {
      const { id, quantity } = op;
      if (state.claimed.has(id)) return state;
      // Without an open hold it takes fresh units. Its own units are free then.
      const own = { ...state, holds: state.holds.filter((hold) => hold.id !== id) };
      const freed = free(own, quantity, latest);
      return freed && { ...used(freed, quantity), claimed: new Set([...state.claimed, id]) };
    }
    case 'release':
      if (state.claimed.has(op.id)) return undefined;
      return { ...state, holds: state.holds.filter(({ id }) => id !== op.id) };
    case 'too few':
      return possiblyLeft(state, latest).some((left) => Math.max(0, left) === op.left) ? state : undefined;
    case 'take': {
      const freed = free(state, op.quantity, latest);
      const takings = new Map([...state.takings, [op.id, op.quantity] as const]);
      return freed && { ...used(freed, op.quantity), takings };
    }
    case 'give back': {
      const quantity = state.takings.get(op.id);
      if (quantity === undefined) return undefined;
      const takings = new Map([...state.takings].filter(([id]) => id !== op.id));
      return { ...used(state, -quantity), takings };
    }
    case 'set stock': {
      if (op.units === null) return { ...state, stock: null };
      // A pool bounds what is sold, and not the stock.
      const freed = free({ ...state, stock: op.units, codes: null }, 0, latest);
      return freed && { ...freed, codes: state.codes };
    }
    case 'stock too low':
      return possiblyLeft({ ...state, stock: op.units, codes: null }, latest).some((left) => left < 0)
        ? state
        : undefined;
    case 'return':
      return state.taken === 0 ? undefined : { ...state, taken: state.taken - 1 };
    case 'add codes':
      return { ...state, codes: (state.codes ?? 0) + op.codes };
  }
}

function leftOf({ stock, codes, used: given, taken, holds }: UnitsState): number {
  const held = holds.reduce((sum, { quantity }) => sum + quantity, 0);
  const inStock = stock === null ? Infinity : stock - taken - held;
  return codes === null ? inStock : Math.min(inStock, codes - given - held);
}

/** The state after so many more units were taken. */
function used(state: UnitsState, quantity: number): UnitsState {
  return { ...state, used: state.used + quantity, taken: state.taken + quantity };
}

/** The state with so many units left, after as few holds as possible have ended; undefined if that is not possible by `latest`. */
function free(state: UnitsState, quantity: number, latest: number): UnitsState | undefined {
  let freed = state;
  while (leftOf(freed) < quantity) {
    const [first, ...others] = freed.holds;
    if (first === undefined || first.deadline > latest) return undefined;
    freed = { ...freed, holds: others };
  }
  return freed;
}

/** The units that may be left: some of the holds whose deadline is near may have ended. */
function possiblyLeft(state: UnitsState, latest: number): readonly number[] {
  let left = leftOf(state);
  const possible = [left];
  for (const { deadline, quantity } of state.holds) if (deadline <= latest) possible.push((left += quantity));
  return possible;
}

function sorted(holds: readonly Hold[]): readonly Hold[] {
  return holds.toSorted((a, b) => a.deadline - b.deadline || (a.id < b.id ? -1 : 1));
}
