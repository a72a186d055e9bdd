import { JSON_BOUNDS } from '#kernel/bounds';
import { Refused } from './errors.js';
import { FormFault, parametersOf } from './forms.js';
import { placeIn, placeOfRepeatedName } from './json-place.js';
import { namesIn, shapeOf } from './json-shape.js';
import { isPlainText, SentNumber } from './sent-number.js';

/**
 * The value of a JSON text; undefined for an empty one (ruling A2). It counts levels and values before it parses. No value of
 * the text is lost or changed (ruling I1): an object that names something twice is refused, and a number that JavaScript would
 * change is a `SentNumber`.
 * @throws Refused 400 (ruling A8)
 */
export function jsonOf(text: string): unknown {
  if (text === '') return undefined;
  const { levels, values } = JSON_BOUNDS;
  const shape = shapeOf(text);
  if (shape.levels > levels) throw malformed(`JSON: more than ${levels} levels`);
  if (shape.values > values) throw malformed(`JSON: more than ${values} values`);
  const value = parsed(text, shape.hasOtherNumbers);
  if (namesIn(value) !== shape.names) throw malformed(`JSON: an object has a name twice${placeOfRepeatedName(text)}`);
  return value;
}

/** @param hasOtherNumbers whether to look at the text of each number, which takes several times as long */
function parsed(text: string, hasOtherNumbers: boolean): unknown {
  try {
    return hasOtherNumbers ? parse(text, sentNumber) : parse(text);
  } catch (error) {
    throw malformed(`JSON${placeIn(text, error as Error)}`);
  }
}

/** TypeScript does not know yet that a reviver receives the text of a primitive value. */
const parse = JSON.parse as (
  text: string,
  revive?: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

function sentNumber(_name: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  return typeof value !== 'number' || isPlainText(source) ? value : new SentNumber(source);
}

/**
 * The parameters of a JSON body; undefined for an empty body and for null.
 * @throws Refused 400 (ruling A8); 422 for a value that is not an object, and so has no named parameters
 */
export function objectOf(body: string): object | undefined {
  const value = jsonOf(body) ?? undefined;
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) return value;
  throw new Refused(422, 'validation_failed', 'the body must be a JSON object');
}

/**
 * The parameters of a form body or of a query string (ruling A2). It never drops parameters silently: too many are refused.
 * @throws Refused 400 (ruling A8); 415 for JSON that is labelled as a form, as curl does by default
 */
export function formOf(form: string, what: 'form' | 'query string'): object {
  if (form === '') return {};
  if (what === 'form' && JSON_TEXT.test(form)) throw new Refused(415, 'validation_failed', JSON_AS_FORM);
  try {
    return parametersOf(form);
  } catch (error) {
    if (error instanceof FormFault) throw malformed(`${what}: ${error.message}`);
    throw error;
  }
}

/** No form begins like this: senders of forms encode a brace. */
const JSON_TEXT = /^\s*\{/;
const JSON_AS_FORM = 'the body looks like JSON, but is sent as a form: send it with content-type: application/json';

function malformed(what: string): Refused {
  return new Refused(400, 'validation_failed', `malformed ${what}`);
}
