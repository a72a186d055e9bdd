import { type Html, ownHtml as html } from '#http';
import { nameIn, type Schema } from './shapes.js';
import { prose } from './prose.js';

/** A schema in one line: its type and its bounds. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameIn(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return joined(either.map(typeOf), ' or ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return joined(
      schema.enum.map((each) => html`<code>${String(each)}</code>`),
      ', ',
    );
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything']);
  const bounds = boundsOf(schema);
  const words = bounds === '' ? types.join(' or ') : `${types.join(' or ')}, ${bounds}`;
  return schema.items === undefined ? html`${words}` : html`${words} of ${typeOf(schema.items)}`;
}

/**
 * A schema with its properties on all levels, except those of referenced schemas.
 * @param word the note at a property that must be present: `required` in a body
 */
export function schemaPart(schema: Schema, word: 'always there' | 'required' = 'always there'): Html {
  const either = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
  if (either !== undefined && either.length > 1) {
    return html`<p>One of these:</p>
      <ul>
        ${either.map((each) => html`<li>${typeOf(each)} ${inside(each, word)}</li>`)}
      </ul>`;
  }
  return html`<p>${typeOf(schema)}</p>
    ${inside(schema, word)}`;
}

/** The properties of an object, of a list's items, or of an object that may also be null. */
function inside(schema: Schema, word: string): Html | null {
  const [only] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const { properties, required = [] } = schema.items ?? only ?? schema;
  if (properties === undefined) return null;
  return html`<ul class="properties">
    ${Object.entries(properties).map(
      ([name, each]) =>
        html`<li>
          <code>${name}</code>
          <span class="type">${typeOf(each)}${required.includes(name) ? `, ${word}` : ''}</span>
          ${each.description === undefined ? null : html`<span>${prose(each.description)}</span>`} ${inside(each, word)}
        </li>`,
    )}
  </ul>`;
}

function boundsOf({ format, pattern, ...schema }: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    format ?? '',
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    pattern === undefined ? '' : `like ${pattern}`,
    schema.default === undefined ? '' : `else ${JSON.stringify(schema.default)}`,
  ]
    .filter((each) => each !== '')
    .join(', ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? '' : `at least ${least}${unit}`;
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${between}${part}`))}`;
}
