import type { EventBody } from './event.js';

/** Turns the data of an older version of an event type into the next one's. Pure, and kept for ever. */
export interface Upcaster {
  readonly from: string;
  readonly to: string;
  readonly change: (data: object) => object;
}

/** The stored type names of one aggregate in their present versions, and how older versions become them. */
export interface EventTypes {
  readonly category: string;
  readonly names: readonly string[];
  readonly upcasters: readonly Upcaster[];
}

/** Lists an aggregate's stored type names; the compiler asks for every member of the union, and for no other. */
export function defineEventTypes<E extends EventBody>(
  category: string,
  names: Readonly<Record<E['type'], true>>,
  upcasters: readonly Upcaster[] = [],
): EventTypes {
  return { category, names: Object.keys(names), upcasters };
}
