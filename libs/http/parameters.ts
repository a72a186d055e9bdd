import { z } from 'zod';
import { ValidationFailed, missing, type ErrorEntry } from './errors.js';

/**
 * A String parameter; a number counts as its decimal text (ruling A2). Empty is absent.
 * @param most characters, where there is a bound
 */
export const text = (most = Infinity): z.ZodType<string> => {
  const any = z.string({ error: 'must be a text' }).min(1);
  const error = `must have at most ${most} characters`;
  return z.preprocess(decimalText, most === Infinity ? any : any.max(most, { error }));
};

/** A parameter that may be absent; empty is absent, as in a form that was not filled in. */
export const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | undefined> =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional());

/** An Integer parameter, as a number or its text. */
export const integer = (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): z.ZodType<number> => {
  const range =
    Number.isSafeInteger(min) && min > Number.MIN_SAFE_INTEGER
      ? `must be an integer of at least ${min}`
      : 'must be an integer';
  const error = max < Number.MAX_SAFE_INTEGER ? `must be an integer from ${min} to ${max}` : range;
  return z.preprocess(numberOf, z.int({ error }).min(min, { error }).max(max, { error }));
};

/** A Float parameter, as a number or its text. */
export const float = (min = -Infinity, max = Infinity): z.ZodType<number> => {
  const error = min === -Infinity ? 'must be a number' : `must be a number from ${min} to ${max}`;
  return z.preprocess(numberOf, z.number({ error }).min(min, { error }).max(max, { error }));
};

/** A Boolean parameter, as itself or its text. */
export const boolean = (): z.ZodType<boolean> =>
  z.preprocess(
    (given) => (given === 'true' ? true : given === 'false' ? false : given),
    z.boolean({ error: 'must be true or false' }),
  );

/** An Array of String parameter: `a[]=x&a[]=y`, `a=x,y` and a JSON array are the same. */
export const texts = (): z.ZodType<string[]> => words(text());

/** A list of such parts, given as `a,b` or as an array. */
export const words = <T>(part: z.ZodType<T>): z.ZodType<T[]> =>
  z.preprocess(
    (given) => (typeof given === 'string' ? given.split(',') : given),
    z.array(part, { error: 'must be a list, or its parts with commas between' }),
  );

/** One of a few words. */
export const oneOfWords = <T extends string>(words: readonly T[]): z.ZodType<T> =>
  z.enum(words as readonly [T, ...T[]], { error: `must be one of ${words.join(', ')}` });

/** An ISO 8601 date and time; without an offset it is UTC. Gives milliseconds since 1970. */
export const instant = (): z.ZodType<number> =>
  z
    .string({ error: INSTANT })
    .describe(TIME)
    .transform((given, context) => {
      const ms =
        ISO.test(given) && isDay(given.slice(0, 10))
          ? Date.parse(/Z|[+-]\d\d:?\d\d$/.test(given.slice(10)) || given.length === 10 ? given : `${given}Z`)
          : NaN;
      if (Number.isNaN(ms) || ms < FIRST || ms > LAST) context.addIssue({ code: 'custom', message: INSTANT });
      return ms;
    });

/** The years that have four digits, whatever the offset. */
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** False for a day that no calendar has: Date.parse takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

const TIME = 'ISO 8601, such as 2027-01-31T12:00:00Z; UTC where it has no offset.';
const INSTANT = 'must be a time such as 2027-01-31T12:00:00Z';

/**
 * Reads parameters by their schema; what the schema does not name is left out.
 * @throws ValidationFailed with one entry per field that is missing or of a wrong type, naming it and the fix
 */
export function read<T>(schema: z.ZodType<T>, parameters: unknown, resource: string): T {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  throw new ValidationFailed(faultsOf(parsed.error, parameters, resource));
}

/** The faults that a schema found, one per field, in the schema's order. */
export function faultsOf(error: z.ZodError, parameters: unknown, resource: string): ErrorEntry[] {
  const seen = new Set<string>();
  const entries: ErrorEntry[] = [];
  for (const issue of error.issues) {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')];
    for (const field of names) {
      if (seen.has(field)) continue;
      seen.add(field);
      const given = valueAt(parameters, issue.path);
      if (issue.code !== 'unrecognized_keys' && (given === undefined || given === '')) {
        entries.push(missing(field, resource));
      } else {
        const message = issue.code === 'unrecognized_keys' ? 'is not an attribute' : issue.message;
        entries.push({ type: 'invalid', message, field, resource });
      }
    }
  }
  return entries;
}

function valueAt(parameters: unknown, path: readonly PropertyKey[]): unknown {
  let value = parameters;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}

function decimalText(given: unknown): unknown {
  return typeof given === 'number' ? String(given) : given;
}

function numberOf(given: unknown): unknown {
  return typeof given === 'string' && /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
}

const NO_EMAIL = 'must be an e-mail address of at most 254 characters';

/** An e-mail address. */
export const emailAddress = (): z.ZodType<string> =>
  z.preprocess(decimalText, z.email({ error: NO_EMAIL }).max(254, { error: NO_EMAIL }));

/** A slug: `a-z`, `0-9` and `-` (ruling B2). */
export const slug = (): z.ZodType<string> =>
  z.preprocess(decimalText, z.string({ error: NO_SLUG }).max(200, { error: NO_SLUG }).regex(SLUG, { error: NO_SLUG }));

const NO_SLUG = 'must be a slug: a-z, 0-9 and - inside, at most 200 characters';
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** A calendar date, `YYYY-MM-DD` (ruling B1). */
export const date = (): z.ZodType<string> => z.iso.date({ error: 'must be a date such as 1990-12-31' });
