import { z } from 'zod';
import { JSON_BOUNDS } from '#http';

/** A schema as the document has it: JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Turns the service's schemas into those of the document. A schema with an id becomes a component, and is referred to.
 * Objects of answers are closed: what is not named is not there. Of what is sent, a name that is not known is passed over
 * (ruling A2), unless the schema is strict: then it is refused.
 */
export class Schemas {
  readonly #components = new Map<string, JsonSchema>();

  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** What an answer looks like. */
  ofAnswer(schema: z.ZodType): JsonSchema {
    return this.#converted(schema, 'output');
  }

  /** What may be sent, in its usual form: a number may come as its text, and a list with commas, too (ruling A2). */
  ofParameters(schema: z.ZodType): JsonSchema {
    return this.#converted(schema, 'input');
  }

  #converted(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Inside another, even a schema that has an id by itself becomes a reference.
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
    for (const [id, component] of Object.entries($defs)) this.#components.set(id, component);
    return properties.schema;
  }
}

/** What is refused where it is absent: the schemas themselves are asked, whatever they are made of. */
function requiredOf({ shape }: z.ZodObject): string[] {
  return Object.entries(shape)
    .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
    .map(([name]) => name);
}

/** Formats that say what their pattern says, in a word. */
const SPEAKING = new Set<unknown>(['date', 'email', 'uri']);

/** Says what zod leaves open, and leaves out what goes without saying. */
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

/** Definitions stand among the document's components. */
function referring(schema: object): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
    ),
  );
}
