/** A document of a collection; nobody changes it. */
export type Document = Readonly<Record<string, unknown>> & { readonly _id: string };
/** Conditions on fields, as MongoDB's: a value, or operators. */
export type Filter = Readonly<Record<string, unknown>>;
/** Changes of fields, by operator. */
export type Update = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

type Operator = (value: unknown, operand: unknown) => boolean;

const isBelow = (one: unknown, other: unknown): boolean => (one as number) < (other as number);

/** The operators that the product's own collections need; views have a store of their own. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  $ne: (value, operand) => value !== operand,
  $nin: (value, operand) => !(operand as readonly unknown[]).includes(value),
  $gt: (value, operand) => isBelow(operand, value),
  $lt: (value, operand) => isBelow(value, operand),
  $lte: (value, operand) => !isBelow(operand, value),
  $exists: (value, operand) => (value !== null) === operand,
  $gte: (value, operand) => !isBelow(value, operand),
};

export function matches(document: Document, filter: Filter): boolean {
  return Object.entries(filter).every(([field, condition]) => {
    if (field === '$or') return (condition as readonly Filter[]).some((each) => matches(document, each));
    const value = document[field] ?? null;
    if (typeof condition !== 'object' || condition === null) return value === condition;
    return Object.entries(condition).every(([name, operand]) => {
      const operator = OPERATORS[name];
      if (operator === undefined) throw new Error(`the simulated MongoDB has no operator ${name}`);
      return operator(value, operand);
    });
  });
}

/** The document after an update; `undefined`: it is inserted, with the values of the filter. */
export function updated(document: Document | undefined, filter: Filter, update: Update): Document {
  const made: Record<string, unknown> = { ...(document ?? plainOf(filter)) };
  for (const [operator, fields] of Object.entries(update)) {
    for (const [field, value] of Object.entries(fields)) {
      if (operator === '$set' || (operator === '$setOnInsert' && document === undefined)) made[field] = value;
      else if (operator === '$inc') made[field] = ((made[field] as number | undefined) ?? 0) + (value as number);
      else if (operator === '$unset') made[field] = undefined;
      else if (operator !== '$setOnInsert') throw new Error(`the simulated MongoDB has no operator ${operator}`);
    }
  }
  return made as Document;
}

function plainOf(filter: Filter): object {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => typeof value !== 'object'));
}
