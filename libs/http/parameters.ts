import { z } from 'zod';
import {
  MOST_FAULTS,
  FLOATS,
  FREE_OBJECT,
  INTEGERS,
  LISTS,
  LONGEST_EMAIL,
  LONGEST_TIME,
  LONGEST_FAULT_NAME,
  TEXTS,
  UNITS,
  type FloatName,
  type IntegerName,
  type ListName,
  type TextName,
} from '#kernel/bounds';
import { beginning, emailFault } from '#kernel';
import { ValidationFailed, missing, type ErrorEntry } from './errors.js';
import { isExact, isOtherNumber, isPlainNumber, LONGEST_NUMBER, nearest, SentNumber } from './sent-number.js';

/**
 * A String parameter; an integer counts as its decimal text, and any other number is refused (rulings A2, I1). An empty text
 * counts as missing.
 * @param name the kind of text, which sets its bounds
 */
export const text = (name: TextName): z.ZodType<string> =>
  'names' in TEXTS[name]
    ? naming(TEXTS[name].most)
    : bounded(name, z.string({ error: NO_TEXT }).min(1, { error: BLANK }));

/** A String parameter that may be empty. */
export const perhapsEmpty = (name: TextName): z.ZodType<string> => bounded(name, z.string({ error: NO_TEXT }));

/** The fault of a number that is sent for a String, and that JSON or a caller's library may have changed (ruling I1). */
export const AS_STRING = 'must be sent as a String';

