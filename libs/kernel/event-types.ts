import type { EventBody } from './event.js';

/** Turns the data of an older version of an event type into the data of the next version. It is pure and stays for ever. */
export interface Upcaster {
  readonly from: string;
  readonly to: string;
  readonly change: (data: object) => object;
}

/** The stored type names of one aggregate in their present versions, and the upcasters from older versions. */
export interface EventTypes {
  readonly category: string;
  readonly names: readonly string[];
  readonly upcasters: readonly Upcaster[];
}

/** Lists an aggregate's stored type names. The compiler requires every member of the union and no other name. */
export function defineEventTypes<E extends EventBody>(
  category: string,
  names: Readonly<Record<E['type'], true>>,
  upcasters: readonly Upcaster[] = [],
): EventTypes {
  return { category, names: Object.keys(names), upcasters };
}
