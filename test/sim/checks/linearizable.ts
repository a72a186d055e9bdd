/** An operation of a history: what it did by its answer, and when it was called and answered. */
export interface Called<Op> {
  readonly op: Op;
  /** Any unit of time; it can have taken effect at `invoked`, at `returned`, or between. */
  readonly invoked: number;
  /** Infinity for one without an answer: it may take effect at any later time, or never. */
  readonly returned: number;
}

/** What may be true of one object: a state, and what each operation makes of it. */
export interface Model<State, Op> {
  readonly initial: State;
  /** The state after an operation with this answer; undefined if no such answer is possible in this state. */
  step(state: State, op: Op): State | undefined;
  /** The same text for equal states, and only for those. */
  keyOf(state: State): string;
}

export type Verdict<Op> =
  | { readonly kind: 'linearizable' }
  /** No order explains the answers. `blocked` is what no order got past, after as many operations as any order explained. */
  | { readonly kind: 'not'; readonly blocked: Called<Op>; readonly explained: number }
  /** The search was given up. */
  | { readonly kind: 'unknown' };

interface Entry<Op> {
  readonly called: Called<Op>;
  readonly index: number;
  readonly isReturn: boolean;
  before: Entry<Op> | undefined;
  after: Entry<Op> | undefined;
  /** Of a call: its return, if it has one. */
  match: Entry<Op> | undefined;
}

/**
 * Whether some order of the operations, each at one moment between its call and its return, gives every answer: the search of
 * Wing and Gong with Lowe's memory of states that led nowhere (as in Porcupine).
 * @param mostSteps after so many steps it gives up
 */
export function linearize<State, Op>(
  model: Model<State, Op>,
  history: readonly Called<Op>[],
  mostSteps: number,
): Verdict<Op> {
  const head = linked(history);
  let open = history.filter(({ returned }) => returned !== Infinity).length;
  const done = new Uint8Array(history.length);
  const seen = new Set<string>();
  const stack: { readonly entry: Entry<Op>; readonly state: State }[] = [];
  let state = model.initial;
  let entry = head.after;
  let best: { readonly blocked: Called<Op>; readonly explained: number } | undefined;
  for (let steps = 0; open > 0; steps += 1) {
    if (steps > mostSteps) return { kind: 'unknown' };
    // While somebody's return is in the list, the list does not end before it.
    if (entry === undefined) throw new RangeError('the list has lost a return');
    if (!entry.isReturn) {
      const next = model.step(state, entry.called.op);
      if (next !== undefined) {
        done[entry.index] = 1;
        const place = `${Buffer.from(done).toString('latin1')} ${model.keyOf(next)}`;
        if (!seen.has(place)) {
          seen.add(place);
          stack.push({ entry, state });
          state = next;
          if (entry.match !== undefined) open -= 1;
          lift(entry);
          entry = head.after;
          continue;
        }
        done[entry.index] = 0;
      }
      entry = entry.after;
      continue;
    }
    if (best === undefined || stack.length > best.explained) best = { blocked: entry.called, explained: stack.length };
    const last = stack.pop();
    if (last === undefined) return { kind: 'not', ...best };
    ({ state } = last);
    done[last.entry.index] = 0;
    if (last.entry.match !== undefined) open += 1;
    putBack(last.entry);
    entry = last.entry.after;
  }
  return { kind: 'linearizable' };
}

/** A list of all calls and returns in the order of time, behind an entry that stands for its beginning. */
function linked<Op>(history: readonly Called<Op>[]): Entry<Op> {
  const entries = history.flatMap((called, index) => {
    const none = { before: undefined, after: undefined };
    const end: Entry<Op> | undefined =
      called.returned === Infinity ? undefined : { called, index, isReturn: true, ...none, match: undefined };
    const call: Entry<Op> = { called, index, isReturn: false, ...none, match: end };
    return end === undefined ? [call] : [call, end];
  });
  const timeOf = ({ isReturn, called }: Entry<Op>): number => (isReturn ? called.returned : called.invoked);
  // At the same instant calls come first: then the two overlap.
  entries.sort((a, b) => timeOf(a) - timeOf(b) || Number(a.isReturn) - Number(b.isReturn));
  const head = {
    index: -1,
    isReturn: false,
    before: undefined,
    after: undefined,
    match: undefined,
  } as unknown as Entry<Op>;
  let last = head;
  for (const entry of entries) {
    entry.before = last;
    last.after = entry;
    last = entry;
  }
  return head;
}

function lift<Op>(entry: Entry<Op>): void {
  for (const each of [entry, entry.match]) {
    if (each === undefined) continue;
    if (each.before !== undefined) each.before.after = each.after;
    if (each.after !== undefined) each.after.before = each.before;
  }
}

/** Undoes `lift`: the entries still know their neighbours of that time. */
function putBack<Op>(entry: Entry<Op>): void {
  for (const each of [entry.match, entry]) {
    if (each === undefined) continue;
    if (each.before !== undefined) each.before.after = each;
    if (each.after !== undefined) each.after.before = each;
  }
}