/** The message for a fault of a String parameter. @param words the message for every value that is not a number */
export const unlessNumber =
  (words: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    isOtherNumber(input) ? AS_STRING : words;

const NO_TEXT = unlessNumber('must be text');
const BLANK = 'must not be blank';

/** An id or slug of something that exists. One that is too long is cut, and so names nothing (ruling A8). */
const naming = (most: number): z.ZodType<string> =>
  z.preprocess(cut(most), z.string({ error: NO_TEXT }).min(1, { error: BLANK })).meta({ maxLength: most });

const bounded = (name: TextName, any: z.ZodString): z.ZodType<string> => {
  const bound: { readonly most: number; readonly lines?: true; readonly said?: true } = TEXTS[name];
  const plain = bound.lines === true ? /^(?:[\t\n\r]|[^\p{Cc}\p{Cs}])*$/u : /^[^\p{Cc}\p{Cs}]*$/u;
  const long = { error: `must have at most ${bound.most} characters`, abort: true };
  // Zod counts code points: alone it would accept a text that was cut inside a surrogate pair.
  const sound = any
    .max(bound.most, long)
    .refine((input) => input.length <= bound.most, long)
    .refine((input) => plain.test(input), { error: 'must have no control characters' });
  const said = bound.said === true ? sound.refine((input) => /\S/.test(input), { error: BLANK }) : sound;
  return z.preprocess(cut(bound.most), said);
};

/** A parameter that may be absent. An empty text is absent too, as in a form field that was not filled in. */
export const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | undefined> =>
  z.preprocess((input) => (input === '' ? undefined : input), schema.optional());

/**
 * An Integer parameter, as a number or its text. One that a JavaScript number does not hold exactly is refused, never rounded.
 */
export const integer = (name: IntegerName): z.ZodType<number> => {
  const [min, max] = INTEGERS[name];
  const least = min > Number.MIN_SAFE_INTEGER ? `must be an integer of at least ${min}` : 'must be an integer';
  const range = max < Number.MAX_SAFE_INTEGER ? `must be an integer from ${min} to ${max}` : least;
  const [read, error] = MONEY.has(name) ? ([centsOf, NO_CENTS] as const) : ([integerOf, range] as const);
  return z.preprocess(read, z.int({ error }).min(min, { error: range }).max(max, { error: range }));
};

/** Amounts in cents. A caller who writes decimals means another unit, so decimals are refused. */
const MONEY: ReadonlySet<IntegerName> = new Set(['cents', 'anyCents', 'seenCents']);
const NO_CENTS = 'must be an integer in cents, such as 2500';

/** The price that a buyer has seen. It reads any integer: the decider refuses every price but the current one (ruling D5). */
export const seenPrice = (): z.ZodType<number> => {
  const [minimum, maximum] = INTEGERS.cents;
  return integer('seenCents').meta({ minimum, maximum });
};

/** Units of one purchase. It reads any integer: the decider refuses an impossible quantity (ruling D2). */
export const units = (): z.ZodType<number> => {
  const [minimum, maximum] = UNITS;
  return integer('any').meta({ minimum, maximum });
};

/** A Float parameter, as a number or its text: the nearest number of 64 bits, as in every language. */
export const float = (name: FloatName): z.ZodType<number> => {
  const [min, max] = FLOATS[name];
  const error = `must be a number from ${min} to ${max}`;
  return z.preprocess(floatOf, z.number({ error }).min(min, { error }).max(max, { error }));
};

/** A Boolean parameter, as a boolean or its text. */
export const boolean = (): z.ZodType<boolean> =>
  z.preprocess(
    (input) => (input === 'true' ? true : input === 'false' ? false : input),
    z.boolean({ error: 'must be true or false' }),
  );

/** A list: `a[]=x&a[]=y`, `a=x,y` and a JSON array are the same (ruling A2). Blanks around an element do not belong to it. */
export const words = <T>(name: ListName, part: z.ZodType<T>): z.ZodType<T[]> =>
  listed(
    name,
    z.array(z.preprocess(trimmed, part), { error: 'must be a list, or values with commas between them' }),
    (input) => (typeof input === 'string' ? input.split(',', LISTS[name] + 1) : input),
  );

/** An element of a list, without the blanks that people write around it. */
export const trimmed = (element: unknown): unknown => (typeof element === 'string' ? element.trim() : element);

/** A list that must be an array. */
export const list = <T>(name: ListName, part: z.ZodType<T>, error: string): z.ZodType<T[]> =>
  listed(name, z.array(part, { error }), (input) => input);

/** Counts the elements first: a list that is too long is one fault, and no element is read. */
function listed<T>(name: ListName, schema: z.ZodType<T[]>, parted: (input: unknown) => unknown): z.ZodType<T[]> {
  const most = LISTS[name];
  return z
    .preprocess((input, context) => {
      const parts = parted(input);
      if (!Array.isArray(parts) || parts.length <= most) return parts;
      context.addIssue({ code: 'custom', message: `must have at most ${most} elements` });
      return z.NEVER;
    }, schema)
    .meta({ maxItems: most });
}

/** One of a few values. */
export const oneOfWords = <T extends string>(words: readonly T[]): z.ZodType<T> =>
  z.enum(words as readonly [T, ...T[]], { error: unlessNumber(`must be one of ${words.join(', ')}`) });

/** An ISO 8601 date and time, UTC if it has no offset. The result is milliseconds since 1970. */
export const instant = (): z.ZodType<number> =>
  timeText().transform((input, context) => instantOf(input) ?? refuseTime(context, INSTANT));

/**
 * A moment in an operators' call: like `instant`, but a bare day is refused, because it leaves open which moment it means
 * (ruling I7).
 * @param ofDay the time of day that the refusal suggests
 */
export const moment = (ofDay: string): z.ZodType<number> =>
  timeText().transform((input, context) => {
    const at = instantOf(input);
    if (at === undefined) return refuseTime(context, INSTANT);
    return DAY_ALONE.test(input) ? refuseTime(context, wholeDay(`${input}T${ofDay}Z`)) : at;
  });

/** A moment in an operators' call, which is local time if it has no offset: then the result is that text (ruling I7). */
export const localMoment = (): z.ZodType<number | string> =>
  timeText(LOCAL_TIME_FORM).transform((input, context) => {
    const at = instantOf(input);
    if (at === undefined) return refuseTime(context, INSTANT);
    if (DAY_ALONE.test(input)) return refuseTime(context, wholeDay(`${input}T23:59:59`));
    return OFFSET.test(input.slice(10)) ? at : input;
  });

const timeText = (form = TIME_FORM) =>
  z.string({ error: NO_INSTANT }).max(LONGEST_TIME, { error: INSTANT, abort: true }).describe(form);

function refuseTime(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

const wholeDay = (example: string): string => `is a whole day: send a moment of it, such as ${example}`;

/** Milliseconds since 1970; undefined for a text that is no moment, such as a whole day (ruling I7). */
export function instantOfText(input: string): number | undefined {
  return DAY_ALONE.test(input) ? undefined : instantOf(input);
}

/** Milliseconds since 1970; undefined for a text that is no time. */
function instantOf(input: string): number | undefined {
  if (!ISO.test(input) || !isDay(input.slice(0, 10))) return undefined;
  const ms = Date.parse(OFFSET.test(input.slice(10)) || DAY_ALONE.test(input) ? input : `${input}Z`);
  return ms >= FIRST && ms <= LAST ? ms : undefined;
}

/** The bounds of years with four digits, in UTC. */
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

const OFFSET = /Z|[+-]\d\d:?\d\d$/;
const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;

/** False for a day that does not exist: Date.parse reads 30 February as 2 March. */
function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** The form of a time, for the description of a parameter. */
export const TIME_FORM = 'ISO 8601, such as 2027-01-31T12:00:00Z; UTC if it has no offset.';
/** The form of a time that is local without an offset. */
export const LOCAL_TIME_FORM =
  'ISO 8601, such as 2027-01-31T23:59:59, in the local time of the deal’s region; or with an offset, such as 2027-01-31T23:59:59Z.';
const INSTANT = 'must be a time such as 2027-01-31T12:00:00Z';
const NO_INSTANT = unlessNumber(INSTANT);

/**
 * Reads parameters with a schema. It leaves out names that are not in the schema.
 * @throws ValidationFailed with an entry for each field that is missing or has a wrong type; the entry names the fix
 */
export function read<T>(schema: z.ZodType<T>, parameters: unknown, resource: string): T {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  throw new ValidationFailed(faultsOf(parsed.error, parameters, resource));
}

/**
 * Runs all readers.
 * @throws ValidationFailed with the faults of all of them, in their order
 */
export function readTogether<T extends readonly unknown[]>(...readers: { [Nth in keyof T]: () => T[Nth] }): T {
  const entries: ErrorEntry[] = [];
  const values = readers.map((reader: () => unknown) => {
    try {
      return reader();
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      entries.push(...error.entries);
      return undefined;
    }
  });
  if (entries.length > 0) throw new ValidationFailed(entries);
  return values as unknown as T;
}

/**
 * The faults that a schema found, one per field or element of a list, in the order of the schema. At most `MOST_FAULTS`: then a
 * last entry without a field says that there are more.
 */
export function faultsOf(error: z.ZodError, parameters: unknown, resource: string): ErrorEntry[] {
  const seen = new Set<string>();
  const entries: ErrorEntry[] = [];
  for (const { issue, place, element } of placesOf(error)) {
    const field = place.length > LONGEST_FAULT_NAME ? `${beginning(place, LONGEST_FAULT_NAME)}…` : place;
    const known = element === undefined ? field : `${field} ${element}`;
    if (seen.has(known)) continue;
    if (entries.length === MOST_FAULTS) return [...entries, { type: 'invalid', message: MORE, resource }];
    seen.add(known);
    const input = valueAt(parameters, issue.path);
    const isMissing = element === undefined && (input === undefined || input === '');
    if (issue.code !== 'unrecognized_keys' && isMissing) {
      entries.push(missing(field, resource));
    } else {
      const message = issue.code === 'unrecognized_keys' ? 'is not an attribute' : issue.message;
      const detail = element === undefined ? (isOneOfMany(issue, input) ? ONCE : undefined) : `element ${element}`;
      entries.push({ type: 'invalid', message, field, resource, ...(detail !== undefined && { detail }) });
    }
  }
  return entries;
}

const ONCE = 'it is given more than once: give it once';
const SINGLE: ReadonlySet<string> = new Set(['string', 'number', 'int', 'boolean']);

/** Whether a single value was given several times, as in `region=a&region=b`. */
function isOneOfMany(issue: z.core.$ZodIssue, input: unknown): boolean {
  return issue.code === 'invalid_type' && SINGLE.has(issue.expected) && Array.isArray(input) && input.length > 1;
}

const MORE = `more than ${MOST_FAULTS} faults; these are the first`;

/** A fault with the name of its field; `element` counts from 1 if it is an element of a list, which has no name of its own. */
interface Placed {
  readonly issue: z.core.$ZodIssue;
  readonly place: string;
  readonly element?: number;
}

/** A list of sections: the place of one begins the places of its parts, such as `locations.0.hours`. */
function isSectionWanted(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && issue.expected === 'object';
}

/** Each fault with its place; each unknown name is a fault. */
function* placesOf({ issues }: z.ZodError): Generator<Placed> {
  for (const issue of issues) {
    const last = issue.path.at(-1);
    if (issue.code === 'unrecognized_keys') for (const place of issue.keys) yield { issue, place };
    else if (typeof last === 'number' && !isSectionWanted(issue))
      yield { issue, place: issue.path.slice(0, -1).join('.'), element: last + 1 };
    else yield { issue, place: issue.path.join('.') };
  }
}

function valueAt(parameters: unknown, path: readonly PropertyKey[]): unknown {
  let value = parameters;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return value;
}

function decimalText(input: unknown): unknown {
  return isPlainNumber(input) ? String(input) : input;
}

/** Cuts a text to one character more than allowed: later checks still see that it is too long, but read no more. */
const cut =
  (most: number) =>
  (input: unknown): unknown =>
    typeof input === 'string' && input.length > most ? input.slice(0, most + 1) : decimalText(input);

/** The number of a text, or of a number whose text matters; any other input as it is. The schema refuses what is no number. */
function asNumber(input: unknown, read: (text: string, isJson: boolean) => number | undefined): unknown {
  if (input instanceof SentNumber) return read(input.toString(), true) ?? input;
  if (typeof input !== 'string' || input.length > LONGEST_NUMBER) return input;
  return read(input, false) ?? input;
}

const DECIMAL = /^-?\d+(\.\d+)?$/;
const WHOLE = /^-?\d+$/;

const floatOf = (input: unknown): unknown =>
  asNumber(input, (text, isJson) => (isJson || DECIMAL.test(text) ? nearest(text) : undefined));
/** `25.0` is an integer, and so is `2e3` in JSON. */
const integerOf = (input: unknown): unknown =>
  asNumber(input, (text, isJson) => ((isJson || DECIMAL.test(text)) && isExact(text) ? nearest(text) : undefined));
/** `25.00` does not mean cents. */
const centsOf = (input: unknown): unknown =>
  asNumber(input, (text) => (WHOLE.test(text) && isExact(text) ? nearest(text) : undefined));

/** An e-mail address (ruling I6). A refusal names the part that is wrong. */
export const emailAddress = (): z.ZodType<string> =>
  z.preprocess(
    cut(LONGEST_EMAIL),
    z
      .string({ error: unlessNumber('must be an e-mail address, as text') })
      .superRefine((input, context) => {
        const fault = emailFault(input);
        if (fault !== undefined) context.addIssue({ code: 'custom', message: `must be an e-mail address: ${fault}` });
      })
      .meta({ format: 'email', maxLength: LONGEST_EMAIL }),
  );

/** A slug: `a-z`, `0-9` and `-` (ruling B2). */
export const slug = (): z.ZodType<string> =>
  z.preprocess(
    cut(TEXTS.id.most),
    z.string({ error: NO_SLUG }).max(TEXTS.id.most, { error: NO_SLUG }).regex(SLUG, { error: NO_SLUG }),
  );

const NO_SLUG = unlessNumber(`must be a slug: a-z, 0-9 and - inside, at most ${TEXTS.id.most} characters`);
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** A calendar date, `YYYY-MM-DD` (ruling B1). */
export const date = (): z.ZodType<string> =>
  z.preprocess(cut(DAY.length), z.iso.date({ error: unlessNumber(`must be a date such as ${DAY}`) }).max(DAY.length));

const DAY = '1990-12-31';

/** Text of digits only, such as a card number. An integer counts as its text. */
export const digits = (most: number, pattern: RegExp, words: string): z.ZodType<string> => {
  const error = unlessNumber(words);
  return z.preprocess(cut(most), z.string({ error }).max(most, { error, abort: true }).regex(pattern, { error }));
};

/** Two letters, such as a country's code, made upper case. */
export const twoLetters = (): z.ZodType<string> =>
  z.preprocess(
    (input) => (typeof input === 'string' && input.length <= TEXTS.line.most ? input.trim() : input),
    z
      .string({ error: TWO_LETTERS })
      .max(2, { error: TWO_LETTERS, abort: true })
      .regex(/^[A-Za-z]{2}$/, { error: TWO_LETTERS })
      .transform((input) => input.toUpperCase()),
  );

const TWO_LETTERS = unlessNumber('must be two letters');

/** Whether a value has named values: neither a list nor a number. */
export function isSection(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input) && !(input instanceof SentNumber);
}

/**
 * An object with any content. It checks the bounds before it reads the values. It is stored and shown as JSON, so a number in it
 * must have the same decimal value after that (ruling I1): `1.50` and `2e3` do, `8389766145050669870` does not.
 */
export const freeObject = (): z.ZodType<Record<string, unknown>> =>
  z
    .preprocess(
      (input, context) => {
        if (!isSection(input) && !Array.isArray(input)) return input;
        const fault = shapeFault(input);
        if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
        const lost: Lost[] = [];
        const plain = fault === undefined ? withNumbers(input, [], lost) : input;
        for (const path of lost) context.addIssue({ code: 'custom', message: AS_STRING, path: [...path] });
        if (fault !== undefined || lost.length > 0) return z.NEVER;
        if (Buffer.byteLength(JSON.stringify(plain)) <= FREE_OBJECT.bytes) return plain;
        context.addIssue({ code: 'custom', message: `must have at most ${FREE_OBJECT.bytes} bytes as JSON` });
        return z.NEVER;
      },
      z.record(z.string(), z.unknown(), { error: 'must be an object' }),
    )
    .meta({ maxProperties: FREE_OBJECT.values, description: FREE });

const FREE = `At most ${FREE_OBJECT.values} values in ${FREE_OBJECT.levels} levels, and ${FREE_OBJECT.bytes} bytes as JSON.`;

/** The place of a number that would lose digits. */
type Lost = readonly (string | number)[];

/** A value with JavaScript numbers for all `SentNumber`s. @param lost receives the places of those that would change */
function withNumbers(value: unknown, path: Lost, lost: Lost[]): unknown {
  if (value instanceof SentNumber) {
    if (!value.isExact) lost.push(path);
    return value.value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each, nth) => withNumbers(each, [...path, nth], lost));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withNumbers(each, [...path, name], lost)] as const),
  );
}

/** The message for the first bound that an object's shape exceeds; undefined if it keeps all of them. */
function shapeFault(input: object): string | undefined {
  let values = 0;
  let longest = '';
  const forbidden: string[] = [];
  const isWithin = (value: unknown, levels: number): boolean => {
    if (typeof value !== 'object' || value === null) return true;
    if (levels === 0) return false;
    for (const name in value) {
      values += 1;
      if (name.length > longest.length) longest = name;
      if (name === '__proto__') forbidden.push(name);
      if (values > FREE_OBJECT.values || !isWithin((value as Record<string, unknown>)[name], levels - 1)) return false;
    }
    return true;
  };
  const { levels, name } = FREE_OBJECT;
  if (!isWithin(input, levels)) return `must have at most ${FREE_OBJECT.values} values in ${levels} levels`;
  // Libraries leave out this name: its value would be lost.
  if (forbidden.length > 0) return 'must have no name __proto__';
  return longest.length > name ? `must have names of at most ${name} characters` : undefined;
}
