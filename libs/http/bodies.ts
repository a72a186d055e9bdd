import { JSON_BOUNDS } from '#kernel/bounds';
import { Refused } from './errors.js';
import { FormFault, parametersOf } from './forms.js';
import { placeIn } from './json-place.js';

/**
 * The value of a JSON text; undefined for an empty one (ruling A2). It counts levels and values before it parses.
 * @throws Refused 400 (ruling A8)
 */
export function jsonOf(text: string): unknown {
  if (text === '') return undefined;
  const { levels, values } = JSON_BOUNDS;
  const counted = countJson(text);
  if (counted.levels > levels) throw malformed(`JSON: more than ${levels} levels`);
  if (counted.values > values) throw malformed(`JSON: more than ${values} values`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw malformed(`JSON${placeIn(text, error as Error)}`);
  }
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

/** How deep a JSON text is nested, and about how many values it has: it counts commas and opening brackets. */
function countJson(json: string): { readonly levels: number; readonly values: number } {
  let values = 0;
  let depth = 0;
  let levels = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case 0x22:
        for (at += 1; at < json.length && json.charCodeAt(at) !== 0x22; at += 1) {
          if (json.charCodeAt(at) === 0x5c) at += 1;
        }
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        values += 1;
        if (depth > levels) levels = depth;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      case 0x2c:
        values += 1;
        break;
      default:
    }
  }
  return { levels, values };
}

/** No form begins like this: senders of forms encode a brace. */
const JSON_TEXT = /^\s*\{/;
const JSON_AS_FORM = 'the body looks like JSON, but is sent as a form: send it with content-type: application/json';

function malformed(what: string): Refused {
  return new Refused(400, 'validation_failed', `malformed ${what}`);
}
