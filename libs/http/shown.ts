import type { z } from 'zod';

/** Values that a schema takes, not to be changed: what presenters make. */
export type Shown<Schema extends z.ZodType> = Frozen<z.output<Schema>>;

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Frozen<T[Name]> }
    : T;
