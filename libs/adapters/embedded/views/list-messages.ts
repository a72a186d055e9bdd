import { DomainError, type View } from '#kernel';
import {
  type Query,
  RowVersions,
  type StoredRow,
  type ViewDamage,
  ViewNotReady,
  type Where,
} from '#eventsourcing/ports';

/** What the thread of lists is started with. */
export interface ListThreadData {
  /** The folder of the views. */
  readonly folder: string;
}

/** What to read of a view. */
export type ListRead =
  | { readonly kind: 'find' | 'versions'; readonly query: Query }
  | { readonly kind: 'count'; readonly where: Where; readonly examine: number };

/** What a reader needs of a view: all but its functions, which cannot go to a thread. */
export type ViewShape = Pick<View, 'name' | 'version' | 'indexes' | 'orders' | 'nearOrders'> & {
  readonly fields: Readonly<Record<string, { readonly kind: View['fields'][string]['kind'] }>>;
};

export interface ListRequest {
  readonly view: ViewShape;
  readonly read: ListRead;
}

/** What a read threw. */
export type Thrown =
  | { readonly as: 'refusal'; readonly code: DomainError['code']; readonly message: string; readonly details: object }
  | { readonly as: 'not-ready'; readonly view: string }
  | { readonly as: 'range'; readonly message: string }
  | { readonly as: 'fault'; readonly message: string };

/** What a read found: versions as their texts. */
export type Found =
  | { readonly kind: 'find'; readonly rows: readonly StoredRow[] }
  | { readonly kind: 'versions'; readonly keys: string; readonly positions: string }
  | { readonly kind: 'count'; readonly count: number };

/** The outcome of a read, with the milliseconds that it took; or, before it, a damage that it found. */
export type ListAnswer =
  | { readonly found: Found; readonly took: number }
  | { readonly thrown: Thrown; readonly took: number }
  | { readonly damage: ViewDamage };

export function shapeOf({ name, version, fields, indexes, orders, nearOrders }: View): ViewShape {
  const kinds = Object.entries(fields).map(([field, { kind }]) => [field, { kind }] as const);
  return { name, version, fields: Object.fromEntries(kinds), indexes, orders, nearOrders };
}

export function thrownAs(error: unknown): Thrown {
  const { message } = error as Error;
  if (error instanceof DomainError) return { as: 'refusal', code: error.code, message, details: error.details };
  if (error instanceof ViewNotReady) return { as: 'not-ready', view: error.view };
  return { as: error instanceof RangeError ? 'range' : 'fault', message };
}

export function errorOf(thrown: Thrown): Error {
  switch (thrown.as) {
    case 'refusal':
      return new DomainError(thrown.code, thrown.message, { ...thrown.details });
    case 'not-ready':
      return new ViewNotReady(thrown.view);
    case 'range':
      return new RangeError(thrown.message);
    case 'fault':
      return new Error(thrown.message);
  }
}

export function valueOf(found: Found): readonly StoredRow[] | RowVersions | number {
  switch (found.kind) {
    case 'find':
      return found.rows;
    case 'versions':
      return RowVersions.fromTexts(found.keys, found.positions);
    case 'count':
      return found.count;
  }
}
