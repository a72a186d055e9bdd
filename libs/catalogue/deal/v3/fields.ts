import { BadQuery } from '#http';
import { FIELD_LIST_GRAMMAR } from './field-list.grammar.js';
import { parserOf } from './generated-parser.js';

/** A field that an answer may have. */
export interface Field<Thing> {
  /** @param chosen the sub-fields that are wanted, for a field that has some */
  readonly show: (thing: Thing, chosen: Chosen) => unknown;
  readonly parts?: Fields<never>;
}

/** Fields by name, in the order in which answers have them. */
export type Fields<Thing> = Readonly<Record<string, Field<Thing>>>;

/** The fields that a caller has chosen, in the order of the answer. */
export type Chosen = readonly { readonly name: string; readonly parts: Chosen }[];

/** What the grammar builds; no parts mean all. */
type Named = readonly { readonly name: string; readonly parts: Named | null }[];

const parse = parserOf<Named>('fields', FIELD_LIST_GRAMMAR, 'such as id,title,images[small,large]');

/** The names of fields, with the parts of those that have some. */
export function namesOf(fields: Fields<never>): string {
  const written = ([name, { parts }]: [string, Field<never>]): string =>
    parts === undefined ? name : `${name}[${namesOf(parts)}]`;
  return Object.entries(fields).map(written).join(',');
}

/**
 * Reads `fields`: which of these a caller wants. A field without brackets comes with all of its sub-fields; one that is named
 * twice comes once, with what either wants.
 * @throws BadQuery naming the first that there is not (ruling B5)
 */
export function readFields(text: string, fields: Fields<never>): Chosen {
  return chosenOf(parse(text), fields);
}

/** Every field with every part of it. */
export function allOf(fields: Fields<never>): Chosen {
  return Object.entries(fields).map(([name, { parts }]) => ({ name, parts: allOf(parts ?? {}) }));
}

/** The chosen fields of a thing. Nothing is worked out for the others. */
export function shown<Thing>(fields: Fields<Thing>, thing: Thing, chosen: Chosen): object {
  return Object.fromEntries(chosen.map(({ name, parts }) => [name, fields[name]?.show(thing, parts)]));
}

function chosenOf(named: Named, fields: Fields<never>): Chosen {
  const stranger = named.find(({ name }) => !Object.hasOwn(fields, name));
  if (stranger !== undefined) {
    throw new BadQuery(
      `fields= ${stranger.name} is not recognized as a valid field for inclusion in this JSON response`,
      `the fields are ${namesOf(fields)}`,
    );
  }
  const wanted = Map.groupBy(named, ({ name }) => name);
  return Object.entries(fields).flatMap(([name, { parts = {} }]) => {
    const times = wanted.get(name);
    if (times === undefined) return [];
    // Every time is looked at, so that each of its parts is one that there is.
    const chosen = chosenOf(
      times.flatMap((time) => time.parts ?? []),
      parts,
    );
    return [{ name, parts: times.some((time) => time.parts === null) ? allOf(parts) : chosen }];
  });
}
