import type { AskOptions, Json } from '../../support/running-service.js';
import type { Line, Sample } from '../../interface/conventions.table.js';
import { CREDENTIALS, type CredentialName, type Spelling } from '../../support/documented-service.js';

/** The parts of a request to send. */
export interface Shot {
  readonly sample: Sample;
  readonly options: AskOptions;
  readonly query: Readonly<Record<string, string>>;
}

/** Whose credential a request has: that of the table, a user's access token, or any other. */
export type Credential = 'right' | 'access token' | CredentialName;

/** Mostly the right credential; of partners' calls, often a user's token. */
export function credentialFor({ who }: Line, random: () => number): Credential {
  const kind = random();
  if (kind < 0.85) return 'right';
  if (kind < 0.92 && who === 'partner') return 'access token';
  return CREDENTIALS[Math.floor(random() * CREDENTIALS.length)] ?? 'none';
}

const PLAIN: Spelling = { prefix: '', suffix: '' };

/** One of the spellings of a partner's path, which all mean the same call (ruling A1); other paths have one. */
export function spellingFor(route: string, { who }: Line, random: () => number): Spelling {
  if (!who.startsWith('partner') || random() < 0.7) return PLAIN;
  const suffix = random() < 0.5 ? '.json' : '';
  if (route.includes(' /api/v3/')) return { prefix: '', suffix };
  return { prefix: (['', '/v1', '/api/v1'] as const)[Math.floor(random() * 3)] ?? '', suffix };
}

const LONG = 'x'.repeat(3_000);
/** Values that hardly any parameter expects. */
const ODD: readonly Json[] = [
  '',
  ' ',
  'null',
  '0',
  '-1',
  '1e9',
  '99999999999999999999',
  'true',
  '\u0000',
  '\ud800',
  '😀 Ünïcode ß ſ',
  "'; DROP TABLE rows; --",
  '%00%ff',
  '../../etc',
  '[[[[',
  '*',
  LONG,
  0,
  -1,
  1.5,
  1e15,
  2 ** 53,
  -(2 ** 53),
  true,
  false,
  null,
  [],
  ['a', 'b'],
  [[1]],
  {},
  { a: { b: [1, null] } },
  '2026-02-30',
  '9999-12-31T23:59:59Z',
  '1969-07-20',
];

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { accept: 'text/html' },
  { accept: 'image/*;q=0.1, ;;' },
  { 'holdfast-position': '-1' },
  { 'holdfast-position': '99999999999999999999' },
  { 'holdfast-position': 'x' },
  { 'x-forwarded-for': '10.0.0.1, x', 'x-forwarded-proto': 'gopher' },
  { 'if-none-match': '*', 'if-modified-since': 'Fri, 31 Feb 2012 00:00:00 GMT' },
  { range: 'bytes=5-1', 'content-encoding': 'gzip' },
  { authorization: 'Basic' },
  { authorization: 'Bearer  ' },
  { 'accept-encoding': 'br;q=2', 'request-id': LONG },
];

/** A valid request. */
export function whole(sample: Sample): Shot {
  return { sample, options: {}, query: {} };
}

/** A valid request, or one that is broken in one or a few places. */
export function shotAt(sample: Sample, parameters: readonly Json[], random: () => number): Shot {
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const kind = random();
  if (kind < 0.4) return whole(sample);
  if (kind < 0.45)
    return { sample, query: {}, options: { body: one(['{', '[1', '"x"', '[]', 'nul', '{"a":']), headers: JSON_TYPE } };
  if (kind < 0.5) {
    const type = one(['text/xml', 'multipart/form-data', 'application/json; charset=latin1', 'x']);
    return { sample, query: {}, options: { body: 'a=1', headers: { 'content-type': type } } };
  }
  if (kind < 0.55)
    return { sample, query: {}, options: { headers: { 'idempotency-key': one(['k', LONG, `r${random()}`]) } } };
  if (kind < 0.6) return { sample, query: {}, options: { headers: one(ODD_HEADERS) } };
  const names = [...Object.keys(sample.send ?? {}), ...parameters.map(({ name }) => name as string), 'unheard_of'];
  let send: Record<string, Json> = { ...sample.send };
  let ids: Record<string, string> = { ...sample.ids };
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    const name = one(names);
    const what = random();
    if (what < 0.2) {
      const { [name]: _, ...rest } = send;
      send = rest;
    } else if (what < 0.55) {
      send = { ...send, [name]: one(ODD) };
    } else if (what < 0.85) {
      const schema = parameters.find((each) => each.name === name)?.schema;
      send = { ...send, [name]: valueOf(schema ?? {}, random) };
    } else if (Object.keys(ids).length > 0) {
      ids = {
        ...ids,
        [one(Object.keys(ids))]: String(one(ODD.filter((odd) => typeof odd === 'string' && odd !== ''))),
      };
    }
  }
  const broken = { ...sample, send, ids };
  const form = random();
  if (form < 0.15 && sample.lines === undefined) {
    return { sample: { ...broken, send: {} }, options: {}, query: asTexts(send) };
  }
  if (form < 0.3 && sample.lines === undefined) {
    const body = new URLSearchParams(asTexts(send)).toString();
    return { sample: broken, options: { body, headers: FORM_TYPE }, query: {} };
  }
  return { sample: broken, options: {}, query: {} };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

function asTexts(send: Readonly<Record<string, Json>>): Record<string, string> {
  const text = (value: Json): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  return Object.fromEntries(Object.entries(send).map(([name, value]) => [name, text(value).toWellFormed()]));
}

/** A value that a parameter's schema accepts, as far as the schema says. */
function valueOf(schema: Json, random: () => number): Json {
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  if (schema.enum !== undefined) return schema.enum[upTo(schema.enum.length - 1)];
  if (schema.anyOf !== undefined) return valueOf(schema.anyOf[upTo(schema.anyOf.length - 1)], random);
  const lowest = Number(schema.minimum ?? 0);
  const range = Math.min(100, Number(schema.maximum ?? 100) - lowest);
  switch ([schema.type].flat()[0]) {
    case 'integer':
      return lowest + upTo(range);
    case 'number':
      return lowest + random() * range;
    case 'boolean':
      return random() < 0.5;
    case 'array':
      return Array.from({ length: upTo(3) }, () => valueOf(schema.items ?? {}, random));
    case 'object':
      return Object.fromEntries(
        Object.entries<Json>((schema.properties ?? {}) as object).map(([name, each]) => [name, valueOf(each, random)]),
      );
    default:
      return schema.format === 'date'
        ? '1990-12-31'
        : schema.format === 'email'
          ? `a${upTo(1e6)}@example.org`
          : `t${upTo(99)}`;
  }
}
