import { parse } from 'qs';
import { Refused } from './errors.js';

/** How deep a body may be nested. What is stored is written out again, level by level, on a stack that has an end. */
const LEVELS = 64;

/** How many parameters a form or a query may have, and how many values a list in it. Bodies of JSON are bounded in bytes. */
const MOST = 2000;

/**
 * The value of a JSON body; undefined for an empty one (ruling A2).
 * @throws Refused 400 (ruling A8)
 */
export function jsonOf(body: string): unknown {
  if (body === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refused(400, 'validation_failed', 'malformed JSON');
  }
  if (deeperThan(LEVELS, value)) {
    throw new Refused(400, 'validation_failed', `malformed JSON: more than ${LEVELS} levels`);
  }
  return value;
}

/**
 * The parameters of a form body or of a query string: `a[]=x&a[]=y` and `a=x&a=y` are lists, `user[email]=x` is a section
 * (ruling A2). What is beyond a bound, and `__proto__` as a name, is refused: nothing is left out silently.
 * @throws Refused 400 (ruling A8)
 */
export function formOf(form: string, what: 'form' | 'query string'): object {
  if (form === '') return {};
  try {
    return parse(form, {
      plainObjects: true,
      depth: LEVELS - 1,
      strictDepth: true,
      parameterLimit: MOST,
      arrayLimit: MOST,
      throwOnLimitExceeded: true,
      decoder: (text, _ours, _charset, kind) => (kind === 'key' ? nameIn(text) : decoded(text)),
    });
  } catch (error) {
    const why = error instanceof URIError ? error.message : `at most ${MOST} parameters, in ${LEVELS} levels`;
    throw new Refused(400, 'validation_failed', `malformed ${what}: ${why}`);
  }
}

/** @throws URIError where qs would take the text as it stands */
function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new URIError('a % that is followed by no UTF-8');
  }
}

/** @throws URIError for a name that qs would leave out */
function nameIn(text: string): string {
  const name = decoded(text);
  if (/(^|\[)__proto__(\]|\[|$)/.test(name)) throw new URIError('__proto__ is no name for a parameter');
  return name;
}

function deeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => deeperThan(levels - 1, part));
}
