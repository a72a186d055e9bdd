import type { Paging } from '#eventsourcing';
import type { DealListRequestV3 } from './deals-v3.schema.js';

/**
 * The absolute URL of the next page, with the same fields, filter and sort and no other parameter of the call (interface
 * 2.3, rulings A4, B4). A blank is `%20`.
 * @param path the path of the call
 */
export function nextPageV3(
  publicUrl: string,
  path: string,
  { fields, filter, sort }: DealListRequestV3['keywords'],
  { page, perPage }: Paging,
): string {
  const query = Object.entries({ fields, filter, sort, page: page + 1, per_page: perPage })
    .filter(([, value]) => value !== undefined)
    .map(([keyword, value]) => `${keyword}=${encodeURIComponent(String(value))}`);
  return `${publicUrl}${path}?${query.join('&')}`;
}
