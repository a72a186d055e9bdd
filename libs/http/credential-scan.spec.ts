import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { credentialsInForm, credentialsInJson } from './credential-scan.js';
import { parametersOf } from './forms.js';

const NAMES = fc.constantFrom(
  'api_key',
  'api\\u005fkey',
  'access_token',
  'access\\u005ftoken',
  'access_toke',
  '\\u0061pi_key',
  'api_ke',
  'api_keys',
  'a',
  '',
  'x"y',
  '\\\\',
);

/** The result of parsing: each credential, or `''` for one that can belong to nobody. */
function parsed(given: unknown): object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  const found = Object.entries(given).filter(([name]) => name === 'api_key' || name === 'access_token');
  return Object.fromEntries(found.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

describe('A4 A7 H5: the credentials in a body', () => {
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
        expect(credentialsInJson(Buffer.from(`${gap}${text}`))).toEqual(parsed(JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found in a form exactly where parsing finds it', () => {
    const part = fc.constantFrom(
      'api_key',
      'api%5Fkey',
      'access_token',
      'access%5ftoken',
      '%61pi_key',
      'api_ke',
      'a',
      '',
      'k%20y',
      '+',
      '=',
    );
    const form = fc.array(fc.tuple(part, fc.constantFrom('=', ''), part), { maxLength: 4 });
    fc.assert(
      fc.property(form, (pairs) => {
        const text = pairs.map((pair) => pair.join('')).join('&');
        expect(credentialsInForm(Buffer.from(text))).toEqual(parsed(parametersOf(text)));
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
      expect(credentialsInJson(Buffer.from(text)).api_key ?? '').toBe('');
    for (const name of ['api_key', 'access_token']) {
      expect(credentialsInJson(Buffer.from(`{"${name}":"${'x'.repeat(5_000)}"}`))).toEqual({ [name]: '' });
      expect(credentialsInForm(Buffer.from(`${name}=${'x'.repeat(5_000)}`))).toEqual({ [name]: '' });
      expect(credentialsInForm(Buffer.from(`${name}=%`))).toEqual({ [name]: '' });
      expect(credentialsInForm(Buffer.from(`${name}=a&${name}=b`))).toEqual({ [name]: '' });
    }
  });
});
