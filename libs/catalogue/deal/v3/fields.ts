import { BadQuery } from '#http';
import { FIELD_LIST_GRAMMAR } from './field-list.grammar.js';
import { parserOf } from './generated-parser.js';

/** A field of an answer. */
export interface Field<Thing> {
  /** @param chosen the requested sub-fields, for a field with sub-fields */
  readonly show: (thing: Thing, chosen: Chosen) => unknown;
  readonly parts?: Fields<never>;
}

/** Fields by name, in the order of answers. */
export type Fields<Thing> = Readonly<Record<string, Field<Thing>>>;

/** The fields that a caller requested, in the order of the answer. */
export type Chosen = readonly { readonly name: string; readonly parts: Chosen }[];

/** The tree that the grammar builds; `parts` is null for all sub-fields. */
type Named = readonly { readonly name: string; readonly parts: Named | null }[];

const parse = parserOf<Named>('fields', FIELD_LIST_GRAMMAR, 'such as id,title,images[small,large]');

/** The names of fields, each with its sub-fields in brackets. */
export function namesOf(fields: Fields<never>): string {
  const written = ([name, { parts }]: [string, Field<never>]): string =>
    parts === undefined ? name : `${name}[${namesOf(parts)}]`;
  return Object.entries(fields).map(written).join(',');
}

/** The names of chosen fields: the same for all callers who chose the same. */
export function namesOfChosen(chosen: Chosen): string {
  return chosen.map(({ name, parts }) => (parts.length === 0 ? name : `${name}[${namesOfChosen(parts)}]`)).join(',');
}

/**
 * Reads `fields`, the fields that a caller requests. A field without brackets shows all its sub-fields. A field that is
 * named twice shows once, with the sub-fields of both.
 * @throws BadQuery with the first unknown field (ruling B5)
 */
export function readFields(text: string, fields: Fields<never>): Chosen {
  return chosenOf(parse(text), fields);
}

/** Every field with all its sub-fields. */
export function allOf(fields: Fields<never>): Chosen {
  return Object.entries(fields).map(([name, { parts }]) => ({ name, parts: allOf(parts ?? {}) }));
}

/** The chosen fields of a thing; computes no others. */
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
    // Checks the sub-fields of every mention, so that none is unknown.
    const chosen = chosenOf(
      times.flatMap((time) => time.parts ?? []),
      parts,
    );
    return [{ name, parts: times.some((time) => time.parts === null) ? allOf(parts) : chosen }];
  });
}
