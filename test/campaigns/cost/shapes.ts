import type { Json } from '../../support/running-service.js';

/** Where a gene is in a request. */
export type Place = 'query' | 'json' | 'form' | 'value' | 'header' | 'path';

/** A piece that is repeated: `#` in it is the number of the repetition, `$` the name of a parameter. */
export interface Gene {
  readonly place: Place;
  readonly open: string;
  readonly unit: string;
  readonly close: string;
  readonly times: number;
  readonly name: string;
}

/** The parts of a request besides its call and its credential: of several genes in one place the last counts. */
export type Shape = readonly Gene[];

/** The request that a shape forms from a call. */
export interface Rendered {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** What replaces the last id in the path. */
  readonly last: string | undefined;
}

/** The largest request line in characters and body in bytes: larger ones are refused at once. */
const LINE = 15_000;
const BODY = 1_100_000;

type Piece = readonly [open: string, unit: string, close: string];

const PIECES: Readonly<Record<Place, readonly Piece[]>> = {
  query: [
    ['', '$=#&', ''],
    ['', '$[#]=&', ''],
    ['', '$[]=&', ''],
    ['', '$[a][#]=&', ''],
    ['', 'a#&', ''],
    ['', '%61pi_ke=&', ''],
    ['', 'api_key=#&', ''],
    ['$=', '%41', ''],
    ['$=', ',', ''],
    ['$', '[a]', '=1'],
    ['', '&', ''],
    ['', '[', ''],
    ['$=', 'a[', ''],
    ['$=', '+', ''],
  ],
  json: [
    ['{', '"#":0,', '"a":0}'],
    ['{', '"":"",', '"a":0}'],
    ['{', '"api_key":"#",', '"a":0}'],
    ['{', '"\\u0061pi_ke\\u0079":"",', '"a":0}'],
    ['{"$":[', '"#",', '0]}'],
    ['{"$":[', '[],', '0]}'],
    ['{"$":"', ',', '"}'],
    ['{"$":"', '\\u0041', '"}'],
    ['{"$":"', '€', '"}'],
    ['{"$":', '[', ''],
    ['{"$":', '{"a":', ''],
    ['[', '0,', '0]'],
    [' ', '\n', '{}'],
    ['{"a":"', '\\"', '"}'],
    ['{"a":', '1', '}'],
  ],
  form: [
    ['', '$=#&', ''],
    ['', '$[#]=&', ''],
    ['', '$[]=&', ''],
    ['', 'a[b][#]=&', ''],
    ['', '%61pi_ke=&', ''],
    ['', 'api_key=%41&', ''],
    ['$=', '%E2%82%AC', ''],
    ['$=', ',', ''],
    ['', '&', ''],
  ],
  // Within a call that is otherwise valid.
  value: [
    ['"', 'x', '"'],
    ['"', 'a,', 'a"'],
    ['"', '[', '"'],
    ['"', 'category[a],', 'price>1"'],
    ['"', 'images[large],', 'id"'],
    ['"', '1', '"'],
    ['"', '(', '"'],
    ['"', '😀', '"'],
    ['[', '"a#",', '"a"]'],
    ['[', '{},', '{}]'],
    ['[', '#,', '0]'],
    ['{', '"a#":"x",', '"a":1}'],
    ['', '[', 'LEVELS'],
  ],
  header: [
    ['x-#', 'a', ''],
    ['authorization', 'Basic YTpi', ''],
    ['authorization', 'Bearer x', ''],
    ['authorization', 'x', ''],
    ['x-api-key', 'x', ''],
    ['idempotency-key', 'x', ''],
    ['holdfast-position', '9', ''],
    ['cookie', 'a=b;', ''],
    ['accept', 'a/b,', ''],
    ['x-forwarded-for', '10.0.0.1,', ''],
    ['content-type', 'application/json;', ''],
  ],
  path: [
    ['', 'x', ''],
    ['', '%41', ''],
    ['', '%E2%82%AC', ''],
    ['', '0', ''],
    ['', '-', ''],
    ['', ',', ''],
  ],
};

const PLACES = Object.keys(PIECES) as readonly Place[];

