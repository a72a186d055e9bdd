import { z } from 'zod';
import { JSON_BOUNDS } from '#kernel/bounds';

/** A schema of the document: JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Converts the service's schemas to those of the document. A schema with an id becomes a component and is referenced. Objects
 * in answers are closed: they have no other properties. In requests, unknown names are ignored (ruling A2), or refused if the
 * schema is strict.
 */
export class Schemas {
  readonly #components = new Map<string, JsonSchema>();

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema of an answer. */
  ofAnswer(schema: z.ZodType): JsonSchema {
    return this.#converted(schema, 'output');
  }

  /** The schema of parameters in their usual form. Numbers may also come as text, and lists with commas (ruling A2). */
  ofParameters(schema: z.ZodType): JsonSchema {
    return this.#converted(schema, 'input');
  }

  #converted(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Inside another schema, a schema with an id becomes a reference.
    const { properties, $defs = {} } = referring(
      z.toJSONSchema(z.strictObject({ schema }), {
        io,
        unrepresentable: 'any',
        override({ zodSchema, jsonSchema }) {
          const made = jsonSchema as Record<string, unknown>;
          if (io === 'input' && zodSchema instanceof z.ZodObject) made['required'] = requiredOf(zodSchema);
          usual(made, io);
        },
      }),
    ) as {
      readonly properties: { readonly schema: JsonSchema };
      readonly $defs?: Readonly<Record<string, JsonSchema>>;
    };
    for (const [id, component] of Object.entries($defs)) this.#take(id, component);
    return properties.schema;
  }

  /** @throws Error if another schema has this id: a reference would mean the wrong one */
  #take(id: string, component: JsonSchema): void {
    const known = this.#components.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
      throw new Error(`two schemas have the id ${id}`);
    this.#components.set(id, component);
  }
}

/** The required parameters: those whose schema refuses `undefined`. */
function requiredOf({ shape }: z.ZodObject): string[] {
  return Object.entries(shape)
    .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
    .map(([name]) => name);
}

/** Formats whose name makes the pattern unnecessary. */
const SPEAKING = new Set<unknown>(['date', 'email', 'uri']);

/** Adds what Zod leaves open, and removes what is obvious. */
function usual(schema: Record<string, unknown>, io: 'input' | 'output'): void {
  if (schema['type'] === 'object' && 'properties' in schema) {
    schema['additionalProperties'] ??= io === 'input';
    if (schema['additionalProperties'] === true) schema['maxProperties'] ??= JSON_BOUNDS.values;
  }
  if (io === 'output' && schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (io === 'output' && schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (SPEAKING.has(schema['format'])) delete schema['pattern'];
  delete schema['propertyNames'];
}

/** Points references to the document's components, where the definitions are. */
function referring(schema: object): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
    ),
  );
}
