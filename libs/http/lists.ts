import { z } from 'zod';
import type { Paging, Slices } from '#eventsourcing';
import type { Call } from './call.js';
import { CREDENTIAL_PARAMETERS } from './credential-parameters.js';
import { boolean, integer, read } from './parameters.js';

const COUNT = z.object({ count: boolean().optional() });
const PAGES = z.object({
  page: integer('page').optional(),
  per_page: integer('perPage').optional(),
});

const LISTED = COUNT.extend(PAGES.shape);

export const PAGING_NAMES = ['count', 'page', 'per_page'] as const;

/** The parameters of every list (interface 4.1). */
export const PAGING = {
  count: COUNT.shape.count.describe(
    'Answers with the number of items instead of the list, and ignores page and per_page.',
  ),
  page: PAGES.shape.page.describe(
    'Counts from 1, the default. Ask for the next page until a page has fewer than `per_page` items. Each page is taken from the list as it is at that moment: if others add or remove items between two calls, items move to another page.',
  ),
  per_page: PAGES.shape.per_page.describe('At most 1000; the default is 100.'),
};

/** Reads count, page and per_page (interface 4.1, ruling A10). With count, it ignores the others. */
export function pagingOf(parameters: Readonly<Record<string, unknown>>, resource: string): Paging {
  const isCounted = COUNT.safeParse(parameters).data?.count === true;
  if (isCounted) return { count: true, page: 1, perPage: 100 };
  const { page, per_page } = read(LISTED, parameters, resource);
  return { count: false, page: page ?? 1, perPage: per_page ?? 100 };
}

/**
 * The body of a list without a status: the count, if the caller asks for it, otherwise the result of `page`.
 */
export async function counted<Found extends object>(
  found: Found | number,
  page: (found: Found) => object | Promise<object>,
): Promise<object> {
  return typeof found === 'number' ? { count: found } : page(found);
}

/** The body of a list: its status, and the count or the page. */
export async function answerList<Found extends object>(
  found: Found | number,
  page: (found: Found) => object | Promise<object>,
): Promise<object> {
  return { status: 'success', ...(await counted(found, page)) };
}

/** Presents the rows of an answer, in their order and in slices: a large answer lets other calls through. */
export async function presentAll<Row, Shown>(
  rows: readonly Row[],
  present: (row: Row) => Shown,
  slices: Slices,
): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const row of rows) {
    if (slices.isOver) await slices.next();
    shown.push(present(row));
  }
  return shown;
}

/**
 * The absolute address of the next page: the same call with the same parameters in the query (rulings A4, B8). Commas
 * separate the values of a list. It has no credential, because others store and log addresses.
 */
export function nextPage({ path, parameters }: Call, { page, perPage }: Paging, publicUrl: string): string {
  const url = new URL(`${publicUrl}${path}`);
  for (const [name, value] of Object.entries(parameters)) {
    if (CREDENTIAL_PARAMETERS.has(name)) continue;
    const parts = (Array.isArray(value) ? value : [value]) as readonly (string | number | boolean | null)[];
    url.searchParams.set(name, parts.join(','));
  }
  url.searchParams.set('page', String(page + 1));
  url.searchParams.set('per_page', String(perPage));
  return url.href;
}
