import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyInForm, keyInJson } from './api-key-scan.js';
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

/** The result of parsing: the key, no key (`undefined`), or one that can belong to nobody (`''`). */
function parsed(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || !('api_key' in given)) return undefined;
  return typeof given.api_key === 'string' ? given.api_key : '';
}

describe('A4 H5: the key in a body', () => {
  it('is found in JSON exactly where parsing finds it', () => {
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

  it('is found in a form exactly where parsing finds it', () => {
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

  it('belongs to nobody if the body breaks off or the key is too long', () => {
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