/** Creates and changes shapes, at random from a seed. */
export class Shapes {
  constructor(
    private readonly random: () => number,
    private readonly names: readonly string[],
  ) {}

  fresh(): Shape {
    const place = this.#one(PLACES);
    const [open, unit, close] = this.#one(PIECES[place]);
    return [{ place, open, unit, close, times: 2 ** Math.floor(this.random() * 19), name: this.#name() }];
  }

  /** One step away: longer, shorter, with another piece, in another place, with one more gene or one less. */
  changed(shape: Shape): Shape {
    const at = Math.floor(this.random() * shape.length);
    const gene = shape[at];
    const kind = this.random();
    if (gene === undefined || kind < 0.2) return [...shape, ...this.fresh()].slice(-3);
    if (kind < 0.3 && shape.length > 1) return shape.toSpliced(at, 1);
    if (kind < 0.7)
      return shape.with(at, { ...gene, times: Math.max(1, Math.round(gene.times * this.#one([0.5, 0.8, 1.3, 2, 8]))) });
    if (kind < 0.8) return shape.with(at, { ...gene, name: this.#name() });
    const [open, unit, close] = this.#one(PIECES[gene.place]);
    return shape.with(at, { ...gene, open, unit, close });
  }

  #name(): string {
    return this.#one(this.names);
  }

  #one<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }
}

/** The request that a shape forms from a call with these parameters. */
export function rendered(shape: Shape, send: Readonly<Record<string, Json>>, method: string): Rendered {
  const of = (place: Place): Gene | undefined => shape.findLast((gene) => gene.place === place);
  const [query, json, form, value, path] = [of('query'), of('json'), of('form'), of('value'), of('path')];
  const headers: Record<string, string> = {};
  for (const gene of shape.filter(({ place }) => place === 'header')) Object.assign(headers, headersOf(gene));
  const whole = value === undefined ? send : { ...send, [value.name]: valueOf(value) };
  let body: string | undefined;
  let text = query === undefined ? '' : repeated(query, LINE);
  if (json !== undefined) body = repeated(json, BODY);
  else if (form !== undefined) {
    body = repeated(form, BODY);
    headers['content-type'] = 'application/x-www-form-urlencoded';
  } else if (Object.keys(whole).length > 0 && method !== 'GET') body = JSON.stringify(whole);
  if (method === 'GET' && body === undefined && Object.keys(whole).length > 0) {
    const own = new URLSearchParams(
      Object.entries(whole).map(([name, each]): [string, string] => [name, asText(each)]),
    ).toString();
    text = `${own}&${text}`.slice(0, LINE);
  }
  return { query: text, headers, body, last: path && repeated(path, LINE) };
}

/** In a few words. */
export function described(shape: Shape): string {
  return shape.length === 0
    ? 'as it is'
    : shape
        .map(({ place, open, unit, close, times, name }) => `${place} ${open}(${unit})×${times}${close} $=${name}`)
        .join(' + ');
}

function repeated({ open, unit, close, times, name }: Gene, most: number): string {
  const fill = (text: string, number: number): string => text.replaceAll('$', name).replaceAll('#', String(number));
  const isPlain = !unit.includes('#');
  const room = Math.max(0, most - open.length - close.length - name.length);
  const count = Math.min(times, Math.floor(room / Math.max(1, fill(unit, times).length)));
  const middle = isPlain
    ? fill(unit, 0).repeat(count)
    : Array.from({ length: count }, (_, index) => fill(unit, count - index)).join('');
  return fill(open, 0) + middle + fill(close, 0);
}

function valueOf(gene: Gene): Json {
  if (gene.close === 'LEVELS')
    return JSON.parse(`${'['.repeat(Math.min(gene.times, 60))}${']'.repeat(Math.min(gene.times, 60))}`);
  return JSON.parse(repeated(gene, BODY - 1_000));
}

function headersOf(gene: Gene): Readonly<Record<string, string>> {
  if (!gene.open.includes('#')) return { [gene.open]: repeated({ ...gene, open: '' }, LINE) };
  const count = Math.min(gene.times, 1_500);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [gene.open.replace('#', String(index)), gene.unit]),
  );
}

function asText(value: Json): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value).toWellFormed();
}
