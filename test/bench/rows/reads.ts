import type { Measurement } from '../bench.js';
import { FOLDERS, listedDeal, purchaseId, type FolderNotes } from '../folders/folder-spec.js';
import type { Request } from '../load/visit.js';
import { openPlace } from './catalogue.js';
import { againstBare, againstList, type Asked } from './compare-http.js';
import { sideOf, takeTurns } from '../turns.js';
import { unlike } from './unlike.js';

export const V3_FIELDS = 'id,title,price,value,merchant_name,images[small],end_at,sold_out';
/** More than the service or its processor can hold near at once. */
const DIFFERENT = 10_000;

const V1 = {
  region: 'region=boston',
  price: 'price_min=1000&price_max=2000',
  place: 'latitude=42.4&longitude=-71.1&radius=25',
} as const;
const V3 = {
  region: 'region[boston]',
  price: 'price>=1000,price<=2000',
  place: 'lat_long[42.4,-71.1,25]',
} as const;

/** What the rows of single items ask. */
export const ITEMS = {
  'get-purchase': (notes) =>
    asked(byKey(notes, '/purchases/{value}'), numbered(Math.min(notes.spec.purchases, DIFFERENT), purchaseId)),
  'get-deal': (notes) =>
    asked(byKey(notes, '/deals/{value}'), numbered(Math.min(notes.spec.listed, DIFFERENT), listedDeal)),
} as const satisfies Readonly<Record<string, (notes: FolderNotes) => Asked>>;

/** What the rows of lists ask: always the first page, of 100. */
export const LISTS = {
  'v1-region': (notes) => asked(byKey(notes, `/v1/deals?${V1.region}`)),
  'v1-price': (notes) => asked(byKey(notes, `/v1/deals?${V1.price}`)),
  'v1-place': (notes) => asked(byKey(notes, `/v1/deals?${V1.place}`)),
  'v3-region': (notes) => asked(v3List(notes, V3.region)),
  'v3-price': (notes) => asked(v3List(notes, V3.price)),
  'v3-place': (notes) => asked(v3List(notes, V3.place)),
  purchases: (notes) => asked(byKey(notes, '/users/{value}/purchases'), notes.users),
  coupons: (notes) => asked(byKey(notes, '/users/{value}/coupons'), notes.users),
} as const satisfies Readonly<Record<string, (notes: FolderNotes) => Asked>>;

export type ItemRow = keyof typeof ITEMS;
export type ListRow = keyof typeof LISTS;

/** Measures a row of single items. */
export function item(row: ItemRow): Measurement {
  return async (bench) => {
    const { holdfast, notes } = await openPlace(bench, FOLDERS.catalogue);
    return [await againstBare(bench, row, holdfast, ITEMS[row](notes))];
  };
}

/** Measures a row of lists. */
export function list(row: ListRow): Measurement {
  return async (bench) => {
    const { holdfast, notes } = await openPlace(bench, FOLDERS.catalogue);
    return [await againstList(bench, row, holdfast, LISTS[row](notes))];
  };
}

/** Measures a row of lists of deals, and shows what the list takes if no page of it is remembered. */
export function search(row: Exclude<ListRow, 'purchases' | 'coupons'>): Measurement {
  return async (bench) => {
    const { holdfast, notes } = await openPlace(bench, FOLDERS.catalogue);
    const line = await againstList(bench, row, holdfast, LISTS[row](notes));
    const { requests } = await LISTS[row](notes).visit();
    const progress = (text: string): void => bench.progress(`${row}, not remembered: ${text}`);
    const length = { ...bench.options, load: bench.load, progress };
    const [request] = requests;
    if (request === undefined) throw new Error(`${row} asks for nothing`);
    const [turns = []] = await takeTurns([{ name: row, server: holdfast, visit: () => unlike(request) }], length);
    const { rate, cpu } = sideOf('Holdfast', turns);
    const ofString = rate / (line.sides?.[1]?.rate ?? NaN);
    return [{ ...line, shown: { ...line.shown, 'not remembered': ofString, 'its CPU µs': cpu ?? NaN } }];
  };
}

function asked(request: Request, values: readonly string[] = ['']): Asked {
  return { visit: () => ({ requests: [request], values }) };
}

/** A GET with the partner's key. */
export function byKey({ key }: FolderNotes, path: string): Request {
  return { method: 'GET', path, headers: [`X-Api-Key: ${key}`] };
}

/** A GET as v3 asks for a credential. */
export function byPassword({ basic }: FolderNotes, path: string): Request {
  return { method: 'GET', path, headers: [`Authorization: Basic ${Buffer.from(basic).toString('base64')}`] };
}

function v3List(notes: FolderNotes, filter: string): Request {
  return byPassword(notes, `/api/v3/deals?fields=${V3_FIELDS}&filter=${encodeURIComponent(filter)}`);
}

function numbered(count: number, name: (nth: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, nth) => name(nth));
}
