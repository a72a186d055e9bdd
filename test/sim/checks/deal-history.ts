import { idOf, type Recorded } from '#kernel';
import { type Act, isFinal, isForgotten, type Try } from '../workload/history.js';
import type { UnitOperation } from './deal-units.js';
import type { Called } from './linearizable.js';

/** The longest from a decision until its event is on disk, in milliseconds: it waits in a queue and for syncs. */
const UNTIL_WRITTEN = 15_000;

type Plain = UnitOperation extends infer Op ? (Op extends UnitOperation ? Omit<Op, 'from' | 'to'> : never) : never;

interface Data {
  readonly reservation_id: string;
  readonly purchase_id: string;
  readonly resale_id: string;
  readonly quantity: number;
  readonly deadline: number;
  readonly stock: number | null;
  readonly codes: readonly string[];
}

interface Shown {
  readonly id?: string;
  readonly purchase_id?: string;
  readonly error_msg?: string;
  readonly detail?: string;
  readonly purchase?: { readonly id: string; readonly fulfillment_state: string };
}

/** A final answer to an act, and the span of the tries of which it may tell. */
interface Answered {
  readonly act: Act;
  readonly first: Try;
  readonly last: Try;
  readonly status: number;
  readonly shown: Shown;
}

/**
 * The operations on each deal's units as the clients saw them. What no answer tells (of tries whose answers were lost, of
 * timers and operators' imports) is taken from the log: there it has happened shortly before it was on disk, or never.
 */
export class DealHistories {
  readonly #of = new Map<string, Called<UnitOperation>[]>();
  /** What answers have told, as `what id`. */
  readonly #told = new Set<string>();
  /** The first try of each claim and release, as `what id`: every later one, in any act, has the same answer. */
  readonly #began = new Map<string, Try>();
  readonly #holds = new Map<string, { readonly deal: string; readonly quantity: number; readonly deadline: number }>();

  /** @param written when each event was written, in milliseconds of the world, by its index in the log */
  constructor(events: readonly Recorded[], written: readonly number[], acts: readonly Act[]) {
    for (const { stream, type, data } of events) {
      const { reservation_id, quantity, deadline } = data as Data;
      if (type === 'hold-placed.v1') this.#holds.set(reservation_id, { deal: idOf(stream), quantity, deadline });
    }
    for (const { meaning, tries } of acts) {
      const [first] = tries;
      if (first === undefined || (meaning.type !== 'claim' && meaning.type !== 'release')) continue;
      const what = `${meaning.type} ${meaning.purchase}`;
      if (first.sent < (this.#began.get(what)?.sent ?? Infinity)) this.#began.set(what, first);
    }
    const setStocks: Answered[] = [];
    const answers = acts.flatMap(answersOf).sort((a, b) => a.last.ended - b.last.ended);
    for (const answered of answers) this.#answer(answered, setStocks);
    events.forEach((event, index) => {
      if (event.stream.startsWith('inventory-')) this.#event(event, written[index] ?? 0, setStocks);
    });
  }

  /** The history of each deal. */
  get all(): ReadonlyMap<string, readonly Called<UnitOperation>[]> {
    return this.#of;
  }

  #add(deal: string, answered: Answered, op: Plain): void {
    const { first, last } = answered;
    const around = { from: first.clockSent, to: last.clockEnded };
    this.#push(deal, { op: { ...op, ...around }, invoked: first.sent, returned: last.ended });
  }

  #push(deal: string, called: Called<UnitOperation>): void {
    const history = this.#of.get(deal) ?? [];
    history.push(called);
    this.#of.set(deal, history);
  }

