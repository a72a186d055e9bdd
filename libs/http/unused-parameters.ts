import { z } from 'zod';
import { LONGEST_IGNORED, MOST_IGNORED } from '#kernel/bounds';
import { CREDENTIAL_PARAMETERS } from './credential-parameters.js';
import { nearestName } from './nearest-name.js';

/** The names that a call takes, each with those of its section or of the sections in its list. */
export type TakenNames = ReadonlyMap<string, TakenNames | undefined>;

/** A parameter that a call did not use. */
export interface UnusedName {
  /** With the names of its sections, such as `user.firstname`. */
  readonly name: string;
  /** The name that the call takes and that comes nearest, in the same section; undefined if none is near. */
  readonly nearest: string | undefined;
}

/** The parameters that a call did not use. */
export interface Unused {
  readonly names: readonly UnusedName[];
  /** How many there are besides `names`. */
  readonly more: number;
}

/** The names that a schema takes; undefined if it is not one of a section. */
export function namesTaken(schema: z.ZodType | undefined): TakenNames | undefined {
  const inner = innermost(schema);
  if (!(inner instanceof z.ZodObject)) return undefined;
  return new Map(
    Object.entries(inner.shape as z.ZodRawShape).map(([name, each]) => [name, namesTaken(each as z.ZodType)]),
  );
}

/** A schema without what may be around it: optional, nullable, a default, a step before or after it, a list. */
function innermost(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return innermost(schema.unwrap());
  if (schema instanceof z.ZodPipe) return innermost(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  return schema instanceof z.ZodArray ? innermost(schema.element) : schema;
}

/**
 * The parameters that a call does not take (ruling A2); undefined if it takes all. For the names that callers usually send, it
 * only looks each of them up.
 */
export function unusedIn(parameters: object, taken: TakenNames): Unused | undefined {
  const found: Found = { names: new Map(), more: 0 };
  look(parameters, taken, '', found);
  return found.names.size === 0 && found.more === 0
    ? undefined
    : { names: [...found.names.values()], more: found.more };
}

interface Found {
  readonly names: Map<string, UnusedName>;
  more: number;
}

function look(given: object, taken: TakenNames, section: string, found: Found): void {
  for (const name of Object.keys(given)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (taken.has(name)) {
      const within = taken.get(name);
      if (within !== undefined) lookWithin(value, within, `${section}${name}.`, found);
    } else if (section !== '' || !CREDENTIAL_PARAMETERS.has(name)) {
      add(given, name, taken, section, found);
    }
  }
}

function lookWithin(value: unknown, taken: TakenNames, section: string, found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) look(value, taken, section, found);
  else for (const each of value as readonly unknown[]) lookWithin(each, taken, section, found);
}

/** What does not look like a name may be a value that was sent in the place of one: it is only counted. */
const NAME = /^[A-Za-z_][\w-]*$/;

function add(given: object, name: string, taken: TakenNames, section: string, found: Found): void {
  const whole = `${section}${name}`;
  if (found.names.has(whole)) return;
  if (found.names.size === MOST_IGNORED || whole.length > LONGEST_IGNORED || !NAME.test(name)) {
    found.more += 1;
    return;
  }
  const nearest = nearestName(
    name,
    [...taken.keys()].filter((each) => !Object.hasOwn(given, each)),
  );
  found.names.set(whole, { name: whole, nearest: nearest === undefined ? undefined : `${section}${nearest}` });
}

/** The value of `Holdfast-Ignored`, such as `firstname (first_name?), color, and 2 more`. It has only ASCII. */
export function ignoredHeader({ names, more }: Unused): string {
  const named = names.map(({ name, nearest }) => (nearest === undefined ? name : `${name} (${nearest}?)`));
  const rest = `${more} ${named.length === 0 ? 'without a name' : 'more'}`;
  return (more === 0 ? named : [...named, named.length === 0 ? rest : `and ${rest}`]).join(', ');
}
