import type { z } from 'zod';
import type { Keyring, PersonalData } from '#eventsourcing';
import { fieldsOf, type Instant, type Scalar, type View } from '#kernel';

/** What the items of lists are made with. */
export interface Presenting {
  readonly keyring: Keyring;
  readonly personalData: PersonalData;
  readonly now: Instant;
}

/** A parameter that selects rows. */
export interface Filter<Row extends object, F extends string, Value = never> {
  /** The parameter, with its description. */
  readonly schema: z.ZodType<Value>;
  /** The field of the view that it compares, and with which values; an index answers it if the view has an order that begins so. */
  readonly field?: F;
  readonly values?: (value: Value, keyring: Keyring) => readonly Scalar[];
  /** A view with a row for each value that exists, and what to do about another one. */
  readonly known?: { readonly view: View; readonly otherwise: string };
  /** Values that many rows have: the index of another filter is read, if there is one. */
  readonly often?: readonly Value[];
  /** Whether a row fits, where no index answers the filter and the field is not enough. */
  readonly fits?: (row: Row, value: Value, now: Instant) => boolean;
  /** Whether somebody may hold just this in their hand: then `find` looks for it, in texts of this form. */
  readonly held?: RegExp;
}

/** A value of an item, as its column shows it. */
export type Cell = string | number | boolean | null;

/** A list of one kind of thing, for operators and auditors. */
export interface LookUpList<Row extends object = object, F extends string = string> {
  /** The path behind `/operators/`, and the field of the answer. */
  readonly name: string;
  /** One of them, in one word: `purchase`. */
  readonly kind: string;
  /** The page of one, if it has one. */
  readonly page?: (item: Readonly<Record<string, Cell>>) => string;
  /** What it lists, in words: `purchases and reservations`. */
  readonly lists: string;
  readonly view: View<Row, F>;
  /** The field that sorts: a time, which `from` and `to` bound, or a text. */
  readonly sort: { readonly field: F; readonly descending: boolean; readonly by: 'time' | 'text' };
  /** The order in words: `newest first`. */
  readonly order: string;
  /** A condition of every row: one value of the first field of an order. */
  readonly only?: { readonly field: F; readonly value: Scalar };
  /** By parameter. If several have an index, the first one's is read, so those that select fewest rows come first. */
  readonly filters: Readonly<Record<string, Filter<Row, F>>>;
  readonly item: z.ZodObject;
  readonly present: (
    row: Row,
    presenting: Presenting,
  ) => Readonly<Record<string, Cell>> | Promise<Readonly<Record<string, Cell>>>;
}

/** The order of most lists. */
export const NEWEST_FIRST = {
  sort: { field: 'created_at', descending: true, by: 'time' },
  order: 'newest first',
} as const;

/** Checks the types of a list where it is defined: its filters take each what their schema gives. */
export function defineList<
  Row extends object,
  F extends string,
  Values extends Readonly<Record<string, unknown>>,
  Item extends z.ZodObject,
>(
  list: Omit<LookUpList<Row, F>, 'filters' | 'item' | 'present'> & {
    readonly filters: { readonly [Name in keyof Values]: Filter<Row, F, Values[Name]> };
    readonly item: Item;
    readonly present: (row: Row, presenting: Presenting) => z.infer<Item> | Promise<z.infer<Item>>;
  },
): LookUpList {
  return list as unknown as LookUpList;
}

/** Whether an index of the list's view has the rows with one value of this field in the order of the list. */
export function isIndexed({ view, sort }: Pick<LookUpList, 'view' | 'sort'>, field: string): boolean {
  return view.orders.some((order) => {
    const [first, second, ...others] = fieldsOf(order);
    return first?.field === field && second?.field === sort.field && others.length === 0;
  });
}