  /** What an answer tells of a deal's units; of several that tell the same, the first. */
  #answer(answered: Answered, setStocks: Answered[]): void {
    const { meaning } = answered.act;
    const { status, shown } = answered;
    const id = shown.purchase?.id ?? shown.id ?? shown.purchase_id ?? '';
    const deal =
      'deal' in meaning ? meaning.deal : 'purchase' in meaning ? this.#holds.get(meaning.purchase)?.deal : undefined;
    if (deal === undefined) return;
    const left = leftIn(shown);
    if (status >= 300 && left !== undefined) this.#add(deal, answered, { type: 'too few', left });
    const told = (what: string): boolean => {
      const isNew = !this.#told.has(`${what} ${id}`);
      this.#told.add(`${what} ${id}`);
      return isNew;
    };
    const began = (what: string): Answered => ({
      ...answered,
      first: this.#began.get(`${what} ${id}`) ?? answered.first,
    });
    switch (meaning.type) {
      case 'reserve': {
        const hold = this.#holds.get(id);
        if (status === 200 && hold !== undefined && told('reserve'))
          this.#add(deal, answered, { type: 'reserve', id, ...hold });
        return;
      }
      case 'claim': {
        const quantity = this.#holds.get(meaning.purchase)?.quantity ?? 0;
        if (status === 200 && told('claim')) this.#add(deal, began('claim'), { type: 'claim', id, quantity });
        return;
      }
      case 'release':
        if (status === 200 && told('release')) this.#add(deal, began('release'), { type: 'release', id });
        return;
      case 'buy':
        if (status === 200 && shown.purchase?.fulfillment_state === 'fulfilled' && told('take'))
          this.#add(deal, answered, { type: 'take', id, quantity: meaning.quantity });
        return;
      case 'set-stock':
        if (status === 200) setStocks.push(answered);
        else if (meaning.units !== null && shown.detail?.includes('held') === true)
          this.#add(deal, answered, { type: 'stock too low', units: meaning.units });
        return;
      default:
        return;
    }
  }

  /** What the log alone tells. */
  #event({ stream, type, data, metadata }: Recorded, at: number, setStocks: Answered[]): void {
    const deal = idOf(stream);
    const { reservation_id, purchase_id, resale_id, quantity, stock } = data as Data;
    const add = (op: Plain): void => {
      const around = { from: metadata.time, to: metadata.time };
      this.#push(deal, { op: { ...op, ...around }, invoked: at - UNTIL_WRITTEN, returned: at });
    };
    const unlessTold = (what: string, id: string, op: Plain): void => {
      if (!this.#told.has(`${what} ${id}`)) add(op);
    };
    switch (type) {
      case 'hold-placed.v1': {
        const { deadline } = data as Data;
        unlessTold('reserve', reservation_id, { type: 'reserve', id: reservation_id, quantity, deadline });
        return;
      }
      case 'hold-claimed.v1':
      case 'units-sold.v1':
        unlessTold('claim', purchase_id, { type: 'claim', id: purchase_id, quantity });
        return;
      case 'hold-released.v1':
        unlessTold('release', reservation_id, { type: 'release', id: reservation_id });
        return;
      case 'checkout-started.v1':
        unlessTold('take', purchase_id, { type: 'take', id: purchase_id, quantity });
        return;
      case 'resale-started.v1':
        add({ type: 'take', id: resale_id, quantity });
        return;
      case 'checkout-undone.v1':
        add({ type: 'give back', id: purchase_id });
        return;
      case 'resale-undone.v1':
        add({ type: 'give back', id: resale_id });
        return;
      case 'unit-returned.v1':
        add({ type: 'return' });
        return;
      case 'codes-added.v1':
        add({ type: 'add codes', codes: (data as Data).codes.length });
        return;
      case 'stock-set.v1': {
        const teller = setStocks.findIndex(({ act: { meaning }, first, last }) => {
          const isIt = meaning.type === 'set-stock' && meaning.deal === deal && meaning.units === stock;
          return isIt && first.sent <= at && at <= last.ended;
        });
        const [answered] = teller === -1 ? [] : setStocks.splice(teller, 1);
        if (answered === undefined) add({ type: 'set stock', units: stock });
        else this.#add(deal, answered, { type: 'set stock', units: stock });
        return;
      }
    }
  }
}

/** The final answers of an act: one, or several if its key was forgotten between them. */
function answersOf(act: Act): readonly Answered[] {
  if (act.meaning.type === 'other') return [];
  const answered: Answered[] = [];
  act.tries.forEach((last) => {
    if (last.reply?.kind !== 'answer' || !isFinal(last.reply.answer)) return;
    const { status, text } = last.reply.answer;
    // Under a key, an earlier try may have decided what a later one answers.
    const first = act.key !== undefined ? (act.tries[0] ?? last) : last;
    if (!text.startsWith('{') || (answered.length > 0 && !isForgotten(act))) return;
    answered.push({ act, first, last, status, shown: JSON.parse(text) as Shown });
  });
  return answered;
}

/** The units that are left, if a refusal tells that they are too few. */
function leftIn({ error_msg = '' }: Shown): number | undefined {
  if (error_msg === 'nothing is left') return 0;
  const [, count] = /^not enough units are left: (\S+) available$/.exec(error_msg) ?? [];
  return count === undefined ? undefined : count === 'none' ? 0 : Number(count);
}
