import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyInForm, keyInJson } from './keys-in.js';
import { parametersOf } from './forms.js';

const NAMES = fc.constantFrom(
  'api_key',
  'api\\u005fkey',
  '\\u0061pi_key',
  'api_ke',
  'api_keys',
  'a',
  '',
  'x"y',
  '\\\\',
);

/** What parsing finds: the key, none (`undefined`), or one that is nobody's (`''`). */
function parsed(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || !('api_key' in given)) return undefined;
  return typeof given.api_key === 'string' ? given.api_key : '';
}

describe('A4 H5: the key that a body names', () => {
  it('is found in JSON where parsing finds it, and nowhere else', () => {
    const names = NAMES.map((name) => (name.includes('"') ? JSON.stringify(name) : `"${name}"`));
    const blank = fc.constantFrom('', ' ', '\n\t');
    const json = fc.letrec<{ value: string; object: string }>((tie) => ({
      object: fc
        .array(fc.tuple(names, blank, tie('value')), { maxLength: 4 })
        .map(
          (members) => `{${members.map(([name, gap, value]) => `${gap}${name}${gap}:${gap}${value}${gap}`).join(',')}}`,
        ),
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('1', 'null', 'true', '""', '"k\\"}1"', '"api_key"', '"\\\\"', '"ß€"', '[]'),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
      ),
    }));
    fc.assert(
      fc.property(fc.oneof(json.object, json.value), blank, (text, gap) => {
        expect(keyInJson(Buffer.from(`${gap}${text}`))).toBe(parsed(JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found in a form where parsing finds it, and nowhere else', () => {
    const part = fc.constantFrom('api_key', 'api%5Fkey', '%61pi_key', 'api_ke', 'a', '', 'k%20y', '+', '=');
    const form = fc.array(fc.tuple(part, fc.constantFrom('=', ''), part), { maxLength: 4 });
    fc.assert(
      fc.property(form, (pairs) => {
        const text = pairs.map((pair) => pair.join('')).join('&');
        expect(keyInForm(Buffer.from(text))).toBe(parsed(parametersOf(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is nobody’s where the body breaks off, or it is longer than any', () => {
    for (const text of [
      '{"api_key',
      '{"api_key"',
      '{"api_key":',
      '{"api_key":"x',
      '{"api_key":"\\u00',
      '{"api_key":1}',
    ])
      expect(keyInJson(Buffer.from(text)) ?? '').toBe('');
    expect(keyInJson(Buffer.from(`{"api_key":"${'x'.repeat(5_000)}"}`))).toBe('');
    expect(keyInForm(Buffer.from(`api_key=${'x'.repeat(5_000)}`))).toBe('');
    expect(keyInForm(Buffer.from('api_key=%'))).toBe('');
  });
});
