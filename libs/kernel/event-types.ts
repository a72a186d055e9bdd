import type { EventBody } from './event.js';

/** Turns the data of an older version of an event type into the data of the next version. It is pure and stays for ever. */
export interface Upcaster {
  readonly from: string;
  readonly to: string;
  readonly change: (data: object) => object;
}

/**
 * The names of the numbers in an event's data, also of those in its parts (`terms.price`); with a question mark, of those that may be
 * null.
 */
export type NumberIn<Data> = {
  [Name in keyof Data & string]: number extends Data[Name]
    ? null extends Data[Name]
      ? `${Name}?`
      : Name
    : Data[Name] extends Part
      ? `${Name}.${NumberIn<Data[Name]>}`
      : never;
}[keyof Data & string];

/** A part of an event's data: no list, and never null. */
type Part = object & { readonly length?: never };

/** The numbers that folds count with, by event type. */
export type NumbersOf<E extends EventBody> = {
  readonly [Type in E['type']]?: readonly NumberIn<Extract<E, { readonly type: Type }>['data']>[];
};

/**
 * The numbers that a stream gives out one after another from 0, by event type, each with the most that one event gives out. So
 * the length of the stream bounds them: a set that holds one bit for each would take all memory for a larger one.
 */
export type GivenOutBy<E extends EventBody> = {
  readonly [Type in E['type']]?: {
    readonly [Name in keyof Extract<E, { readonly type: Type }>['data'] & string]?: number;
  };
};

/** The stored type names of one aggregate in their present versions, and the upcasters from older versions. */
export interface EventTypes {
  readonly category: string;
  readonly names: readonly string[];
  readonly upcasters: readonly Upcaster[];
  /** The numbers that must be numbers in each event that is read: a fold would make NaN of anything else, and sell. */
  readonly numbers: { readonly [type in string]?: readonly string[] };
  /** Numbers that are bounded by the length of their stream (`GivenOutBy`). */
  readonly givenOut?: { readonly [type in string]?: { readonly [name in string]?: number } };
}

/** Lists an aggregate's stored type names. The compiler requires every member of the union and no other name. */
export function defineEventTypes<E extends EventBody>(
  category: string,
  names: Readonly<Record<E['type'], true>>,
  upcasters: readonly Upcaster[] = [],
  numbers: NumbersOf<E> = {},
  givenOut: GivenOutBy<E> = {},
): EventTypes {
  return { category, names: Object.keys(names), upcasters, numbers, givenOut };
}
